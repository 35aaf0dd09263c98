"""Whatever prints a page is part of the hash that kept pages stand under."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

from publisher.rendering.building.fingerprint import fingerprint

MODULE = fingerprint.__module__


@pytest.mark.parametrize(
    "library",
    ["babel", "jinja2", "markdown-it-py", "markupsafe", "numpy", "orjson", "pydantic", "pydantic-core", "rfc8785"],
)
def test_another_version_of_a_library_renders_anew(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.__wrapped__()
    monkeypatch.setattr(f"{MODULE}.version", lambda name: "99.0" if name == library else version(name))
    assert fingerprint.__wrapped__() != before


def test_another_python_renders_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.__wrapped__()
    monkeypatch.setattr(f"{MODULE}.python_version", lambda: "3.99.0")
    assert fingerprint.__wrapped__() != before


@pytest.mark.parametrize("name", ["base.html", "macros/*.html", "translations/zh/*.po", "*.js", "styles/*.css", "*.md"])
def test_another_template_translation_or_asset_renders_anew(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "site_templates"
    shutil.copytree(str(files("site_templates")), templates)
    monkeypatch.setattr(f"{MODULE}.files", lambda package: templates if package == "site_templates" else files(package))
    before = fingerprint.__wrapped__()
    changed = sorted(templates.rglob(name))[0]
    changed.write_bytes(changed.read_bytes() + b" ")
    assert fingerprint.__wrapped__() != before
