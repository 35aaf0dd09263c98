"""Every message of the pages: those of templates, of Python, and of the registries whose strings are message ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages.extract import extract
from jinja2.ext import babel_extract

from dataset.measures.metric import DERIVED_METRICS, METRICS
from dataset.measures.statistics.evidence import REASONS
from publisher.exports.tables.catalogue import TABLES
from publisher.rendering.codes.registry import CODES, GROUPS
from publisher.rendering.snapshot.section_seal import HOLDS
from publisher.rendering.statistic import STATISTICS
from publisher.rendering.views.code import UNKNOWN_GROUP

ROOT = Path(__file__).resolve().parents[5]
TEMPLATES = ROOT / "site_templates"
PYTHON = ROOT / "publisher"
_JINJA = {"trimmed": "true", "newstyle_gettext": "true", "extensions": "jinja2.ext.i18n"}
_IN_TEMPLATES = {"_": None, "gettext": None, "ngettext": (1, 2)}
_IN_PYTHON = {"Message": None, "marked": None, "Plural": (1, 2)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A message and where it stands; `plural` is empty where it has none."""

    text: str
    plural: str
    place: str


def found_messages() -> Iterator[Found]:
    """Every message, as often as it stands somewhere."""
    for path in sorted(TEMPLATES.rglob("*.html")):
        with path.open("rb") as file:
            for line, _, text, _ in babel_extract(file, list(_IN_TEMPLATES), [], _JINJA):
                yield from _found(text, f"{path.relative_to(ROOT)}:{line}")
    for path in sorted(PYTHON.rglob("*.py")):
        with path.open("rb") as file:
            for line, text, *_ in extract("python", file, _IN_PYTHON, options={"encoding": "utf-8"}):
                yield from _found(text, f"{path.relative_to(ROOT)}:{line}")
    for place, texts in registries().items():
        for text in texts:
            yield Found(text=text, plural="", place=place)


def registries() -> dict[str, Iterable[str]]:
    """Strings that templates say by `_()` of a value."""
    return {
        "metrics": [text for m in (*METRICS, *DERIVED_METRICS) for text in (m.title, m.description, m.missing)],
        "statistics": [text for s in STATISTICS for text in (s.title, s.description)],
        "codes": [*(code.meaning for code in CODES), *GROUPS.values(), UNKNOWN_GROUP],
        "sections": list(HOLDS.values()),
        "withheld numbers": list(REASONS.values()),
        "tables": [text for table in TABLES for text in (table.title, table.description)],
    }


def _found(text: object, place: str) -> Iterator[Found]:
    texts = [part for part in text if part] if isinstance(text, tuple) else [text]
    if texts and isinstance(texts[0], str):
        yield Found(text=texts[0], plural=str(texts[1]) if len(texts) > 1 else "", place=place)
