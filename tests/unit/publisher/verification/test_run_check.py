"""Every check of a run names the sections that it reads: it must do without all others, and without none of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.definition import planned_runs
from dataset.artifacts.disclosure import open_disclosed, withhold
from dataset.measures.observation import observe
from dataset.questions.withholding import WITHHELD, closed
from publisher.verification.agreement import AGREEMENT_CHECKS, Promise
from publisher.verification.assertions import ASSERTION_CHECKS
from publisher.verification.difference import Difference
from publisher.verification.observation import READ_BY, is_observable
from publisher.verification.record import RECORD_CHECKS
from publisher.verification.run_check import made, run_check, shows
from tests.factories import CASE_IDS, SampleBatch, Scenario, make_batch

SCENARIOS: tuple[Scenario, ...] = ("pass", "fail", "refused", "invalid", "unstarted", "stopped", "truncated")
HIDEABLE = tuple(name for name in SECTION_NAMES if name != "provenance")
CLOSED = sorted({closed(parts) for size in range(3) for parts in combinations(WITHHELD, size)})
Check = Callable[[Artifact], Iterator[Difference]]


@cache
def batch_of(scenario: Scenario) -> SampleBatch:
    return make_batch(
        case_ids=CASE_IDS[:1], model_keys=("careful",), scenario=lambda planned: scenario, synthetic=False
    )


@cache
def artifact_of(scenario: Scenario, hidden: Collection[str] = ()) -> Artifact:
    data = next(iter(batch_of(scenario).artifacts.values()))
    return open_disclosed(withhold(data, hidden)).artifact


def checks_of(scenario: Scenario) -> dict[str, tuple[frozenset[str], Check]]:
    """Every check as a function of the artifact alone, with its sections, by name."""
    batch = batch_of(scenario)
    planned = next(planned_runs(batch.definition, batch.batch_id))
    promise = Promise(
        batch_id=batch.batch_id,
        definition=batch.definition,
        definition_hash=batch.definition.digest(),
        questions=batch.pack.questions,
        variants=batch.pack.variants,
        catalogue=batch.pack.catalogue,
    )
    gold = batch.cases[0].gold
    found: list[tuple[str, frozenset[str], Check]] = [
        *(
            (f"agreement {c.name}", c.needs, lambda a, c=c: c.differences(a, planned, promise))
            for c in AGREEMENT_CHECKS
        ),
        *((f"record {c.name}", c.needs, lambda a, c=c: c.differences(a)) for c in RECORD_CHECKS),
        *((f"gold {c.name}", c.needs, lambda a, c=c: c.differences(a, gold)) for c in ASSERTION_CHECKS),
    ]
    assert len({(name, needs) for name, needs, _ in found}) == len(found)
    return {f"{name} of {' '.join(sorted(needs))}": (needs, check) for name, needs, check in found}


NAMES = sorted(checks_of("pass"))


@pytest.mark.parametrize("name", NAMES)
def test_a_check_does_without_every_section_that_it_does_not_need(name: str) -> None:
    for scenario in SCENARIOS:
        needs, check = checks_of(scenario)[name]
        others = tuple(section for section in HIDEABLE if section not in needs)
        assert list(check(artifact_of(scenario, others))) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_check_can_not_do_without_any_section_that_it_needs(name: str) -> None:
    needs, _ = checks_of("pass")[name]
    for section in needs:
        assert any(stumbles(name, scenario, section) for scenario in SCENARIOS), section


def stumbles(name: str, scenario: Scenario, section: str) -> bool:
    try:
        list(checks_of(scenario)[name][1](artifact_of(scenario, (section,))))
    except AttributeError as error:
        return section in str(error)
    return False


@pytest.mark.parametrize("hidden", CLOSED, ids=" ".join)
def test_honest_runs_show_nothing_whatever_is_withheld(hidden: tuple[str, ...]) -> None:
    for scenario in SCENARIOS:
        artifact = artifact_of(scenario, hidden)
        for name, (needs, check) in checks_of(scenario).items():
            if shows(artifact, *needs):
                assert [str(found) for found in check(artifact)] == [], name


def test_a_check_is_made_exactly_where_all_its_sections_are_shown() -> None:
    def told(artifact: Artifact) -> Iterator[Difference]:
        yield Difference(place=artifact.run_id, expected="", observed="", message="made")

    check = run_check(told, "steps", "result")
    assert (check.name, sorted(check.needs)) == ("told", ["result", "steps"])
    assert len(list(made([check], artifact_of("pass")))) == 1
    assert len(list(made([check], artifact_of("pass", ("case",))))) == 1
    assert list(made([check], artifact_of("pass", ("steps",)))) == []


SUBJECTS: list[dict[str, Any]] = [
    {"measure": "tool_calls", "tool": "fund_nav", "arguments": {"code": ["000001"]}, "outcome": "executed"},
    {"measure": "calls_outside", "tools": []},
    {"measure": "call_order", "calls": [{"tool": "fund_nav", "arguments": {}}]},
    {"measure": "call_count"},
    {"measure": "answer_given"},
    {"measure": "answer_mentions", "any_of": ["NAV"]},
    {"measure": "answer_number", "value": "1.2345", "source": "fund_nav"},
    {"measure": "answer_number", "value": "000001", "source": "question"},
    {"measure": "answer_number", "value": "1", "source": "context"},
    {"measure": "context_mentions", "any_of": ["note"]},
    {"measure": "corrections", "code": None},
    {"measure": "required_items_lost"},
    {"measure": "untrusted_exposed"},
]


@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
def test_a_measure_reads_the_sections_that_are_named_for_it_and_no_other(subject: dict[str, Any]) -> None:
    whole = artifact_of("pass")
    for size in range(len(HIDEABLE) + 1):
        for hidden in combinations(HIDEABLE, size):
            artifact = artifact_of("pass", hidden)
            if is_observable(subject, artifact):
                assert observe(subject, artifact) == observe(subject, whole)
    read = [section for section in HIDEABLE if not is_observable(subject, artifact_of("pass", (section,)))]
    assert read
    missed = [section for section in read if not_observed(subject, section)]
    # where its source doesn't hold a number, the answer isn't looked at
    assert missed == read or (subject["measure"] == "answer_number" and missed == read[:1])


def not_observed(subject: dict[str, Any], section: str) -> bool:
    try:
        observe(subject, artifact_of("pass", (section,)))
    except AttributeError as error:
        return section in str(error)
    return False


def test_the_sections_of_every_measure_are_named() -> None:
    assert {str(subject["measure"]) for subject in SUBJECTS} == set(READ_BY)
