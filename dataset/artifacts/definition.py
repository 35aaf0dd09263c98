"""What a batch is once it is created: every entry by version and hash, every planned run by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from dataset.artifacts.artifact import CodeIdentity, Count, VersionedHash
from dataset.artifacts.price import Price
from dataset.canonical import content_hash, sha256_hex
from dataset.questions.question import LimitOverrides, Limits
from dataset.questions.template import Template
from dataset.questions.withholding import Withheld
from dataset.record import (
    ABSENT,
    ABSENT_EMPTY,
    SLUG,
    BatchId,
    CaseId,
    DecimalText,
    Record,
    RunId,
    Sha256,
    Slug,
    VariantId,
    Version,
)

WireApi = Literal["scripted", "openai_chat", "openai_responses", "anthropic_messages"]
"""What a model is asked by: `scripted` never leaves the machine."""
Tier = Literal["flagship", "balanced", "value"]
Weights = Literal["open", "closed"]
"""Whether anyone can have the model's weights."""
Thinking = Literal["disabled", "enabled", "provider_default"]


class FrozenModel(Record):
    """A candidate as the batch froze it: no address and no credential, which stay in the registry.

    `channel` is the gateway that it was reached through, None or `native` where its provider was asked itself;
    `thinking` None is the provider's default.
    """

    key: Slug
    display_name: str
    family: str
    provider: str
    wire_api: WireApi
    model_id: str
    parameters: dict[str, DecimalText | Count | str]
    synthetic: bool
    price: Price | None
    tier: Annotated[Tier | None, ABSENT] = None
    weights: Annotated[Weights | None, ABSENT] = None
    channel: Annotated[str | None, ABSENT] = None
    provider_key: Annotated[str | None, ABSENT] = None
    thinking: Annotated[Thinking | None, ABSENT] = None

    @property
    def exclusion_key(self) -> str:
        """Who serves the model, as a judge may not: the provider key, or else the provider."""
        return self.provider_key or self.provider


class FrozenCase(Record):
    """A case of the batch: its question and gold by version and hash."""

    id: Annotated[CaseId, SLUG]
    version: Version
    hash: Sha256
    gold_version: Version
    gold_hash: Sha256
    withheld: Annotated[tuple[Withheld, ...], ABSENT_EMPTY] = ()
    """The parts of its runs that aren't published, closed by `dataset.questions.withholding`."""


class BatchDefinition(Record):
    """The frozen definition. Its hash stands in every artifact of the batch; denominators follow from it."""

    pack: VersionedHash
    bank_hash: Sha256
    catalogue_hash: Sha256
    fixture_set: VersionedHash
    guardrails: VersionedHash
    template: Template
    template_hash: Sha256
    cases: tuple[FrozenCase, ...] = Field(min_length=1)
    variants: tuple[VersionedHash, ...] = Field(min_length=1)
    prompts: tuple[VersionedHash, ...]
    models: tuple[FrozenModel, ...] = Field(min_length=1)
    limits: Limits
    judge_version: str
    code: CodeIdentity
    replay_of: Annotated[Annotated[BatchId, SLUG] | None, ABSENT] = None
    """The batch whose recorded answers this one judges again, asking nobody; None where its models are asked."""

    @property
    def runs_per_group(self) -> int:
        """The fixed denominator of one group (model × variant): cases × repeats."""
        return len(self.cases) * self.template.repeats

    @property
    def runs_per_model(self) -> int:
        """The fixed denominator of one model over all variants."""
        return self.runs_per_group * len(self.variants)

    @property
    def run_count(self) -> int:
        """How many runs the batch promises."""
        return self.runs_per_model * len(self.models)

    @cached_property
    def snapshot_hash(self) -> str:
        """One hash over everything of the bank that a run can depend on; stands in every artifact."""
        return content_hash(
            {
                "pack": self.pack.hash,
                "bank": self.bank_hash,
                "catalogue": self.catalogue_hash,
                "fixtures": self.fixture_set.hash,
                "guardrails": self.guardrails.hash,
                "prompts": [prompt.hash for prompt in self.prompts],
            }
        )

    def config_hash(self, *, variant_hash: str, model: FrozenModel, overrides: LimitOverrides) -> str:
        """One hash over what was chosen for a run: variant, model, template, limits, judge; stands in its artifact.

        `overrides` are the limits that the run's question sets for itself.
        """
        return content_hash(
            {
                "variant": variant_hash,
                "model": model.digest(),
                "template": self.template_hash,
                "limits": overrides.over(self.limits).digest(),
                "judge": self.judge_version,
            }
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRun:
    """One run that the batch promises: case × variant × repeat × model."""

    run_id: RunId
    position: int
    case_id: CaseId
    variant_id: VariantId
    repeat: int
    model_key: str


def planned_runs(definition: BatchDefinition, batch_id: BatchId) -> Iterator[PlannedRun]:
    """Every run of a batch in the order of execution, numbered from 1; the same for the same definition.

    `by-hash` orders by sha256 of the run's coordinates, so that no arm or model always goes first.
    """
    coordinates = [
        (str(case.id), variant.id, repeat, model.key)
        for case, repeat, variant, model in product(
            definition.cases, range(1, definition.template.repeats + 1), definition.variants, definition.models
        )
    ]
    if definition.template.order == "by-hash":
        coordinates.sort(key=lambda c: sha256_hex("\x1f".join(map(str, c)).encode()))
    for position, (case_id, variant_id, repeat, model_key) in enumerate(coordinates, start=1):
        yield PlannedRun(
            run_id=RunId(f"{batch_id}-{position:04d}"),
            position=position,
            case_id=CaseId(case_id),
            variant_id=VariantId(variant_id),
            repeat=repeat,
            model_key=model_key,
        )
