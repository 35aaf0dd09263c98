"""The key of the whole snapshot: another for any other snapshot, the same for the same one elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publisher.exports.address import site_address
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.logged import OWNER, write_logged_snapshot
from tests.factories.released import Change, write_released

CASES = ("fund-nav", "order-history")


def written(folder: Path, change: Change | None = None, signer: Any = None, count: int = 2, **options: Any) -> Path:
    options = {"case_ids": CASES, "withheld": ("steps", "result"), **options}
    batches = [make_batch(f"batch-{number}", **options) for number in range(count)]
    return write_released(folder, batches, change or Change(), signers=[signer] * (count + bool(change)))


def whole(folder: Path, **options: Any) -> str:
    return SiteSource(snapshot=Snapshot(folder), **options).whole


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("whole") / "base")


def test_the_same_snapshot_elsewhere_has_the_same_key(base: Path, tmp_path: Path) -> None:
    assert whole(written(tmp_path / "same")) == whole(base)


CHANGES: dict[str, Callable[[Path], Path]] = {
    "a run is withdrawn": lambda to: written(to, Change(withdrawn={"batch-1-0003": "Its fixture had the wrong day."})),
    "a part is revealed": lambda to: written(to, Change(revealed={("batch-1", "fund-nav"): ("steps", "result")})),
    "a release comes": lambda to: written(to, count=3),
    "a model has another key": lambda to: written(to, model_keys=("careful", "renamed")),
    "other names and notes": lambda to: written(to, text="Otherwise."),
    "a signed log": lambda to: written(to, signer=OWNER),
    "a scripted model": lambda to: written(to, synthetic=True),
    "a batch that is judged again": lambda to: written(to, replay_of="batch-0"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_snapshot_has_another_key(base: Path, tmp_path: Path, change: str) -> None:
    assert whole(CHANGES[change](tmp_path / "other")) != whole(base)


def test_a_run_s_file_alone_changes_it(tmp_path: Path) -> None:
    folder = written(tmp_path / "snapshot")
    before = whole(folder)
    (folder / "runs/batch-1-0002.json").write_bytes(b"{}")
    assert whole(folder) != before


def test_another_address_changes_it(base: Path) -> None:
    assert whole(base, address=site_address("https://example.org/results/")) != whole(base)


def test_a_log_changes_it(base: Path, tmp_path: Path) -> None:
    batch = make_batch("batch-0", case_ids=CASES)
    write_logged_snapshot(tmp_path / "logged", [batch])
    without = write_released(tmp_path / "without", [batch])
    assert whole(tmp_path / "logged") != whole(without)
