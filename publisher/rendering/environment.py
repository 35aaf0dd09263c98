"""The one Jinja2 environment: everything escaped, nothing undefined, templates compiled once."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.outside_text import shown
from dataset.measures.metric import METRIC_BY_ID
from dataset.version import installed_version
from publisher.rendering import figures
from publisher.rendering.statistic import STATISTIC_BY_ID
from publisher.rendering.visible_text import marked_up, plain
from publisher.rendering.withheld import Evidence, withheld_words

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)
"""Pages carry it themselves; `frame-ancestors` works as a header only and is added by `serve`."""
SCRIPTS = ("evidence.js", "release_log.js", "check.js")
ASSETS = ("style.css", "icon.svg", *SCRIPTS)


def asset(name: str) -> bytes:
    """A file of the package `site_templates`."""
    return files("site_templates").joinpath(name).read_bytes()


def make_environment() -> Environment:
    """An environment over the package `site_templates`."""
    environment = Environment(
        loader=FunctionLoader(lambda name: asset(name).decode()),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "text": marked_up,
        "shown": shown,
        "percent": figures.percent,
        "points": figures.points,
        "distance": figures.distance,
        "error": figures.error,
        "p_value": figures.p_value,
        "duration": figures.duration,
        "grouped": figures.grouped,
        "plural": _plural,
    }
    environment.globals |= {
        "policy": CONTENT_SECURITY_POLICY,
        "version": installed_version(),
        "metrics": METRIC_BY_ID,
        "statistics": STATISTIC_BY_ID,
        "withheld": withheld_words,
        "no_evidence": Evidence(),
        "section_names": SECTION_NAMES,
        "unknown": figures.UNKNOWN,
        "money": figures.money,
        "figure": figures.figure,
    }
    return environment


def _seen(value: Any) -> Any:
    """The net under every expression of every template: no unseen character reaches a page, attributes included."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
