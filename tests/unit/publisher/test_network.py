"""The publisher calls no network. The import contract sees a library as a whole; here its parts are told apart."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
CONTRACT = next(contract for contract in CONTRACTS if contract["name"] == "publisher never calls any network")
HARMLESS = {"urllib.parse"}
SERVER = "publisher.rendering.site.serve"
SERVING = {"http.HTTPStatus", "http.server", "socket"}


def imports(tree: ast.Module) -> Iterator[str]:
    """The modules that a file imports; for `from http import HTTPStatus` the name too, which may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = "." not in node.module and node.module in CONTRACT["forbidden_modules"]
            yield from (f"{node.module}.{alias.name}" if whole else node.module for alias in node.names)


def network_imports(source: str) -> set[str]:
    found = set(imports(ast.parse(source)))
    return {name for name in found if name.split(".")[0] in CONTRACT["forbidden_modules"]} - HARMLESS


def test_no_module_of_the_publisher_imports_what_calls_a_network() -> None:
    users = {}
    for path in sorted((ROOT / "publisher").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found = network_imports(path.read_text(encoding="utf-8"))
        if found - (SERVING if module == SERVER else set()):
            users[module] = found
    assert users == {}


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import http.client",
        "from http import client",
        "def f():\n    import socket",
        "import requests",
        "from aiohttp import ClientSession",
        "import aiohttp",
    ],
)
def test_every_way_to_import_a_client_is_seen(source: str) -> None:
    assert network_imports(source)


def test_quoting_an_address_is_no_call() -> None:
    assert network_imports("from urllib.parse import quote") == set()
