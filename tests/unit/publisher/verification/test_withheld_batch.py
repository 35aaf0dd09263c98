"""A batch of which parts are withheld: what its files and its report are still held to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Cost
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import withhold
from dataset.canonical import canonical_bytes
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.questions.withholding import WITHHELD, Withheld, closed
from dataset.record import CaseId, RunId
from publisher.projection.report import PublicCase, Report, Reveal, recompiled
from publisher.verification.batch import BatchCheck
from publisher.verification.difference import Difference
from publisher.verification.files import run_name
from tests.factories import CASE_IDS, SampleBatch, forged, make_batch, reseal

REPORT = "reports/batch-1.json"
FIRST = RunId("batch-1-0001")
GOLD: tuple[Withheld, ...] = ("gold",)


@cache
def batch_of(parts: tuple[Withheld, ...], case_ids: tuple[str, ...] = CASE_IDS) -> SampleBatch:
    return make_batch(withheld=parts, case_ids=case_ids)


def checked(
    batch: SampleBatch, *, report: Report | None = None, files: Mapping[RunId, bytes] | None = None
) -> tuple[BatchCheck, list[Difference]]:
    found = {run_name(run_id): data for run_id, data in {**batch.published, **(files or {})}.items()}
    check = BatchCheck(report or batch.report, REPORT, found.get, set())
    return check, list(check.differences())


def told(batch: SampleBatch, **changes: Any) -> list[str]:
    return [str(difference) for difference in checked(batch, **changes)[1]]


def remade(report: Report, change: Callable[[RunFacts], RunFacts], **more: Any) -> Report:
    """The report after a change of its lines, with every number made anew: a forger's best work."""
    runs = [change(line) for line in report.runs]
    return recompiled(report.model_copy(update=more), runs=runs, superseded=report.superseded)


def of_first(**changes: Any) -> Callable[[RunFacts], RunFacts]:
    return lambda line: line.model_copy(update=changes) if line.run_id == FIRST else line


def of_verdict(which: str, **changes: Any) -> Callable[[RunFacts], RunFacts]:
    return lambda line: line.model_copy(update=changes) if line.verdict == which else line


def place(name: str) -> str:
    return f"runs/{FIRST}.json#/{name}"


@pytest.mark.parametrize("part", WITHHELD)
def test_an_honest_batch_holds_whatever_is_withheld_and_says_of_how_many_runs(part: Withheld) -> None:
    check, found = checked(batch_of((part,)))
    assert [str(difference) for difference in found] == []
    assert check.runs == 12
    assert check.withheld == Counter(dict.fromkeys(closed((part,)), 12))


@pytest.mark.parametrize(
    ("part", "claimed"),
    [
        ("gold", {"verdict", "failure_reasons"}),
        ("judgment", set()),
        ("context", {"original_tokens", "working_tokens"}),
        ("guardrail_checks", set()),
        (
            "steps",
            {
                *("corrections", "model_steps", "tool_calls", "refused_calls", "latency_ms"),
                *("input_tokens", "output_tokens", "cost"),
            },
        ),
        ("case", {"verdict", "failure_reasons", "original_tokens", "working_tokens"}),
    ],
)
def test_only_what_follows_from_withheld_sections_alone_is_taken_as_it_is_told(
    part: Withheld, claimed: set[str]
) -> None:
    assert set(checked(batch_of((part,)))[0].claimed) == claimed


def test_assertions_are_counted_by_whether_they_could_be_observed_again() -> None:
    counts = {}
    for parts in ((), ("steps",), ("gold",)):
        check, _ = checked(batch_of(parts))
        counts[parts] = (check.assertions, check.unobserved)
    assert counts == {(): (48, 0), ("steps",): (12, 36), ("gold",): (0, 0)}


@pytest.mark.parametrize("section", [name for name in SECTION_NAMES if name != "provenance"])
def test_a_section_that_the_batch_does_not_withhold_may_not_be_missing(section: str) -> None:
    batch = batch_of(())
    found = told(batch, files={FIRST: withhold(batch.artifacts[FIRST], [section])})
    assert f"{place(section)}: section {section} is missing: its batch doesn't withhold it" in found


@pytest.mark.parametrize("section", closed(GOLD)[:2])
def test_a_section_that_the_batch_withholds_may_not_be_shown(section: Withheld) -> None:
    batch = batch_of(GOLD)
    rest = [name for name in closed(GOLD) if name != section]
    found = told(batch, files={FIRST: withhold(batch.artifacts[FIRST], rest)})
    assert f"{place(section)}: section {section} is shown, though withheld" in found


def test_a_run_without_its_withheld_sections_is_not_swapped_for_the_whole_one() -> None:
    batch = batch_of(GOLD)
    found = told(batch, files={FIRST: batch.artifacts[FIRST]})
    assert found == [f"{place(s)}: section {s} is shown, though withheld" for s in ("judgment", "output_checks")]


def test_a_salt_that_is_put_back_is_found() -> None:
    batch = batch_of(GOLD)
    document = json.loads(batch.published[FIRST])
    document["salts"]["judgment"] = open_artifact(batch.artifacts[FIRST]).salts["judgment"]
    found = told(batch, files={FIRST: canonical_bytes(document)})
    assert f"runs/{FIRST}.json: section judgment: missing, and its salt isn't" in found


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("gold", "latency_ms", 1),
        ("gold", "tool_calls", 9),
        ("gold", "cost", None),
        ("gold", "original_tokens", 1),
        ("steps", "verdict", "fail"),
        ("steps", "working_tokens", 1),
        ("steps", "model_key", "other"),
        ("context", "input_tokens", 1),
        ("case", "case_id", CASE_IDS[1]),
        ("case", "variant_id", "scoped-zh"),
        ("case", "repeat", 2),
        ("case", "latency_ms", 1),
        ("judgment", "verdict", "fail"),
        ("judgment", "failure_reasons", ("answer.given",)),
    ],
)
def test_a_fact_that_follows_from_what_is_shown_can_not_be_forged(part: Withheld, field: str, value: Any) -> None:
    batch = batch_of((part,))
    found = checked(batch, report=remade(batch.report, of_first(**{field: value})))[1]
    assert any(difference.place.startswith(place(field)) for difference in found)


@pytest.mark.parametrize(
    ("part", "change", "field"),
    [
        ("gold", of_first(verdict="fail"), "failure_reasons"),
        ("gold", of_first(failure_reasons=("answer.given",)), "failure_reasons"),
        ("gold", of_first(invalid_reason="provider_5xx"), "invalid_reason"),
        ("steps", of_first(refused_calls=9), "refused_calls"),
        ("steps", of_first(cost=Cost(amount="1", currency="XXX")), "cost"),
        ("context", of_first(original_tokens=None), "working_tokens"),
    ],
)
def test_a_claim_that_no_run_can_make_is_found(
    part: Withheld, change: Callable[[RunFacts], RunFacts], field: str
) -> None:
    batch = batch_of((part,))
    found = checked(batch, report=remade(batch.report, change))[1]
    assert place(field) in [difference.place for difference in found]


def test_a_cost_of_a_run_without_a_price_can_not_be_claimed() -> None:
    batch = batch_of(("steps",))
    unpriced = next(line for line in batch.report.runs if line.model_key == "careless")
    priced = next(line.cost for line in batch.report.runs if line.cost is not None)

    def forge(line: RunFacts) -> RunFacts:
        return line.model_copy(update={"cost": priced}) if line.run_id == unpriced.run_id else line

    found = checked(batch, report=remade(batch.report, forge))[1]
    assert f"runs/{unpriced.run_id}.json#/cost" in [difference.place for difference in found]


def test_a_verdict_flipped_in_a_line_alone_no_longer_fits_the_counts() -> None:
    batch = batch_of(GOLD)
    body = batch.report.body()
    line = next(line for line in body["runs"] if line["verdict"] == "fail")
    line |= {"verdict": "pass", "failure_reasons": []}
    found = told(batch, report=Report.model_validate(body))
    assert any(entry.startswith(f"{REPORT}#/models/{line['model_key']}/passed") for entry in found)


def test_a_run_that_broke_can_not_be_told_as_passed_where_its_judgment_is_withheld() -> None:
    batch = batch_of(GOLD)
    broke = next(line.run_id for line in batch.report.runs if line.verdict == "invalid")
    flipped = remade(batch.report, of_verdict("invalid", verdict="pass", invalid_reason=None))
    places = [difference.place for difference in checked(batch, report=flipped)[1]]
    assert {f"runs/{broke}.json#/verdict", f"runs/{broke}.json#/invalid_reason"} <= set(places)


@pytest.mark.parametrize("parts", [("judgment",), ("judgment", "steps")])
def test_a_withheld_judgment_is_derived_again_from_the_assertions_that_are_shown(parts: tuple[Withheld, ...]) -> None:
    batch = batch_of(parts)
    failed = next(line.run_id for line in batch.report.runs if line.verdict == "fail")
    flipped = remade(batch.report, of_verdict("fail", verdict="pass", failure_reasons=()))
    places = [difference.place for difference in checked(batch, report=flipped)[1]]
    assert f"runs/{failed}.json#/verdict" in places


def test_a_judgment_can_not_be_flipped_behind_withheld_steps() -> None:
    def flip(body: Any) -> None:
        body["judgment"].update(verdict="pass", failure_reasons=[])

    batch = batch_of(("steps",))
    failed = next(line.run_id for line in batch.report.runs if line.verdict == "fail")
    data = reseal(forged(open_artifact(batch.artifacts[failed]), flip))
    changed = SampleBatch(**{**vars(batch), "artifacts": {**batch.artifacts, failed: data}})
    places = [difference.place for difference in checked(changed)[1]]
    assert f"runs/{failed}.json#/judgment/verdict" in places


def test_an_assertion_that_can_not_be_observed_is_still_the_golds() -> None:
    def ask_less(body: Any) -> None:
        check = next(check for check in body["output_checks"] if "tool_calls" in check["subject"])
        check.update(expected="0")

    batch = batch_of(("steps",))
    data = reseal(forged(open_artifact(batch.artifacts[FIRST]), ask_less))
    changed = SampleBatch(**{**vars(batch), "artifacts": {**batch.artifacts, FIRST: data}})
    assert any(d.place.startswith(place("output_checks/")) for d in checked(changed)[1])


def test_the_reasons_of_a_withheld_judgment_are_told_by_their_kind() -> None:
    batch = batch_of(GOLD)
    full = {run_id: facts_of(open_artifact(data)) for run_id, data in batch.artifacts.items()}
    named = next(run_id for run_id, facts in full.items() if any(r.count(".") > 1 for r in facts.failure_reasons))
    found = checked(batch, report=remade(batch.report, lambda line: full[line.run_id]))[1]
    assert any(difference.place.startswith(f"runs/{named}.json#/failure_reasons") for difference in found)


def revealed(batch: SampleBatch, reveals: Sequence[Reveal]) -> Report:
    """The report after honest reveals: the cases and lines of what is open in full."""
    opened = {reveal.case_id for reveal in reveals}
    full = {run_id: facts_of(open_artifact(data)) for run_id, data in batch.artifacts.items()}
    return remade(
        batch.report,
        lambda line: full[line.run_id] if line.case_id in opened else line,
        cases=[
            PublicCase(question=case.question, gold=case.gold) if case.question.id in opened else case.public
            for case in batch.cases
        ],
        reveals=reveals,
    )


def reveal(*parts: Withheld, case_id: str = CASE_IDS[0], release: int = 2) -> Reveal:
    return Reveal(case_id=CaseId(case_id), parts=parts, release=release)


def opened_files(batch: SampleBatch, case_id: str = CASE_IDS[0]) -> dict[RunId, bytes]:
    return {r: data for r, data in batch.artifacts.items() if open_artifact(data).case.case_id == case_id}


def test_a_case_that_was_revealed_is_held_to_everything() -> None:
    batch = batch_of(GOLD)
    report = revealed(batch, [reveal("judgment", "output_checks", "gold")])
    check, found = checked(batch, report=report, files=opened_files(batch))
    assert [str(difference) for difference in found] == []
    assert (check.withheld["gold"], check.assertions) == (8, 16)


def test_a_reveal_that_left_a_run_as_it_was_is_found() -> None:
    batch = batch_of(GOLD)
    report = revealed(batch, [reveal("judgment", "output_checks", "gold")])
    files = {run_id: data for run_id, data in opened_files(batch).items() if run_id != FIRST}
    found = told(batch, report=report, files=files)
    assert f"{place('judgment')}: section judgment is missing: its batch doesn't withhold it" in found


@pytest.mark.parametrize(
    ("reveals", "message"),
    [
        ([reveal("judgment")], "leaves public what would give a withheld part away"),
        ([reveal("gold")], "leaves public what would give a withheld part away"),
        ([reveal("gold", "judgment", "output_checks")], "not in the order of parts"),
        ([reveal()], "empty"),
        ([reveal("judgment", "output_checks", "gold")] * 2, "wasn't withheld"),
        ([reveal("steps")], "opens steps of case fund-nav, which wasn't withheld"),
        ([reveal("judgment", "output_checks", "gold", case_id="none")], "of case none, which wasn't withheld"),
    ],
)
def test_a_reveal_opens_what_was_withheld_and_nothing_by_halves(reveals: list[Reveal], message: str) -> None:
    batch = batch_of(GOLD)
    found = told(batch, report=remade(batch.report, lambda line: line, reveals=reveals))
    assert any(entry.startswith(f"{REPORT}#/reveals/") and message in entry for entry in found)


def test_reveals_stand_in_the_order_of_their_releases() -> None:
    batch = batch_of(GOLD)
    parts: tuple[Withheld, ...] = ("judgment", "output_checks", "gold")
    reveals = [reveal(*parts, release=3), reveal(*parts, case_id=CASE_IDS[1], release=2)]
    files = opened_files(batch) | opened_files(batch, CASE_IDS[1])
    assert told(batch, report=revealed(batch, reveals), files=files) == [
        f"{REPORT}#/reveals: not in the order of releases"
    ]


def test_a_line_that_is_as_told_is_kept_once() -> None:
    batch = batch_of(GOLD)
    check, _ = checked(batch, report=(report := batch.report))
    assert all(kept is line for kept, line in zip(check._facts, report.runs, strict=True))
