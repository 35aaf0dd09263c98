"""A batch with the bank entries it was frozen on, checked against their hashes before a run uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dataset.artifacts.artifact import CodeIdentity, VersionedHash
from dataset.artifacts.definition import BatchDefinition, FrozenCase, FrozenModel
from dataset.errors import GlassbenchError
from dataset.questions.pack import Pack
from dataset.questions.prompt import Prompt
from dataset.questions.template import Template
from dataset.record import BatchId


class FrozenBatchError(GlassbenchError):
    """The bank no longer holds what the batch was frozen on."""

    code = "BATCH-FROZEN-001"


class MixedModelsError(GlassbenchError):
    """Scripted and real models in one batch."""

    code = "BATCH-KIND-001"


def freeze(
    *, pack: Pack, template: Template, models: Sequence[FrozenModel], judge_version: str, code: CodeIdentity
) -> BatchDefinition:
    """The definition of a batch: every entry that it will use, by version and hash.

    MixedModelsError for scripted and real models together: no release may hold both.
    """
    if len({model.synthetic for model in models}) > 1:
        scripted = ", ".join(model.key for model in models if model.synthetic)
        raise MixedModelsError(
            f"scripted models ({scripted}) and real ones can't be published together",
            hint="create a batch for each kind",
        )
    case_ids = sorted(pack.questions) if template.cases == "all" else list(template.cases)
    variants = [pack.variants[name] for name in template.variants]
    prompts = {(v.prompt, v.prompt_version): pack.prompts[(v.prompt, v.prompt_version)] for v in variants}
    return BatchDefinition(
        pack=pack.reference,
        bank_hash=pack.bank_hash,
        catalogue_hash=pack.catalogue.content_hash,
        fixture_set=VersionedHash(id=pack.fixtures.id, version=pack.fixtures.version, hash=pack.fixtures.content_hash),
        guardrails=VersionedHash(id="guardrails", version=pack.guardrails.version, hash=pack.guardrails.digest()),
        template=template,
        template_hash=template.digest(),
        cases=tuple(_frozen_case(pack, case_id) for case_id in case_ids),
        variants=tuple(VersionedHash(id=v.id, version=v.version, hash=v.digest()) for v in variants),
        prompts=tuple(_versioned(prompt) for _, prompt in sorted(prompts.items())),
        models=tuple(models),
        limits=pack.head.limits,
        judge_version=judge_version,
        code=code,
    )


def _frozen_case(pack: Pack, case_id: str) -> FrozenCase:
    question, gold = pack.questions[case_id], pack.golds[case_id]
    return FrozenCase(
        id=question.id,
        version=question.version,
        hash=question.digest(),
        gold_version=gold.version,
        gold_hash=gold.digest(),
        withheld=pack.withheld(case_id),
    )


def _versioned(entry: Prompt) -> VersionedHash:
    return VersionedHash(id=entry.id, version=entry.version, hash=entry.digest())


@dataclass(frozen=True, kw_only=True)
class FrozenBatch:
    """What a worker needs to run any planned run of a batch."""

    id: BatchId
    definition: BatchDefinition
    pack: Pack

    def __post_init__(self) -> None:
        """FrozenBatchError where the loaded pack isn't the one in the definition."""
        if self.pack.reference != self.definition.pack:
            raise FrozenBatchError(
                f"batch {self.id} was frozen on pack {self.definition.pack.id} v{self.definition.pack.version} "
                f"({self.definition.pack.hash[:12]}), the bank holds {self.pack.reference.hash[:12]}",
                hint="restore the database that holds the pack as it was imported, or create a new batch",
            )

    @cached_property
    def definition_hash(self) -> str:
        """The hash that stands in every artifact of the batch."""
        return self.definition.digest()

    @cached_property
    def models(self) -> Mapping[str, FrozenModel]:
        """The batch's models by key."""
        return {model.key: model for model in self.definition.models}
