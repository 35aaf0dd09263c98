"""Which returned names are the model that was asked for."""

from __future__ import annotations

import pytest

from engine.preflight.naming import closest, is_same_model


@pytest.mark.parametrize(
    "suffix", ["", "-2026-01-31", "-20260131", "-2026-01", "-0131", "-2601", "-v1", "-v2.1.3", "-001"]
)
def test_the_id_itself_and_its_dated_and_versioned_editions_agree(suffix: str) -> None:
    assert is_same_model("large-2", f"large-2{suffix}")


@pytest.mark.parametrize("suffix", ["-mini", "-5", "-32k", "-2026-99-99", "-v", "-", "-2026-01-31-mini", "-v1.2.3.4"])
def test_any_other_ending_is_another_model(suffix: str) -> None:
    assert not is_same_model("large-2", f"large-2{suffix}")


@pytest.mark.parametrize("returned", ["", "large", "Large-2", "x/large-2", "large-2026-01-31"])
def test_any_other_name_is_another_model(returned: str) -> None:
    assert not is_same_model("large-2", returned)


def test_the_closest_names_come_first_and_strangers_not_at_all() -> None:
    assert closest("large-2", ["tiny", "large-3", "large-2-mini", "zzz"])[0] in ("large-3", "large-2-mini")
    assert closest("large-2", ["zzz"]) == []
