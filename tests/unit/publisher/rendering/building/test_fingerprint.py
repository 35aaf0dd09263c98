"""Whatever prints a page is part of the hash that kept pages stand under."""

from __future__ import annotations

import ast
import shutil
from importlib.metadata import packages_distributions, version
from importlib.resources import files
from pathlib import Path

import pytest

from publisher.rendering.building.fingerprint import LIBRARIES, fingerprint

MODULE = fingerprint.__module__
ROOT = Path(__file__).parents[5]
PRINT_NOTHING = {"annotated-types", "bm25s", "cryptography", "jsonschema", "platformdirs", "rich"}
"""They check records and signatures, rank tools, name folders and speak to a terminal: no page has a byte of theirs."""


def reached_libraries(start: str) -> set[str]:
    """The distributions of every library that a module imports, or one of ours that it imports does."""
    distributions, seen, waiting, found = packages_distributions(), set[str](), [start], set[str]()
    while waiting:
        name = waiting.pop()
        path = ROOT / f"{name.replace('.', '/')}.py"
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import():
                    names = [alias.name for alias in node.names]
                case ast.ImportFrom(module=str(module)):
                    names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
                case _:
                    continue
            waiting += names
            found |= {dist.lower() for name in names for dist in distributions.get(name.partition(".")[0], [])}
    return found - {"glassbench"}


def test_every_library_that_a_site_is_made_with_is_known() -> None:
    assert reached_libraries("publisher.rendering.site.build") - {"pydantic-core"} == (
        {*LIBRARIES} - {"pydantic-core"} | PRINT_NOTHING
    )


@pytest.mark.parametrize("library", LIBRARIES)
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
