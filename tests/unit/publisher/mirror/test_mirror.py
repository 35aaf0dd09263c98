"""A mirror that changes while it is verified is verified as one of the two that it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.mirror import mirror
from publisher.mirror.pages import PageFindings, page_findings
from publisher.rendering.site.build import build_site
from tests.factories.logged import OWNER, write_logged_snapshot
from tests.unit.publisher.mirror.mirrors import small_batch, verified


def test_a_site_that_is_built_anew_while_it_is_verified_is_verified_as_the_new_one(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = [small_batch("batch-1"), small_batch("batch-2"), small_batch("batch-3")]
    write_logged_snapshot(tmp_path / "next", batches, signer=OWNER)
    build_site(tmp_path / "next", tmp_path / "fresh")
    looks: list[Path] = []

    def swapping(directory: Path) -> PageFindings:
        if not looks:
            site.rename(tmp_path / "old")
            (tmp_path / "fresh").rename(site)
        looks.append(directory)
        return page_findings(directory)

    monkeypatch.setattr(mirror, "page_findings", swapping)
    found = verified(site)
    assert found.differences == ()
    assert found.snapshot.batches == ("batch-1", "batch-2", "batch-3")
    assert len(looks) == 2
