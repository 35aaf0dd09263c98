"""Sites of snapshots that publish, reveal and withdraw made: what the pages tell is what verification finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dataset.questions.withholding import Withheld, closed
from publisher.mirror.given import Given
from publisher.mirror.mirror import verify_mirror
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from publisher.releases.writer import Signing
from publisher.rendering.site.build import build_site
from tests.factories import SampleSource, WordScanner, make_batch
from tests.factories.release_logs import SIGNER
from tests.unit.publisher.rendering.html_page import HtmlPage

REASON = "The fixture had the wrong day."


def words(path: Path) -> str:
    return " ".join(HtmlPage.read(path).text.split())


@pytest.mark.parametrize("part", ["case", "visible_tools", "gold"])
def test_a_release_after_another_renders_and_verifies(tmp_path: Path, part: Withheld) -> None:
    snapshot, site = tmp_path / "snapshot", tmp_path / "site"
    batch = make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",), withheld=closed((part,)))
    signing = Signing(signer=SIGNER)
    publish([SampleSource.of(batch)], snapshot, WordScanner(), signing=signing)
    build_site(snapshot, site)
    assert "Here would stand" in words(site / "runs/batch-1-0001.html")
    assert verify_mirror(site, Given()).holds
    withdraw(["batch-1-0002"], REASON, snapshot, WordScanner(), signing=signing)
    build_site(snapshot, site)
    assert f"Withdrawn in release 2: {REASON}" in words(site / "runs/batch-1-0002.html")
    assert verify_mirror(site, Given()).holds
    reveal(SampleSource.of(batch), snapshot, WordScanner(), signing=signing)
    build_site(snapshot, site)
    assert "Here would stand" not in words(site / "runs/batch-1-0001.html")
    assert "Withheld until release 3" in words(site / "runs/batch-1-0001.html")
    assert f"signed by {SIGNER.name}" in words(site / "releases.html")
    assert verify_mirror(site, Given()).holds
