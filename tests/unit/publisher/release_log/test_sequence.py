"""What may follow what in a log."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from publisher.release_log.entry import LogEntry, RevealEntry, RunEntry
from publisher.release_log.sequence import EntryOrder, arranged
from tests.factories.release_logs import added, end, release, report, run, sha, withdrawal


def reveal(batch: str, number: int) -> RevealEntry:
    return RevealEntry(run_id=run(batch, number).run_id, sections=("steps",))


def first_fault(entries: Sequence[LogEntry]) -> str | None:
    order = EntryOrder()
    return next((found for found in map(order.take, entries) if found is not None), None)


FIRST = (*release(1, "a", 3), *release(2, "c", 2))


def test_a_release_is_arranged_by_ids_and_every_part_may_follow() -> None:
    entries = arranged(
        end(3),
        revised=[report("c", "new"), report("a", "new")],
        reveals=[reveal("c", 0), reveal("a", 2)],
        withdrawals=[withdrawal("a", 1), withdrawal("a", 0)],
        batches=[added("d", 2), added("b", 1)],
    )
    assert [f"{entry.kind} {getattr(entry, 'run_id', getattr(entry, 'batch_id', ''))}" for entry in entries] == [
        *("run b-0000", "report b", "run d-0000", "run d-0001", "report d"),
        *("withdrawal a-0000", "withdrawal a-0001", "reveal a-0002", "reveal c-0000", "report a", "report c"),
        "release ",
    ]
    assert first_fault((*FIRST, *entries)) is None


def test_a_run_is_withdrawn_and_revealed_from_the_release_on_that_follows_its_own() -> None:
    later: list[LogEntry] = [withdrawal("d", 0), reveal("d", 1), report("d", "new"), end(4)]
    assert first_fault((*FIRST, *release(3, "d", 2), *later)) is None


def test_runs_keep_the_order_of_their_report() -> None:
    batch = added("b", 3)
    backwards: list[LogEntry] = [*reversed(batch.runs), batch.report, end(1)]
    assert first_fault(backwards) is None


HASH_OF_ANOTHER = RunEntry.model_validate({"run_id": "a-0009", "batch_id": "a", "artifact_hash": sha("x")})


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([run("b", 0), end(3)], "before their report"),
        ([run("b", 0), withdrawal("a", 0)], "before their report"),
        ([run("b", 0), run("d", 0)], "among those of b"),
        ([run("b", 0), report("d")], "follows runs of batch b"),
        ([run("b", 0), report("a")], "follows runs of batch b"),
        ([run("b", 0), run("b", 0)], "stands in the log already"),
        ([run("a", 0)], "stands in the log already"),
        ([HASH_OF_ANOTHER], "batch a stands in the log already"),
        ([*release(3, "b", 1)[:2], run("b", 7)], "batch b stands in the log already"),
        ([*release(3, "b", 1)[:2], report("b")], "batch b stands in the log already"),
        ([*release(3, "d", 1)[:2], *release(3, "b", 1)], "out of order"),
        ([withdrawal("a", 1), withdrawal("a", 0)], "out of order"),
        ([withdrawal("a", 1), withdrawal("a", 1)], "withdrawn before"),
        ([withdrawal("a", 7)], "no such run"),
        ([withdrawal("a", 0).changed(artifact_hash=sha("another"))], "not the hash"),
        ([withdrawal("a", 0), *release(3, "d", 1)], "out of order"),
        ([reveal("a", 0), withdrawal("a", 0)], "out of order"),
        ([reveal("a", 7)], "no such run"),
        ([withdrawal("a", 0), reveal("a", 0)], "withdrawn before"),
        ([reveal("a", 0), reveal("a", 0)], "out of order"),
        ([withdrawal("a", 0), report("a", "new"), reveal("a", 0)], "withdrawn before"),
        ([withdrawal("a", 0), report("a", "new"), reveal("a", 1)], "out of order"),
        ([reveal("a", 0), reveal("c", 0), report("c", "new"), report("a", "new")], "out of order"),
        ([withdrawal("a", 0), report("a", "new"), report("a", "newer")], "out of order"),
        ([report("a", "new")], "withdraws and reveals no run of its batch"),
        ([withdrawal("c", 0), report("a", "new")], "withdraws and reveals no run of its batch"),
        ([reveal("a", 0), end(3), report("a", "new")], "withdraws and reveals no run of its batch"),
        ([withdrawal("a", 0), report("a")], "the same report as before"),
        (
            [reveal("a", 0), report("a", "new"), end(3), reveal("a", 1), report("a", "new")],
            "the same report as before",
        ),
        ([*release(3, "d", 1)[:2], withdrawal("d", 0)], "the release that brought its run isn't over"),
        ([*release(3, "d", 1)[:2], reveal("d", 0)], "the release that brought its run isn't over"),
        ([end(4)], "where release 3 ends"),
        ([end(2)], "where release 3 ends"),
    ],
)
def test_an_entry_out_of_place_is_told(entries: list[LogEntry], words: str) -> None:
    found = first_fault((*FIRST, *entries))
    assert found is not None
    assert words in found
