"""The Jinja2 environment of one language: everything escaped, nothing undefined, templates compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.outside_text import shown
from dataset.measures.metric import METRIC_BY_ID
from dataset.version import installed_version
from publisher.rendering import figures, page_names
from publisher.rendering.assets import asset_name
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.language.message import Sayable
from publisher.rendering.statistic import STATISTIC_BY_ID
from publisher.rendering.template_environment import TemplateEnvironment
from publisher.rendering.visible_text import marked_up, plain
from publisher.rendering.withheld import Evidence, withheld_words

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
"""Pages carry it themselves; `frame-ancestors` works as a header only and is added by `serve`."""


@cache
def environment_of(language: Language) -> Environment:
    """The environment over the package `site_templates` that says everything in one language."""
    environment = TemplateEnvironment(
        loader=FunctionLoader(_template),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalizer(language),
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    # The extension compiles `trans` blocks to calls with keyword values; these two functions answer them.
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.policies["ext.i18n.trimmed"] = True
    environment.globals |= _texts(language)
    environment.filters |= _filters(language)
    environment.globals |= {
        "policy": CONTENT_SECURITY_POLICY,
        "version": installed_version(),
        "languages": LANGUAGES,
        "language": language,
        "metrics": METRIC_BY_ID,
        "statistics": STATISTIC_BY_ID,
        "withheld": withheld_words,
        "no_evidence": Evidence(),
        "section_names": SECTION_NAMES,
        "unknown": figures.UNKNOWN,
        "money": figures.money,
        "figure": figures.figure,
        "asset": _asset,
        "run_page": page_names.run_page,
        "batch_page": page_names.batch_page,
        "case_page": page_names.case_page,
        "model_page": page_names.model_page,
        "tool_page": page_names.tool_page,
        "code_page": page_names.code_page,
        "release_page": page_names.release_page,
    }
    return environment


def _template(name: str) -> str:
    return files("site_templates").joinpath(name).read_text(encoding="utf-8")


@pass_context
def _asset(context: Context, name: str) -> str:
    """The way from the page to an asset."""
    return f"{context['base']}{asset_name(name)}"


def _finalizer(language: Language) -> Callable[[Any], Any]:
    def seen(value: Any) -> Any:
        """The net under every expression of every template: no unseen character reaches a page, attributes included;
        what can be said is said in the page's language."""
        kind = type(value)
        if kind is Markup or kind is int:
            return value
        if isinstance(value, Sayable):
            value = value.said(language)
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    return seen


def _texts(language: Language) -> Mapping[str, Any]:
    """What `_`, `gettext` and `trans` blocks call. Values are escaped as everything else that a template prints."""

    def filled(text: str, values: Mapping[str, Any]) -> Markup:
        said = {n: v if isinstance(v, Markup) else escape(plain(language.said(v))) for n, v in values.items()}
        return Markup(text % said)

    def said(text: str | Sayable, **values: Any) -> Markup:
        """`_()`: with values a text has places for them, without it is whole, per cent signs included."""
        if isinstance(text, Sayable):
            return Markup.escape(plain(text.said(language)))
        found = language.translated(text)
        return filled(found, values) if values else Markup(found)

    def gettext(text: str, **values: Any) -> Markup:
        return filled(language.translated(text), values)

    def ngettext(singular: str, plural: str, num: int, **values: Any) -> Markup:
        return filled(language.translated_plural(singular, plural, num), {"num": num, **values})

    return {"_": said, "gettext": gettext, "ngettext": ngettext}


def _filters(language: Language) -> Mapping[str, Callable[..., Any]]:
    def text(value: str | Sayable) -> Markup:
        return marked_up(language.said(value))

    def localized(value: Any) -> str:
        """The page's language of a text that a pack has in several."""
        return str(getattr(value, language.code))

    def moment(value: str) -> str:
        """A UTC time stamp to the second."""
        return language.moment(value)

    return {
        "text": text,
        "shown": shown,
        "localized": localized,
        "moment": moment,
        "percent": figures.percent,
        "points": figures.points,
        "distance": figures.distance,
        "error": figures.error,
        "p_value": figures.p_value,
        "duration": figures.duration,
        "grouped": figures.grouped,
        "plural": _plural,
    }


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
