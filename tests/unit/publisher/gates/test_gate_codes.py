"""Every gate is a file with codes of its own, explained in the reference, evaluated always, skipped by nothing."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from publisher.cli.commands import mount
from publisher.gates.examination import Examination
from tests.factories import WordScanner

REPOSITORY = Path(__file__).parents[4]
CODE = re.compile(r"\b(?:GATE|PUBLISH|WITHDRAW|REVEAL|KEY|VERIFY)-[A-Z]+-\d{3}\b")
GATES = sorted((REPOSITORY / "publisher" / "gates").glob("*.py"))
NO_GATE = {"__init__", "concealed", "examination", "interface", "leak", "refusal"}
"""What gates are made of, or put together with; each of these tells no fault of its own."""


def module_of(path: Path) -> ModuleType:
    return import_module(f"publisher.gates.{path.stem}")


def gate_classes() -> set[type]:
    """The classes of the folder that check a run or a batch."""
    found: set[type] = set()
    for path in GATES:
        module = module_of(path)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            protocol = getattr(kind, "_is_protocol", False)
            checks = hasattr(kind, "run_faults") or hasattr(kind, "batch_faults")
            if kind.__module__ == module.__name__ and checks and not protocol:
                found.add(kind)
    return found


def test_every_gate_code_is_explained_and_every_explained_code_exists() -> None:
    explained = set(CODE.findall((REPOSITORY / "docs" / "reference" / "gate-codes.md").read_text()))
    folders = ("gates", "projection", "releases", "release_log", "mirror", "cli")
    sources = [path for folder in folders for path in (REPOSITORY / "publisher" / folder).glob("*.py")]
    raised = {code for source in sources for code in CODE.findall(source.read_text())}
    # the error that carries a refusal has a code of its own and stands for all of them
    assert explained == raised - {f"{act}-REFUSED-001" for act in ("PUBLISH", "WITHDRAW", "REVEAL")}


@pytest.mark.parametrize("path", [path for path in GATES if path.stem not in NO_GATE], ids=lambda path: path.stem)
def test_a_gate_has_codes_of_one_family_that_no_other_file_has(path: Path) -> None:
    own = {code for code in CODE.findall(path.read_text()) if code.startswith("GATE-")}
    assert len({code.rsplit("-", 1)[0] for code in own}) == 1
    constants = {value for value in vars(module_of(path)).values() if isinstance(value, str) and CODE.fullmatch(value)}
    assert constants == own
    for other in GATES:
        assert other == path or not own & set(re.findall(r'"(GATE-[A-Z]+-\d{3})"', other.read_text()))


@pytest.mark.parametrize("name", sorted(NO_GATE))
def test_what_is_no_gate_has_no_gate_code(name: str) -> None:
    assert not any(code.startswith("GATE-") for code in CODE.findall((GATES[0].parent / f"{name}.py").read_text()))


def test_every_gate_is_evaluated() -> None:
    examination = Examination(WordScanner())
    wired = {type(gate) for gate in (*examination._run_gates, *examination._batch_gates)}
    assert wired == gate_classes()


def test_a_gate_that_checks_runs_and_batches_is_evaluated_on_both() -> None:
    examination = Examination(WordScanner())
    for gates, method in ((examination._run_gates, "run_faults"), (examination._batch_gates, "batch_faults")):
        assert {type(gate) for gate in gates} == {kind for kind in gate_classes() if hasattr(kind, method)}


def test_nothing_that_publishes_can_be_told_to_skip_a_gate() -> None:
    assert list(inspect.signature(Examination.__init__).parameters) == ["self", "scanner"]
    assert list(inspect.signature(Examination.examine).parameters) == ["self", "source", "withheld"]


FORBIDDEN = re.compile(r"skip|force|ignore|allow|override|unsafe|gate|no-?(?:scan|verify|check)|yes|trust", re.I)


def options() -> list[tuple[str, str]]:
    """Every option of every command of the publisher."""
    app = typer.Typer()
    mount(app, known_values=lambda models: {})
    found: list[tuple[str, str]] = []
    waiting = [("", get_command(app))]
    while waiting:
        name, command = waiting.pop()
        if isinstance(command, TyperGroup):
            waiting += [(f"{name} {key}".strip(), inner) for key, inner in command.commands.items()]
        else:
            found += [(name, option) for param in command.params for option in (*param.opts, *param.secondary_opts)]
    return found


def test_no_option_skips_a_gate() -> None:
    found = options()
    assert {name for name, _ in found} >= {"publish", "verify", "scan"}
    assert [(name, option) for name, option in found if FORBIDDEN.search(option)] == []
