"""Whatever prints a page is part of the hash that kept pages stand under."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from publisher.rendering.building.fingerprint import fingerprint

MODULE = fingerprint.__module__


@pytest.mark.parametrize("library", ["babel", "jinja2", "markdown-it-py", "markupsafe", "pydantic", "pydantic-core"])
def test_another_version_of_a_library_renders_anew(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.__wrapped__()
    monkeypatch.setattr(f"{MODULE}.version", lambda name: "99.0" if name == library else version(name))
    assert fingerprint.__wrapped__() != before


def test_another_python_renders_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.__wrapped__()
    monkeypatch.setattr(f"{MODULE}.python_version", lambda: "3.99.0")
    assert fingerprint.__wrapped__() != before
