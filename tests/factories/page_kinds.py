"""Every kind of page: what is rendered from one template. Found by asking every family, so none is forgotten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from publisher.rendering.page_names import DOWNLOADS
from publisher.rendering.pages.families import FAMILIES
from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.pages.interface import Page, PageFamily, SiteSource
from publisher.rendering.snapshot.snapshot import Snapshot

TEMPLATES = Path(__file__).parents[2] / "site_templates"
BASE = '{% extends "base.html" %}'


def templates_of_pages() -> set[str]:
    """The names of all templates that are a whole page."""
    return {path.stem for path in TEMPLATES.glob("*.html") if path.read_text(encoding="utf-8").startswith(BASE)}


@cache
def pages_by_family(snapshot: Path) -> Sequence[tuple[PageFamily, Mapping[str, Sequence[str]]]]:
    """The names of the pages that each family makes of a snapshot, by their kind."""
    source = SiteSource(snapshot=Snapshot(snapshot))
    return [(family, _pages_of(family, source)) for family in FAMILIES]


def pages_by_kind(snapshot: Path) -> Mapping[str, Sequence[str]]:
    """The names of all pages of a snapshot's site, by their kind."""
    found: dict[str, list[str]] = defaultdict(list)
    for _, made in pages_by_family(snapshot):
        for kind, names in made.items():
            found[kind] += names
    found["downloads"].append(DOWNLOADS)  # made after all families, from what they made
    return found


def _pages_of(family: PageFamily, source: SiteSource) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for made in family(source):
        if isinstance(made, Page):
            found[made.template.removesuffix(".html")].append(made.name)
        elif isinstance(made, RunSeen):
            source.gathered.take(made)
    return found
