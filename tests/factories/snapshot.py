"""Finished batches in memory and whole snapshots on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dataset.artifacts.definition import (
    BatchDefinition,
    PlannedRun,
    planned_runs,
)
from dataset.artifacts.digest import open_artifact, seal
from dataset.artifacts.disclosure import withhold
from dataset.canonical import canonical_bytes
from dataset.measures.run_facts import RunFacts, facts_of, told
from dataset.questions.pack import Pack
from dataset.questions.variant import Variant
from dataset.questions.withholding import Withheld
from dataset.record import BatchId, RunId
from publisher.projection.index import Index, IndexedReport, Release
from publisher.projection.public_catalogue import publish_catalogue
from publisher.projection.report import Report, compile_report
from publisher.verification.chain import chains_of
from tests.factories.bank import (
    CASE_IDS,
    FINISHED,
    STARTED,
    VARIANTS,
    BankCase,
    make_case,
    make_definition,
    make_model,
    make_pack,
    make_template,
)
from tests.factories.runs import make_salts, make_sections
from tests.factories.timeline import RunPlan, Scenario

ScenarioOf = Callable[[PlannedRun], Scenario]
EarlierOf = Callable[[PlannedRun], Sequence[Scenario]]
"""What happened to the runs that the one at a position supersedes, first to last."""


def default_scenario(planned: PlannedRun) -> Scenario:
    """Careless models fail most; one case of every model is refused a tool; the rest pass."""
    if planned.model_key == "careless" and planned.case_id != CASE_IDS[0]:
        return "fail"
    if planned.case_id == CASE_IDS[1]:
        return "refused"
    if planned.case_id == CASE_IDS[2] and planned.variant_id == "scoped-zh":
        return "invalid"
    return "pass"


@dataclass(frozen=True, kw_only=True)
class SampleBatch:
    """A finished batch in memory: definition, public cases and the sealed bytes of every run, by position."""

    batch_id: BatchId
    definition: BatchDefinition
    pack: Pack = field(repr=False)
    cases: tuple[BankCase, ...]
    variants: tuple[Variant, ...]
    artifacts: Mapping[RunId, bytes] = field(repr=False)

    @property
    def report(self) -> Report:
        """The report that follows from the batch."""
        return self.report_of(self.artifacts)

    def report_of(self, artifacts: Mapping[RunId, bytes]) -> Report:
        """The report that would follow from other artifacts."""
        facts = {run_id: self._told(data) for run_id, data in artifacts.items()}
        chains = list(chains_of(planned_runs(self.definition, self.batch_id), facts))
        return compile_report(
            batch_id=self.batch_id,
            definition=self.definition,
            cases=[case.public for case in self.cases],
            variants=self.variants,
            runs=[facts[chain.counts] for chain in chains if chain.counts],
            superseded=[facts[run_id] for chain in chains for run_id in chain.superseded],
            catalogue=publish_catalogue(self.pack.catalogue),
            started_at=STARTED,
            finished_at=FINISHED,
        )

    @property
    def published(self) -> Mapping[RunId, bytes]:
        """The artifacts as they are published: without what their cases withhold."""
        return {run_id: withhold(data, self._parts(data)) for run_id, data in self.artifacts.items()}

    def _parts(self, data: bytes) -> tuple[Withheld, ...]:
        case_id = open_artifact(data).case.case_id
        return next((case.withheld for case in self.definition.cases if case.id == case_id), ())

    def _told(self, data: bytes) -> RunFacts:
        return told(facts_of(open_artifact(data)), self._parts(data))


def make_batch(
    batch_id: str = "batch-1",
    *,
    case_ids: Sequence[str] = CASE_IDS,
    model_keys: Sequence[str] = ("careful", "careless"),
    variants: Sequence[Variant] = VARIANTS,
    repeats: int = 1,
    threshold: str = "0.5",
    synthetic: bool = False,
    scenario: ScenarioOf = default_scenario,
    earlier: EarlierOf = lambda planned: (),
    replay_of: str | None = None,
    text: str = "",
    withheld: tuple[Withheld, ...] = (),
) -> SampleBatch:
    """A finished batch over a pack of its own; the model `careless` has no price. Each of its cases withholds parts."""
    cases = tuple(make_case(case_id, text=text, withheld=withheld) for case_id in case_ids)
    models = [make_model(key, synthetic=synthetic, priced=key != "careless", text=text) for key in model_keys]
    template = make_template(repeats=repeats, threshold=threshold, variants=variants, text=text)
    pack = make_pack(cases, template=template, variants=variants, text=text)
    frozen = make_definition(pack, template=template, models=models, cases=cases)
    if replay_of is not None:
        frozen = frozen.model_copy(update={"replay_of": replay_of})
    case_by_id = {case.question.id: case for case in cases}
    variant_by_id = {variant.id: variant for variant in variants}
    plans = [
        RunPlan(
            batch_id=batch_id,
            definition=frozen,
            planned=planned,
            case=case_by_id[planned.case_id],
            variant=variant_by_id[planned.variant_id],
            scenario=happened,
            text=text,
            revision=revision,
        )
        for planned in planned_runs(frozen, BatchId(batch_id))
        for revision, happened in enumerate([*earlier(planned), scenario(planned)], start=1)
    ]
    artifacts = {plan.run_id: seal(plan.run_id, make_sections(plan), make_salts(plan.run_id)) for plan in plans}
    return SampleBatch(
        batch_id=BatchId(batch_id),
        definition=frozen,
        pack=pack,
        cases=cases,
        variants=tuple(variants),
        artifacts=artifacts,
    )


def write_snapshot(directory: Path, batches: Sequence[SampleBatch]) -> Path:
    """A whole snapshot on disk, each batch a release of its own; returns the directory."""
    for folder in ("reports", "runs"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    indexed = []
    for number, batch in enumerate(batches, start=1):
        data = canonical_bytes(batch.report.body())
        (directory / "reports" / f"{batch.batch_id}.json").write_bytes(data)
        for run_id, artifact in batch.published.items():
            (directory / "runs" / f"{run_id}.json").write_bytes(artifact)
        indexed.append(
            IndexedReport(
                batch_id=batch.batch_id,
                sha256=hashlib.sha256(data).hexdigest(),
                runs=len(batch.artifacts),
                release=number,
            )
        )
    index = Index(
        synthetic=any(batch.report.synthetic for batch in batches),
        releases=tuple(
            Release(number=number, published_at=FINISHED, batches=(batch.batch_id,))
            for number, batch in enumerate(batches, start=1)
        ),
        reports=tuple(sorted(indexed, key=lambda report: report.batch_id)),
    )
    (directory / "index.json").write_bytes(canonical_bytes(index.body()))
    return directory
