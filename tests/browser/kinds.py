"""Which pages of every kind tests look at in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from publisher.rendering.page_names import DOWNLOADS, PREVIEW


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """Which pages of a kind tests look at, and in which site. Without names, it is the first one there."""

    names: tuple[str, ...] = ()
    site: Literal["whole", "crowded", "previewed"] = "whole"


def _at(*names: str) -> Looked:
    return Looked(names=names)


KINDS: Mapping[str, Looked] = {
    "leaderboard": _at("index.html"),
    "board": _at(),
    "board_categories": Looked(site="crowded"),
    "board_plots": Looked(site="crowded"),
    "board_pairs": Looked(site="crowded"),
    "releases": _at("releases.html"),
    "release": _at("releases/1.html", "releases/10.html"),
    "metrics": _at("metrics.html"),
    "content": _at("architecture.html"),
    "not_found": _at("404.html"),
    "batch": _at("batches/batch-1.html", "batches/batch-2.html", "batches/strategies.html", "batches/delivery.html"),
    "batch_model": _at("batches/batch-1/careless.html"),
    "batch_part": Looked(site="crowded"),
    "compare_list": _at("compare/batch-1/index.html"),
    "compare": _at(
        "compare/batch-1/models.careful.careless.html",
        "compare/batch-1/contrast.language.careless.html",
        "compare/batch-2/models.careful.careless.html",
        "compare/delivery/contrast.delivery.careful.html",
    ),
    "beside": _at("beside/batch-1-0003.batch-1-0034.html", "beside/batch-3-0001.batch-3-0005.html"),
    "changes": _at("batches/again.changes.html"),
    "cases": _at("cases.html"),
    "case": _at("cases/advice-wish.html", "cases/long-savings-plan.html", "cases/kept.html"),
    "models": _at("models.html"),
    "model": _at("models/careful.html", "models/careless.html"),
    "run": _at(
        "runs/batch-1-0001.html",
        "runs/batch-1-0002.html",
        "runs/batch-1-0002-r2.html",
        "runs/batch-2-0002.html",
        "runs/withheld-0001.html",
        "runs/strategies-0004.html",
        "runs/strategies-0007.html",
        "runs/delivery-0002.html",
    ),
    "run_withdrawn": _at("runs/judged-0004.html"),
    "codes": _at("codes.html"),
    "code": _at("codes/G3-AUTH-001.html", "codes/BATCH-BUDGET-001.html"),
    "tools": _at("tools.html"),
    "tool": _at("tools/fund_nav.html"),
    "search": _at("search.html"),
    "downloads": _at(DOWNLOADS),
    # what stands on top of every page of a preview is seen on the others
    "preview": Looked(
        names=(PREVIEW, "index.html", "batches/batch-1.html", "runs/batch-2-0001.html", "models/careful.html"),
        site="previewed",
    ),
}
"""By its template's name."""
