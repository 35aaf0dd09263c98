"""Mirrors of one snapshot before and after runs were withdrawn and withheld parts revealed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from publisher.mirror.given import Given
from publisher.mirror.statement import not_checked, proved
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from tests.factories import VARIANTS, SampleSource, WordScanner, make_batch
from tests.unit.publisher.mirror.mirrors import messages, verified

BATCH = make_batch(
    "batch-1",
    case_ids=("fund-nav", "order-history"),
    model_keys=("careful",),
    variants=VARIANTS[:1],
    repeats=2,
    withheld=("gold", "steps"),
)
REASON = "The fixture had the wrong day."


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The snapshot after each of its releases: published, a run withdrawn, everything revealed."""
    place = tmp_path_factory.mktemp("releases")
    target, scanner = place / "now", WordScanner()
    acts: tuple[Callable[[], object], ...] = (
        lambda: publish([SampleSource.of(BATCH)], target, scanner),
        lambda: withdraw(["batch-1-0001"], REASON, target, scanner),
        lambda: reveal(SampleSource.of(BATCH), target, scanner),
    )
    kept = []
    for number, act in enumerate(acts, start=1):
        act()
        kept.append(Path(shutil.copytree(target, place / str(number))))
    return kept


def test_each_release_holds_what_any_before_it_had(releases: list[Path]) -> None:
    first, withdrawn, revealed = releases
    for before, now, counts in (
        (first, withdrawn, (3, 1, 0)),
        (withdrawn, revealed, (1, 0, 3)),
        (first, revealed, (0, 1, 3)),
    ):
        found = verified(now, Given(previous=before, checkpoint=(before / "log" / "checkpoint").read_bytes()))
        assert found.differences == ()
        assert found.extends is True
        assert found.earlier is not None
        assert (found.earlier.same, found.earlier.withdrawn, found.earlier.revealed) == counts


def test_an_older_release_put_back_is_a_rewritten_history(releases: list[Path]) -> None:
    first, withdrawn, _ = releases
    assert verified(first).holds
    assert verified(first, Given(previous=withdrawn)).rewritten
    assert verified(first, Given(checkpoint=(withdrawn / "log" / "checkpoint").read_bytes())).rewritten


def test_one_run_put_back_is_named_by_the_snapshot_and_by_the_earlier_mirror(
    releases: list[Path], tmp_path: Path
) -> None:
    first, withdrawn, _ = releases
    now = Path(shutil.copytree(withdrawn, tmp_path / "now"))
    shutil.copy(first / "runs" / "batch-1-0001.json", now / "runs" / "batch-1-0001.json")
    assert "runs/batch-1-0001.json" in messages(verified(now))
    assert "runs/batch-1-0001.json: was withdrawn" in messages(verified(now, Given(previous=withdrawn)))


def test_what_is_withheld_or_withdrawn_is_said_not_to_have_been_checked(releases: list[Path]) -> None:
    first, withdrawn, revealed = ("\n".join(not_checked(verified(release))) for release in releases)
    assert "withheld of 4 runs: steps, guardrail_checks, result, judgment, output_checks, gold;" in first
    assert "taken as told of 4 runs" in first
    assert "withheld of 3 runs: steps" in withdrawn
    assert "what 1 withdrawn run recorded" in withdrawn
    assert "what 1 withdrawn run recorded" in revealed
    assert "withheld of" not in revealed
    assert "some being withheld" in next(proved(verified(releases[0])))
    assert "some being withheld" not in next(proved(verified(releases[2])))
