"""A snapshot with a signed log, and the site that is rendered from it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from publisher.rendering.site.build import build_site
from tests.factories.logged import OWNER, write_logged_snapshot
from tests.unit.publisher.mirror.mirrors import small_batch


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`snapshot` and `site`, which no test may change."""
    place = tmp_path_factory.mktemp("published")
    write_logged_snapshot(place / "snapshot", [small_batch("batch-1"), small_batch("batch-2")], signer=OWNER)
    build_site(place / "snapshot", place / "site")
    return place


@pytest.fixture
def snapshot(published: Path, tmp_path: Path) -> Path:
    """A copy of the snapshot."""
    return Path(shutil.copytree(published / "snapshot", tmp_path / "snapshot"))


@pytest.fixture
def site(published: Path, tmp_path: Path) -> Path:
    """A copy of the site."""
    return Path(shutil.copytree(published / "site", tmp_path / "site"))
