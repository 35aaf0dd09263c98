from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from dataset.store import execution_tables
from dataset.store.attempt import AttemptRole, AttemptState, ScopeKind
from dataset.store.audit import Retention
from dataset.store.batch_control import Wish
from dataset.store.leases import SliceState

MIGRATION = Path(execution_tables.__file__).parent / "migrations/versions/v0002_execution.py"
CHOICES = {
    "kind": get_args(ScopeKind),
    "state": get_args(AttemptState),
    "role": get_args(AttemptRole),
    "wish": get_args(Wish),
    "retention": get_args(Retention),
}


def test_closed_choices_are_those_of_the_tables() -> None:
    assert get_args(Wish) == execution_tables.WISHES
    assert get_args(SliceState) == execution_tables.SLICE_STATES
    assert get_args(Retention) == execution_tables.RETENTIONS


@pytest.mark.parametrize(("column", "values"), [*CHOICES.items(), ("state", get_args(SliceState))])
def test_database_refuses_every_other_choice(column: str, values: tuple[str, ...]) -> None:
    listed = ", ".join(f"'{value}'" for value in values)
    assert f"{column} IN ({listed})" in MIGRATION.read_text(encoding="utf-8")
