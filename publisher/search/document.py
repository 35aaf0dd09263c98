"""One thing that a reader may look for: a page of the site, and the public words that lead to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from dataset.errors import GlassbenchError

Kind = Literal["board", "comparison", "model", "case", "tool", "code", "measure", "batch", "release", "page", "run"]
"""`measure` is a metric or a statistic, `page` one that stands for itself: prose, downloads, the list of a kind."""
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which a page offers them."""

_PLACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*(?:#[A-Za-z0-9][A-Za-z0-9._:-]*)?")


class UnsafePlaceError(GlassbenchError):
    """A document leads to what is no page of the site."""

    code = "SITE-SEARCH-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """What a document says in one language. `facts` are short values that are shown beside its title; `words` lead to
    it, and aren't shown."""

    title: str
    text: str
    facts: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchDocument:
    """One page as the index sees it. All of its texts are public: whatever stands here is found and shown.

    `href` names the page within its language, `runs/x.html` or `metrics.html#pass-rate`; UnsafePlaceError where it
    could lead out of the site. `wording` is that of the site's first language, or of recorded evidence, which has but
    one; `translations` holds the others by the code of their language.
    """

    kind: Kind
    href: str
    wording: Wording
    translations: Mapping[str, Wording] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if _PLACE.fullmatch(self.href) is None:
            raise UnsafePlaceError(
                f"{self.href!r} can't be the place of a search result", hint="give the page's name within the site"
            )
