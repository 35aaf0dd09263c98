"""Snapshots for the leaderboard: reports of as many models, cases and categories as one likes, without the runs' files.

Pages that open no run can be rendered from them, fast.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dataset.artifacts.artifact import Cost
from dataset.artifacts.definition import PlannedRun, planned_runs
from dataset.canonical import canonical_bytes
from dataset.measures.run_facts import RunFacts, withdrawn_facts
from dataset.questions.variant import Variant
from dataset.questions.withholding import Withheld
from dataset.record import BatchId
from publisher.projection.index import Index, IndexedReport, Release
from publisher.projection.report import PublicCase, Report, Withdrawal, compile_report
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories.bank import (
    FINISHED,
    STARTED,
    VARIANTS,
    BankCase,
    fake_hash,
    make_case,
    make_definition,
    make_model,
    make_pack,
    make_template,
)

CATEGORIES = ("single-tool", "ordered-tools", "login-required", "tool-error", "prompt-injection")


@dataclass(frozen=True, kw_only=True)
class BoardModel:
    """A model and how it does: `passes` says which of its planned runs pass, `cost` is that of each run."""

    key: str
    name: str = ""
    family: str = "family"
    tier: str | None = None
    weights: str | None = None
    synthetic: bool = False
    passes: Callable[[PlannedRun], bool | None] = lambda planned: True
    """None makes the run invalid."""
    cost: str | None = "0.01"
    currency: str = "USD"
    latency: Callable[[PlannedRun], int] = lambda planned: 1000
    reasons: tuple[str, ...] = ("answer.number.nav", "tool.must.fund_nav")


def share(passing: int, of: int = 10) -> Callable[[PlannedRun], bool]:
    """Passes the runs of so many of each ten cases, in the order of the cases."""
    return lambda planned: int(planned.case_id.rsplit("-", 1)[1]) % of < passing


def make_report(
    batch_id: str,
    models: Sequence[BoardModel],
    *,
    cases: int = 10,
    variants: Sequence[Variant] = VARIANTS,
    repeats: int = 1,
    categories: Sequence[str] = CATEGORIES,
    withheld: Mapping[int, tuple[Withheld, ...]] | None = None,
    withdrawn: Callable[[PlannedRun], bool] = lambda planned: False,
    missing: Callable[[PlannedRun], bool] = lambda planned: False,
    with_statistics: bool = True,
) -> Report:
    """The report of a finished batch over `case-0`, `case-1`…, whose categories follow one another."""
    bank = tuple(_case(number, categories, (withheld or {}).get(number, ())) for number in range(cases))
    template = make_template(repeats=repeats, variants=variants)
    frozen = [
        make_model(model.key, synthetic=model.synthetic).model_copy(
            update={
                "display_name": model.name or f"Model {model.key}",
                "family": model.family,
                "tier": model.tier,
                "weights": model.weights,
            }
        )
        for model in models
    ]
    pack = make_pack(bank, template=template, variants=variants)
    definition = make_definition(pack, template=template, models=frozen, cases=bank)
    by_key = {model.key: model for model in models}
    runs, withdrawals = [], []
    for planned in planned_runs(definition, BatchId(batch_id)):
        if missing(planned):
            continue
        line = _facts(planned, by_key[planned.model_key])
        if withdrawn(planned):
            line = withdrawn_facts(line)
            withdrawals.append(Withdrawal(run_id=line.run_id, reason="a fault of ours", release=9))
        runs.append(line)
    parts = {case.id: case.withheld for case in definition.cases}
    return compile_report(
        batch_id=BatchId(batch_id),
        definition=definition,
        cases=[PublicCase.of(case.question, case.gold, parts[case.question.id]) for case in bank],
        variants=variants,
        runs=runs,
        started_at=STARTED,
        finished_at=FINISHED,
        withdrawals=withdrawals,
        with_statistics=with_statistics,
    )


def write_reports(directory: Path, reports: Sequence[Report]) -> Path:
    """A snapshot of reports alone, each a release of its own; returns the directory."""
    (directory / "reports").mkdir(parents=True, exist_ok=True)
    indexed = []
    for number, report in enumerate(reports, start=1):
        data = canonical_bytes(report.body())
        (directory / "reports" / f"{report.batch_id}.json").write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        indexed.append(
            IndexedReport(batch_id=report.batch_id, sha256=sha256, runs=len(report.every_run), release=number)
        )
    index = Index(
        synthetic=any(report.synthetic for report in reports),
        releases=tuple(
            Release(number=number, published_at=FINISHED, batches=(report.batch_id,))
            for number, report in enumerate(reports, start=1)
        ),
        reports=tuple(sorted(indexed, key=lambda report: report.batch_id)),
    )
    (directory / "index.json").write_bytes(canonical_bytes(index.body()))
    return directory


def site_source(directory: Path, reports: Sequence[Report]) -> SiteSource:
    """What pages are made from, over a snapshot of reports alone."""
    return SiteSource(snapshot=Snapshot(write_reports(directory, reports)))


def many_models(count: int) -> tuple[BoardModel, ...]:
    """Models of four families that differ in everything: rates, costs (a fifth unknown), latencies, tiers, weights."""
    return tuple(
        BoardModel(
            key=f"model-{number:03}",
            name=f"Family {number % 4} Instruct {number}B (build {number * 7})",
            family=f"family-{number % 4}",
            tier=("flagship", "balanced", "value")[number % 3],
            weights=("open", "closed", None)[number % 3],
            passes=_mixed(number),
            cost=None if number % 5 == 4 else f"0.{number % 97 + 1:03}",
            latency=lambda planned, number=number: 300 + 40 * number + planned.position % 7 * 90,  # type: ignore[misc]
            reasons=tuple(f"answer.kind{(number + step) % 9}.x" for step in range(1 + number % 5)),
        )
        for number in range(count)
    )


def _mixed(number: int) -> Callable[[PlannedRun], bool | None]:
    def passes(planned: PlannedRun) -> bool | None:
        drawn = int(fake_hash(f"{number} {planned.case_id} {planned.variant_id} {planned.repeat}")[:6], 16) % 100
        return None if drawn == 99 else drawn < 20 + number * 70 // 40 % 75

    return passes


def _case(number: int, categories: Sequence[str], withheld: tuple[Withheld, ...]) -> BankCase:
    case = make_case(f"case-{number}", withheld=withheld)
    question: Any = case.question.model_copy(update={"category": categories[number % len(categories)]})
    return replace(case, question=question)


def _facts(planned: PlannedRun, model: BoardModel) -> RunFacts:
    passes = model.passes(planned)
    verdict = "invalid" if passes is None else "pass" if passes else "fail"
    return RunFacts(
        run_id=planned.run_id,
        artifact_hash=fake_hash(planned.run_id),
        model_key=planned.model_key,
        case_id=planned.case_id,
        variant_id=planned.variant_id,
        repeat=planned.repeat,
        verdict=verdict,
        failure_reasons=model.reasons if verdict == "fail" else (),
        invalid_reason="provider_5xx" if verdict == "invalid" else None,
        corrections=planned.position % 3,
        model_steps=2,
        tool_calls=1,
        refused_calls=0,
        latency_ms=model.latency(planned),
        input_tokens=1200,
        output_tokens=90,
        cost=None if model.cost is None else Cost(amount=model.cost, currency=model.currency),
    )
