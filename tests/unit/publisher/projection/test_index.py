from __future__ import annotations

import pytest
from pydantic import ValidationError

from dataset.record import BatchId
from publisher.projection.index import Index, NewReport, index_at, next_index


def report(batch_id: str, *, finished_at: str = "2026-01-01T00:00:00.000Z", synthetic: bool = False) -> NewReport:
    return NewReport(batch_id=BatchId(batch_id), sha256="a" * 64, runs=3, synthetic=synthetic, finished_at=finished_at)


def test_the_first_release_has_number_1_and_ends_with_its_last_run() -> None:
    index = next_index(None, [report("b"), report("a", finished_at="2026-02-01T00:00:00.000Z")])
    (release,) = index.releases
    assert (release.number, release.published_at) == (1, "2026-02-01T00:00:00.000Z")
    assert release.batches == ("a", "b")
    assert [entry.batch_id for entry in index.reports] == ["a", "b"]


def test_a_later_release_leaves_what_stood_as_it_was() -> None:
    first = next_index(None, [report("m")])
    second = next_index(first, [report("a")])
    assert second.releases[0] == first.releases[0]
    assert [(entry.batch_id, entry.release) for entry in second.reports] == [("a", 2), ("m", 1)]


def test_a_synthetic_report_marks_the_index() -> None:
    assert next_index(None, [report("a", synthetic=True)]).synthetic


@pytest.mark.parametrize("batch_id", ["../x", "A", "", "a/b", "a" * 65, "a\n"])
def test_a_batch_id_that_is_no_safe_file_name_is_refused(batch_id: str) -> None:
    body = next_index(None, [report("a")]).body()
    body["reports"][0]["batch_id"] = batch_id
    with pytest.raises(ValidationError):
        Index.model_validate(body)


REVISED = {BatchId("a"): "b" * 64}


def test_a_release_that_only_revises_has_the_time_of_the_one_before_and_leaves_each_report_where_it_came_from() -> None:
    first = next_index(None, [report("a"), report("b")])
    second = next_index(first, [], revised=REVISED, log="example.org/bench")
    assert second.releases[1].body() == {
        "number": 2,
        "published_at": first.releases[0].published_at,
        "batches": [],
        "revised": ["a"],
    }
    assert [(entry.sha256[:1], entry.release) for entry in second.reports] == [("b", 1), ("a", 1)]
    assert second.log == "example.org/bench"


def test_a_first_release_that_adds_nothing_is_no_release() -> None:
    with pytest.raises(IndexError):
        next_index(None, [], revised=REVISED)


def test_a_release_that_revises_nothing_is_written_as_it_was_before_there_were_revisions() -> None:
    assert "revised" not in next_index(None, [report("a")]).releases[0].body()


def test_the_index_of_an_earlier_release_is_the_one_that_it_wrote() -> None:
    first = next_index(None, [report("m")])
    second = next_index(first, [report("a")])
    third = next_index(second, [report("z")], log="example.org/bench")
    assert index_at(third, 1).canonical == first.canonical
    assert index_at(third, 2).canonical == second.canonical


def test_a_synthetic_snapshot_stays_one_when_it_is_revised() -> None:
    first = next_index(None, [report("a", synthetic=True)])
    assert next_index(first, [], revised=REVISED).synthetic
