"""The committed snapshot is genuine: it verifies from its files alone, holds real runs, and renders."""

from __future__ import annotations

import json
import re
from pathlib import Path

from publisher.mirror.given import read_given
from publisher.mirror.mirror import verify_mirror
from publisher.rendering.site.build import build_site
from publisher.scanning.scanner import default_scanner
from publisher.verification.snapshot import verify

README = Path(__file__).resolve().parents[2] / "README.md"
SHOWCASE = README.with_name("showcase-data")


def test_the_committed_snapshot_verifies_under_the_keys_that_the_readme_names() -> None:
    named = re.findall(r"--key (glassbench\.example/showcase\+\S+)", README.read_text(encoding="utf-8"))
    assert len(named) == 2
    assert verify_mirror(SHOWCASE, read_given(keys=named, checkpoint=None, previous=None)).differences == ()
    found = verify(SHOWCASE)
    assert [str(difference) for difference in found.differences] == []
    assert found.reports >= 1
    assert found.runs >= 20
    assert not found.synthetic


def test_nothing_in_it_is_secret() -> None:
    assert [finding.place for finding in default_scanner().scan_path(SHOWCASE)] == []


def test_every_run_of_it_was_answered_over_the_wire() -> None:
    for path in sorted((SHOWCASE / "runs").iterdir()):
        run = json.loads(path.read_bytes())
        assert run["provenance"]["model"]["wire_api"] == "openai_chat"
        assert all(step["attempts"] for step in run["steps"] if step["kind"] == "model"), path.name


def test_it_renders_with_a_page_for_every_run_and_case(tmp_path: Path) -> None:
    built = build_site(SHOWCASE, tmp_path / "site")
    runs = {path.stem for path in (SHOWCASE / "runs").iterdir()}
    assert {path.stem for path in (tmp_path / "site" / "runs").glob("*.html")} == runs
    assert built.pages > len(runs)
