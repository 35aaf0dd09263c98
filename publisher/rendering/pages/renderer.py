"""Pages become files: each page once in every language."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.environment import environment_of
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.site_file import SiteFile


def rendered(page: Page, source: SiteSource) -> Iterator[SiteFile]:
    """The page in every language, each at its own place."""
    for language in LANGUAGES:
        yield in_language(page, source, language)


def in_language(page: Page, source: SiteSource, language: Language) -> SiteFile:
    """The page in one language.

    A template is given `root`, the way to the pages of its language, and `base`, the way to the site's root, where
    files stand that have no language.
    """
    name = f"{language.folder}{page.name}"
    text = (
        environment_of(language)
        .get_template(page.template)
        .render(
            root="../" * page.name.count("/"),
            base="../" * name.count("/"),
            page=page,
            card=source.card_of(page.name),
            address=source.address,
            synthetic=source.snapshot.synthetic,
            standing=source.standing_at(page.release),
            latest=source.standing,
            **page.content,
        )
    )
    return SiteFile(name=name, data=text.encode())
