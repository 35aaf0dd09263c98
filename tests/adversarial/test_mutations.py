"""One byte of a release changed, anywhere: `verify` finds it, and nothing joins the release any more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.gates.refusal import RefusalError
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from publisher.releases.writer import Signing
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleSource, WordScanner, make_batch
from tests.factories.logged import OWNER

SCANNER = WordScanner()
SIGNED = Signing(signer=OWNER)
SHARE = 500
"""Changes in one test, so that workers can share all 10,000."""


def small(batch_id: str, **changes: object) -> SampleSource:
    batch = make_batch(batch_id, case_ids=("fund-nav",), model_keys=("careful",), **changes)  # type: ignore[arg-type]
    return SampleSource.of(batch)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed snapshot with everything in it: runs whole, withheld, revealed and withdrawn."""
    target = tmp_path_factory.mktemp("mutations") / "showcase"
    opened = small("batch-1", variants=VARIANTS[:1], withheld=("gold",))
    publish([opened, small("batch-2", variants=VARIANTS[:1], withheld=("steps",))], target, SCANNER, signing=SIGNED)
    publish([small("batch-3")], target, SCANNER, signing=SIGNED)
    reveal(opened, target, SCANNER, signing=SIGNED)
    withdraw(["batch-3-0002"], "The fixture had the wrong day.", target, SCANNER, signing=SIGNED)
    assert verify(target).differences == ()
    return target


def changes(release: Path, count: int, seed: int) -> Iterator[tuple[Path, bytes, int]]:
    """Files with one byte changed, put back when the next is asked for: each file as often as any other, small ones of
    the log too, then any byte."""
    chance = random.Random(seed)
    files = sorted(path for path in release.rglob("*") if path.is_file())
    for _ in range(count):
        file = chance.choice(files)
        good = file.read_bytes()
        at = chance.randrange(len(good))
        bad = bytearray(good)
        bad[at] ^= chance.randrange(1, 256)
        # A file of a release is never written to in place: it may be a link into the one before.
        file.unlink()
        file.write_bytes(bad)
        try:
            yield file, good, at
        finally:
            file.write_bytes(good)


def require_found(release: Path, count: int, seed: int) -> None:
    for file, good, at in changes(release, count, seed):
        found = verify(release)
        assert not found.holds, f"byte {at} of {file.relative_to(release)}: {good[at]} to {file.read_bytes()[at]}"
    assert verify(release).holds


def test_each_of_200_changed_bytes_is_found(release: Path) -> None:
    require_found(release, 200, seed=20260102)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10_000 // SHARE))
def test_each_of_10_000_changed_bytes_is_found(release: Path, part: int) -> None:
    require_found(release, SHARE, seed=part)


def test_nothing_is_published_beside_a_changed_byte(release: Path) -> None:
    more = small("batch-4")
    for file, _, _ in changes(release, 20, seed=7):
        with pytest.raises(RefusalError) as caught:
            publish([more], release, SCANNER, signing=SIGNED)
        assert {fault.code for fault in caught.value.refusal.faults} == {"GATE-CARRIED-001"}, file
