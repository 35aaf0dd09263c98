"""What the documents say of the ledger is what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from dataset.store.attempt import AttemptState, DenialCode, LimitName, SettlementCode
from dataset.store.ledger_admission import UnknownPolicyError
from dataset.store.ledger_drift import LedgerDriftError
from dataset.store.ledger_writes import UnmarkedError
from dataset.store.policies import PolicyCurrencyError, PolicyHashError
from engine.cli.ledger_show import STATES
from engine.ledger.policy import Policy
from engine.ledger.policy_file import PolicyFileError, read_policy

DOCS = Path(__file__).resolve().parents[4] / "docs"
REFERENCE = (DOCS / "reference/ledger.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to/set-a-budget.md").read_text(encoding="utf-8")
ERRORS = (UnknownPolicyError, LedgerDriftError, UnmarkedError, PolicyCurrencyError, PolicyHashError, PolicyFileError)


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)`", text, flags=re.MULTILINE)


def test_every_code_is_explained_and_every_explained_code_exists() -> None:
    known = {*get_args(DenialCode), *get_args(SettlementCode), *(error.code for error in ERRORS)}
    assert {cell for cell in first_cells(REFERENCE) if cell.startswith("LEDGER-")} == known


def test_every_state_and_limit_is_explained() -> None:
    cells = first_cells(REFERENCE)
    assert [cell for cell in cells if cell in get_args(AttemptState)] == list(get_args(AttemptState))
    assert [cell for cell in cells if cell in get_args(LimitName)] == list(get_args(LimitName))
    for state, word in STATES.items():
        assert f"| `{state}` | {word} |" in REFERENCE


def test_every_setting_of_a_policy_is_explained() -> None:
    names = [field.alias or name for name, field in Policy.model_fields.items()]
    assert [name for name in names if f"`{name}`" not in REFERENCE and f"`[{name}" not in REFERENCE] == []
    assert f"`backlog` | {Policy().backlog} |" in REFERENCE
    assert f"`quantum` | {Policy().quantum} |" in REFERENCE
    assert f"`slice_attempts` | {Policy().slice_attempts} |" in REFERENCE


def test_policy_of_the_how_to_is_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", HOW_TO, flags=re.DOTALL)
    file = tmp_path / "policy.toml"
    file.write_text(example, encoding="utf-8")
    policy = read_policy(file)
    assert (policy.everything.cost, policy.backlog) == ("200", 20)
    assert policy.model["hosted-large"].tokens_per_minute == 200_000


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)", HOW_TO + REFERENCE))
def test_links_lead_somewhere(link: str) -> None:
    assert (DOCS / "how-to" / link).exists() or (DOCS / "reference" / link).exists()
