"""What the runs of a batch are set up with: most of it is worked out once for a case and variant, whoever is asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dataset.artifacts.artifact import CaseSection, CodeIdentity, ModelIdentity, ProvenanceSection, VersionedHash
from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.revision import superseded_id
from dataset.measures.tool_delivery import delivered_tools
from dataset.questions.question import LimitOverrides
from dataset.record import CaseId, UtcTime, VariantId
from engine.agent.setup import RunSetup
from engine.batches.frozen_batch import FrozenBatch

PREPARED = 512
"""Cases with a variant whose preparation is kept: memory stays flat, however many a batch has."""


@dataclass(frozen=True, kw_only=True)
class Preparations:
    """Setup, case and provenance of any planned run of one batch."""

    batch: FrozenBatch
    code: CodeIdentity
    judge_version: str

    def of(self, plan: PlannedRun) -> tuple[RunSetup, CaseSection]:
        """What the run is set up with, and its case; most of both is the same for all runs of a case and variant."""
        key = (plan.case_id, plan.variant_id)
        if key not in self._prepared:
            if len(self._prepared) >= PREPARED:
                self._prepared.pop(next(iter(self._prepared)))
            first = self._first_setup(plan)
            self._prepared[key] = first, self._case(first)
        setup, case = self._prepared[key]
        return setup.of(plan), case.changed(repeat=plan.repeat)

    @cached_property
    def _prepared(self) -> dict[tuple[CaseId, VariantId], tuple[RunSetup, CaseSection]]:
        return {}

    def _first_setup(self, plan: PlannedRun) -> RunSetup:
        pack = self.batch.pack
        question, variant = pack.questions[plan.case_id], pack.variants[plan.variant_id]
        return RunSetup(
            plan=plan,
            question=question,
            variant=variant,
            prompt=pack.prompts[(variant.prompt, variant.prompt_version)],
            catalogue=pack.catalogue,
            tools=delivered_tools(variant, pack.catalogue, scene=question.scene, login_state=question.login_state),
            limits=question.limits.over(pack.head.limits),
            max_output_tokens=self.batch.definition.template.max_output_tokens,
        )

    def _case(self, setup: RunSetup) -> CaseSection:
        question, variant, gold = setup.question, setup.variant, self.batch.pack.golds[setup.plan.case_id]
        return CaseSection(
            case_id=question.id,
            version=question.version,
            content_hash=question.digest(),
            gold_version=gold.version,
            gold_hash=gold.digest(),
            variant_id=variant.id,
            variant_version=variant.version,
            variant_hash=variant.digest(),
            repeat=setup.plan.repeat,
            kind=question.kind,
            category=question.category,
            locale=variant.locale,
            scene=question.scene,
            login_state=question.login_state,
            question=question.text.to(variant.locale),
        )

    def provenance(self, setup: RunSetup, attempt: int, *, started_at: UtcTime) -> ProvenanceSection:
        """What a run is made from, as far as it is known when an attempt starts."""
        key = (setup.variant.id, setup.plan.model_key, setup.question.limits)
        if key not in self._provenances:
            self._provenances[key] = self._first_provenance(setup, started_at)
        supersedes = superseded_id(setup.plan.run_id)
        return self._provenances[key].changed(
            attempt=attempt, supersedes=supersedes, started_at=started_at, finished_at=started_at
        )

    @cached_property
    def _provenances(self) -> dict[tuple[VariantId, str, LimitOverrides], ProvenanceSection]:
        """What the runs of a variant by a model are made from, but for what is a run's own."""
        return {}

    def _first_provenance(self, setup: RunSetup, now: UtcTime) -> ProvenanceSection:
        whole, model, prompt = self.batch.definition, self.batch.models[setup.plan.model_key], setup.prompt
        return ProvenanceSection(
            pack=whole.pack,
            bank_hash=whole.bank_hash,
            catalogue_hash=whole.catalogue_hash,
            fixture_set=whole.fixture_set,
            snapshot_hash=whole.snapshot_hash,
            config_hash=whole.config_hash(
                variant_hash=setup.variant.digest(), model=model, overrides=setup.question.limits
            ),
            prompt=VersionedHash(id=prompt.id, version=prompt.version, hash=prompt.digest()),
            guardrails=whole.guardrails,
            template=VersionedHash(id=whole.template.id, version=whole.template.version, hash=whole.template_hash),
            model=ModelIdentity(
                key=model.key,
                display_name=model.display_name,
                family=model.family,
                provider=model.provider,
                wire_api=model.wire_api,
                requested=model.model_id,
                returned=(),
                parameters=model.parameters,
                synthetic=model.synthetic,
            ),
            code=self.code,
            judge_version=self.judge_version,
            batch_id=self.batch.id,
            definition_hash=self.batch.definition_hash,
            attempt=1,
            supersedes=None,
            started_at=now,
            finished_at=now,
        )
