"""What a person reads of one run."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.console import printable
from engine.cli.run_show import SHOWN_CHARACTERS, _lines
from tests.factories import Scenario, make_batch


def shown(scenario: Scenario, text: str = "") -> tuple[Artifact, str]:
    batch = make_batch("b", scenario=lambda _: scenario, text=text)
    artifact = open_artifact(next(iter(batch.artifacts.values())))
    return artifact, "\n".join(printable(line) for line in _lines(artifact))


@pytest.mark.parametrize(
    ("scenario", "verdict", "said"),
    [
        ("pass", "PASS", "ok   "),
        ("fail", "FAIL", "FAIL "),
        ("refused", "PASS", "denied    G"),
        ("invalid", "INVALID", "error     "),
    ],
)
def test_each_kind_of_run_shows_its_verdict_and_why(scenario: Scenario, verdict: str, said: str) -> None:
    artifact, text = shown(scenario)
    assert text.splitlines()[0] == f"{artifact.run_id}: {verdict}"
    assert any(line.lstrip().startswith(said) for line in text.splitlines())
    assert text.splitlines()[-1] == f"hash      {artifact.artifact_hash}"


def test_failed_assertions_come_first() -> None:
    _, text = shown("fail")
    marks = [line.split()[0] for line in text.partition("assertions\n")[2].splitlines()[:-1]]
    assert marks == sorted(marks, key=["FAIL", "ok"].index)
    assert "FAIL" in marks


def test_hostile_text_reaches_no_terminal_and_fills_no_screen() -> None:
    _, text = shown("pass", text="\x1b]0;owned\x07" + "x" * 10_000)
    assert "\x1b" not in text
    assert "\x07" not in text
    steps = [line for line in text.splitlines() if " tool  " in line]
    assert steps
    for line in steps:
        assert len(line.rpartition(": ")[2]) <= SHOWN_CHARACTERS + len("\\x1b") * 8
