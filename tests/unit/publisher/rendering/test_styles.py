"""The stylesheet and the templates know one another: no class without a rule, no token without a use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from publisher.rendering.site.assets import STYLESHEET, asset_bytes, template_file

TEMPLATES = Path(__file__).parents[4] / "site_templates"
WITHOUT_A_RULE = {"fold", "model"}
"""Folded texts, which tests look for; the steps that aren't a tool's."""
_ATTRIBUTE = re.compile(r'class="((?:[^"{]|\{\{.*?\}\}|\{%.*?%\})*)"')
_FILLED, _CONDITION = re.compile(r"\{\{.*?\}\}"), re.compile(r"\{%.*?%\}")
_DISTANCE = re.compile(r"(?<![\w-])(?:(?:margin|padding)(?:-[a-z]+)*|(?:row-|column-)?gap): ([^;}]+)")
_SIZE = re.compile(r"(?<![\w-])font-size: ([^;}]+)")


def styles() -> str:
    return re.sub(r"/\*.*?\*/", "", asset_bytes(STYLESHEET).decode(), flags=re.DOTALL)


def tokens() -> dict[str, str]:
    """Each token by its name, in the light theme."""
    light = template_file("styles/tokens.css").decode().partition("@media")[0]
    return dict(re.findall(r"(--[\w-]+): ([^;]+);", light))


def classes() -> Iterator[tuple[str, str]]:
    """Each class that a template names by itself, with the template."""
    for path in TEMPLATES.rglob("*.html"):
        for found in _ATTRIBUTE.findall(path.read_text("utf-8")):
            for name in _CONDITION.sub(" ", _FILLED.sub("…", found)).split():
                if "…" not in name:
                    yield name, path.name


def test_every_class_of_a_template_has_a_rule() -> None:
    ruled = set(re.findall(r"\.([a-zA-Z][\w-]*)", styles()))
    assert {(name, where) for name, where in classes() if name not in ruled | WITHOUT_A_RULE} == set()
    assert {name for name, _ in classes()} >= {*WITHOUT_A_RULE, "note", "verdict", "equal"}


def test_every_token_is_used_and_each_that_is_used_is_there() -> None:
    assert set(re.findall(r"var\((--[\w-]+)", styles())) == set(tokens())


def test_what_a_token_says_is_said_by_the_token() -> None:
    rules = "".join(path.read_text("utf-8") for path in (TEMPLATES / "styles").glob("*.css") if path.stem != "tokens")
    sizes = {value for name, value in tokens().items() if name.startswith("--text-")}
    spaces = {value for name, value in tokens().items() if name.startswith("--space-")}
    assert sizes.isdisjoint(_SIZE.findall(rules))
    assert spaces.isdisjoint(value for found in _DISTANCE.findall(rules) for value in found.split())
