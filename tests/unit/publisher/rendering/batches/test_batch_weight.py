"""No page of a batch comes near the most that a page may weigh, however many runs it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.rendering.batches.view import CROWDED
from publisher.rendering.page_names import batch_page
from publisher.rendering.pages.batches import batch_pages
from publisher.rendering.pages.interface import Page
from publisher.rendering.pages.renderer import rendered
from tests.factories.bank import VARIANTS
from tests.factories.boards import make_report, many_models, site_source

MOST_BYTES = 240_000
"""A fifth less than any page may weigh."""
JUST_WHOLE = CROWDED // (len(VARIANTS) + 1)
"""The most models that a batch of these arms shows on one page."""


@pytest.mark.parametrize("models", [JUST_WHOLE, JUST_WHOLE + 1, pytest.param(20, marks=pytest.mark.slow)])
def test_pages_of_a_batch_of_a_thousand_runs_a_model_stay_light(models: int, tmp_path: Path) -> None:
    report = make_report("batch-1", many_models(models), cases=25, repeats=20)
    assert len(report.runs) == 1_000 * models
    source = site_source(tmp_path, [report])
    pages = [page for page in batch_pages(source) if isinstance(page, Page)]
    sizes = {file.name: len(file.data) for page in pages for file in rendered(page, source)}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}
    assert batch_page("batch-1") in sizes
    whole = models == JUST_WHOLE
    assert any(name.startswith("batches/batch-1.results") for name in sizes) is not whole
