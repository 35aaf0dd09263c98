"""Pages become files: each is rendered once, and said in every language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from jinja2 import Environment
from markupsafe import Markup

from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.language.voice import NeedsLanguageError
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.site.file import SiteFile
from publisher.rendering.templates.environment import EVERY_VOICE, environment_of, environment_of_all

_APART: set[str] = set()
"""Templates that decide something by the language, as far as they were met."""


def rendered(page: Page, source: SiteSource) -> Iterator[SiteFile]:
    """The page in every language, each at its own place."""
    if page.template not in _APART:
        try:
            text = _text(
                page,
                source,
                environment_of_all(preview=source.preview is not None),
                Markup(_up(page.name)) + EVERY_VOICE.language.up,
            )
        except NeedsLanguageError:
            _APART.add(page.template)
        else:
            # Said before it is given away: who takes it may render another page in between.
            yield from map(partial(_file, page), LANGUAGES, EVERY_VOICE.said_in_each(text))
            return
    yield from (in_language(page, source, language) for language in LANGUAGES)


def in_language(page: Page, source: SiteSource, language: Language) -> SiteFile:
    """The page in one language, rendered for it alone."""
    base = language.up + _up(page.name)
    return _file(
        page, language, _text(page, source, environment_of(language, preview=source.preview is not None), base)
    )


def _text(page: Page, source: SiteSource, environment: Environment, base: str) -> str:
    """A template is given `root`, the way to the pages of its language, and `base`, the way to the site's root, where
    files stand that have no language."""
    EVERY_VOICE.begin()
    return environment.get_template(page.template).render(
        root=_up(page.name),
        base=base,
        page=page,
        card=source.card_of(page.name),
        address=source.address,
        notice=source.preview,
        synthetic=source.snapshot.synthetic,
        standing=source.standing_at(page.release),
        latest=source.standing,
        **page.content,
    )


def _up(name: str) -> str:
    return "../" * name.count("/")


def _file(page: Page, language: Language, text: str) -> SiteFile:
    return SiteFile(name=f"{language.folder}{page.name}", data=text.encode())
