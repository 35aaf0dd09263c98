"""A run and a case lead on to the pages that put runs side by side, and each of those exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.rendering.compare.matchup import matchups_of
from publisher.rendering.compare.paired_runs import ComparedCase, compared_cases, paired_runs, pairs_of_case
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.pages.runs import run_pages
from publisher.rendering.snapshot.snapshot import PublishedBatch, Snapshot
from tests.factories import make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage


def batches(snapshot: Path) -> tuple[PublishedBatch, ...]:
    return Snapshot(snapshot).batches


def test_every_pair_is_known_from_both_of_its_runs(snapshot: Path) -> None:
    for batch in batches(snapshot):
        found = matchups_of(batch)
        paired = paired_runs(found)
        for matchup in found.all:
            for pairing in matchup.pairings:
                if pairing.left is None or pairing.right is None:
                    continue
                ours, theirs = pairing.left.run_id, pairing.right.run_id
                (one,) = [link for link in paired[ours] if link.run.run_id == theirs]
                (other,) = [link for link in paired[theirs] if link.run.run_id == ours]
                assert one.beside(ours) == other.beside(theirs)
                assert bool(one.model) is (matchup.contrast is None)


def test_a_run_leads_to_the_other_models_run_of_its_case_and_on_to_the_comparison(pages: dict[str, HtmlPage]) -> None:
    runs = {name: page for name, page in pages.items() if name.startswith("runs/batch-1-")}
    assert runs
    for name, page in runs.items():
        beside = [link.removeprefix("../") for link in page.links if link.startswith("../beside/")]
        assert len(beside) == len(set(beside)) >= 2, name
        assert set(beside) <= set(pages), name
        assert sum(link.startswith("../compare/batch-1/models.") for link in page.links) == 2


def test_a_case_leads_to_its_runs_side_by_side(pages: dict[str, HtmlPage]) -> None:
    cases = {name: page for name, page in pages.items() if name.startswith("cases/")}
    assert cases
    for name, page in cases.items():
        beside = {link.removeprefix("../") for link in page.links if link.startswith("../beside/")}
        assert beside, name
        assert beside <= set(pages), name
        assert any(link.startswith("../compare/") for link in page.links), name


def test_a_case_lists_first_what_came_out_differently_and_says_how_many_pairs_it_leaves_out(
    snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publisher.rendering.compare.paired_runs.MOST_PAIRS", 3)
    found = compared_cases([matchups_of(batch) for batch in batches(snapshot)])
    assert found
    for compared in found.values():
        told = pairs_of_case(compared)
        pairs = [pairing for one in compared for pairing in one.pairings]
        parted = [pairing for pairing in pairs if pairing.outcome in ("won", "lost")]
        assert listed(told.parted) == min(3, len(parted))
        assert listed(told.parted) + listed(told.alike) == min(3, len(pairs))
        assert told.further == len(pairs) - min(3, len(pairs))
        assert told.alike_count == listed(told.alike)


def listed(compared: tuple[ComparedCase, ...]) -> int:
    return sum(len(one.pairings) for one in compared)


def test_no_run_of_a_withdrawn_batch_is_paired(tmp_path: Path) -> None:
    batch = make_batch("batch-1")
    gone = Change(withdrawn=dict.fromkeys(batch.artifacts, "Its fixture was wrong."))
    (found,) = batches(write_released(tmp_path, [batch], gone))
    assert paired_runs(matchups_of(found)) == {}


def test_a_later_release_leaves_the_keys_of_earlier_runs_as_they_are(tmp_path: Path) -> None:
    def keys(folder: str, *names: str) -> dict[str, str]:
        snapshot = write_snapshot(tmp_path / folder, [make_batch(name, case_ids=("fund-nav",)) for name in names])
        source = SiteSource(snapshot=Snapshot(snapshot))
        jobs = [job for job in run_pages.jobs(source) if job.batch.report.batch_id == "batch-1"]
        return {job.place.facts.run_id: run_pages.key(source, job) for job in jobs}

    assert keys("one", "batch-1") == keys("two", "batch-1", "batch-2")
