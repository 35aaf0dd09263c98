"""A page that lists runs model by model stays light, however many models there are."""

from __future__ import annotations

import pytest

from publisher.rendering.views.code import MOST_ON_A_PAGE, MOST_RUNS, runs_listed


@pytest.mark.parametrize(("models", "most"), [(0, 100), (1, 100), (10, 100), (25, 40), (200, 5), (5_000, 1)])
def test_runs_are_shared_among_the_models_of_a_page(models: int, most: int) -> None:
    assert runs_listed(models) == most
    assert most <= MOST_RUNS
    assert most == 1 or models * most <= MOST_ON_A_PAGE
