"""Templates carry nothing along that they don't use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from jinja2 import nodes

from publisher.rendering.language.language import ENGLISH
from publisher.rendering.templates.environment import environment_of

TEMPLATES = Path(__file__).parents[4] / "site_templates"


@pytest.fixture(scope="module")
def trees() -> Mapping[str, nodes.Template]:
    """Every template by its name, parsed."""
    paths = {path.relative_to(TEMPLATES).as_posix(): path for path in TEMPLATES.rglob("*.html")}
    return {name: environment_of(ENGLISH).parse(path.read_text("utf-8"), name) for name, path in paths.items()}


def named(tree: nodes.Node, context: str) -> set[str]:
    return {node.name for node in tree.find_all(nodes.Name) if node.ctx == context}


def imported(tree: nodes.Node) -> Iterator[tuple[str, str]]:
    """What is imported: its name in the template that it comes from, and here."""
    for node in tree.find_all(nodes.FromImport):
        for name in node.names:
            yield name if isinstance(name, tuple) else (name, name)


def test_every_import_is_used_where_it_stands(trees: Mapping[str, nodes.Template]) -> None:
    for template, tree in trees.items():
        assert {here for _, here in imported(tree)} <= named(tree, "load"), template


def test_every_macro_and_every_parameter_of_one_is_used(trees: Mapping[str, nodes.Template]) -> None:
    elsewhere = {there for tree in trees.values() for there, _ in imported(tree)}
    for template, tree in trees.items():
        for macro in tree.find_all(nodes.Macro):
            assert macro.name in named(tree, "load") | elsewhere, (template, macro.name)
            used = set().union(*(named(nodes.Scope([part]), "load") for part in macro.body))
            assert {argument.name for argument in macro.args} <= used, (template, macro.name)


def test_every_name_that_is_set_is_read(trees: Mapping[str, nodes.Template]) -> None:
    """In its own template, one that imports it, or the one that it extends."""
    elsewhere = {there for tree in trees.values() for there, _ in imported(tree)} | named(trees["base.html"], "load")
    for template, tree in trees.items():
        written = {name for name in named(tree, "store") if not name.startswith("_")}
        assert written <= named(tree, "load") | elsewhere, template
