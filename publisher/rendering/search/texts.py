"""What the search finds of pages that stand for themselves: lists, downloads, metrics, and sections of the prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from publisher.rendering import page_names
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.language.message import marked
from publisher.rendering.page_names import ARCHITECTURE, DOWNLOADS
from publisher.rendering.site.assets import template_file
from publisher.rendering.templates.markdown import render_markdown
from publisher.search.document import SearchDocument, Wording

BEST = marked("best model, best value: rank, cost, latency")
"""What leads to a leaderboard."""
_HOW = marked("How it works")
_SECTION = re.compile(r'<h2 id="([a-z0-9-]+)">(.*?)</h2>', re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class LonePage:
    """A page with the texts of its template that say what it is; `words` lead to it, too. All are message ids.
    `published`: a preview has none."""

    name: str
    title: str
    told: tuple[str, ...]
    words: tuple[str, ...] = ()
    published: bool = False


LONE_PAGES = (
    LonePage(
        name=page_names.HOME,
        title=marked("Leaderboard"),
        told=(
            marked(
                "Which model is best, which the best value, and how sure that is. Each number leads to the runs that "
                "it was computed from."
            ),
        ),
        words=(BEST,),
    ),
    LonePage(
        name=DOWNLOADS,
        title=marked("Downloads"),
        told=(
            marked(
                "Everything on these pages as data. Each file follows from the snapshot, and <code>glassbench "
                "verify</code> makes it again and compares it byte for byte."
            ),
        ),
        words=(
            marked("Downloads, data and citation"),
            marked("How to cite"),
            marked("data dictionary"),
            "CSV JSON Parquet Croissant BibTeX",
            marked("Atom feed of releases"),
            marked("Table as HTML"),
        ),
        published=True,
    ),
    LonePage(
        name=page_names.MODELS,
        title=marked("Models"),
        told=(
            marked(
                "Every model of this snapshot, by its key. Rates stand beside each other only where the questions were "
                "the same: on the leaderboard."
            ),
        ),
    ),
    LonePage(
        name=page_names.CASES,
        title=marked("Cases"),
        told=(marked("Every question of this snapshot, with the runs that answered it."),),
    ),
    LonePage(
        name=page_names.TOOLS,
        title=marked("Tools"),
        told=(
            marked(
                "Every tool that a run could see. Replies are frozen or computed from the arguments alone, so every "
                "model met the same world."
            ),
        ),
    ),
    LonePage(
        name=page_names.CODES,
        title=marked("Codes: failures and refusals"),
        told=(
            marked(
                "Why runs failed, calls were refused and answers were corrected. Each code keeps its meaning for ever, "
                "and leads to the runs that recorded it."
            ),
        ),
        words=(marked("tool call refused"),),
    ),
    LonePage(
        name=page_names.METRICS,
        title=marked("Metrics"),
        told=(
            marked(
                "Each metric is defined here once. Every table takes its names from this page, and every number "
                "follows from the run files by the formula given."
            ),
        ),
    ),
    LonePage(
        name=page_names.RELEASES,
        title=marked("Releases"),
        told=(
            marked("Each release keeps what stood before it, adds to it, and says what it withdrew or revealed."),
            marked("The release log fixes all of it in one hash."),
        ),
        words=(marked("How to verify"),),
        published=True,
    ),
)
"""Those that hold for every snapshot."""


def lone_pages(*, preview: bool) -> Iterator[SearchDocument]:
    """A document for each page, and for each section of the prose."""
    for page in LONE_PAGES:
        if not (preview and page.published):
            yield _document(page.name, {language.code: _wording(page, language) for language in LANGUAGES})
    sections = {str(language.code): dict(_sections(language)) for language in LANGUAGES}
    for anchor in sections[str(LANGUAGES[0].code)]:
        place = f"{ARCHITECTURE}#{anchor}" if anchor else ARCHITECTURE
        yield _document(place, {code: found[anchor] for code, found in sections.items() if anchor in found})


def _document(href: str, wordings: dict[str, Wording]) -> SearchDocument:
    first, *others = wordings.items()
    return SearchDocument(kind="page", href=href, wording=first[1], translations=dict(others))


def _wording(page: LonePage, language: Language) -> Wording:
    told = language.gap.join(map(language.translated, page.told))
    words = " ; ".join(map(language.translated, page.words))
    return Wording(title=language.translated(page.title), text=Markup(told).striptags(), words=words)


def _sections(language: Language) -> Iterator[tuple[str, Wording]]:
    """By its anchor, each section of the prose as a reader sees it; what stands before the first has none."""
    html = render_markdown(template_file(f"texts/architecture.{language.code}.md").decode())
    first, *rest = _SECTION.split(html)
    title = language.translated(_HOW)
    yield "", Wording(title=title, text=Markup(re.sub(r"<h1.*?</h1>", "", first)).striptags())
    for anchor, heading, body in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield anchor, Wording(title=Markup(heading).striptags(), text=Markup(body).striptags(), facts=(title,))
