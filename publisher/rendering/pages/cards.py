"""The pictures that stand for pages where a link to them is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from publisher.rendering.building.content_key import content_key
from publisher.rendering.cards.card import Card
from publisher.rendering.cards.composition import card_png
from publisher.rendering.page_names import card_file
from publisher.rendering.pages.interface import JobFamily, Made, SiteSource
from publisher.rendering.site.file import SiteFile

_Named = tuple[str, Card]


def _jobs(source: SiteSource) -> Sequence[_Named]:
    return list(source.cards.items())


def _made(source: SiteSource, job: _Named) -> Iterator[Made]:
    page, card = job
    yield SiteFile(name=card_file(page), data=card_png(card))


def _key(_source: SiteSource, job: _Named) -> str:
    return content_key(*job)


card_files = JobFamily(name="cards", jobs=_jobs, made=_made, key=_key)
