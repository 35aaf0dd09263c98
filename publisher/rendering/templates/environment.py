"""The Jinja2 environments of pages: everything escaped, nothing undefined, templates compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from dataset.artifacts.outside_text import shown
from dataset.measures.metric import METRIC_BY_ID
from dataset.version import installed_version
from publisher.rendering import figures, page_names
from publisher.rendering.boards.categories import CATEGORY_TITLES
from publisher.rendering.evidence import Evidence, withheld_words
from publisher.rendering.language.choices import Choices
from publisher.rendering.language.language import ENGLISH, LANGUAGES, Language
from publisher.rendering.language.message import Localized, Sayable
from publisher.rendering.language.voice import EveryVoice, OneVoice, Voice
from publisher.rendering.site.assets import SCRIPTS, asset_name, template_file
from publisher.rendering.site.hosting import CONTENT_SECURITY_POLICY
from publisher.rendering.statistic import STATISTIC_BY_ID
from publisher.rendering.templates.code import PRINTED
from publisher.rendering.templates.compiler import TemplateEnvironment
from publisher.rendering.templates.texts import VALUE
from publisher.rendering.visible_text import escaped, is_plain, marked_up, plain, shown_short

EVERY_VOICE = EveryVoice(Choices())
_SHORT = 200
"""Characters of a text that is likely to come again."""


_FIGURES: Mapping[str, Callable[..., Any]] = {
    "shown": shown,
    "percent": figures.percent,
    "points": figures.points,
    "signed_points": figures.signed_points,
    "distance": figures.distance,
    "error": figures.error,
    "p_value": figures.p_value,
    "duration": figures.duration,
    "grouped": figures.grouped,
}
"""Filters that say the same in every language, or give what each language says."""


@cache
def environment_of(language: Language, *, preview: bool = False) -> Environment:
    """The environment over the package `site_templates` that says everything in one language. `preview`: of batches
    that aren't published, so that there is no release for any page to lead to."""
    return _environment(OneVoice(language), preview=preview)


@cache
def environment_of_all(*, preview: bool = False) -> Environment:
    """The environment that leaves marks for `EVERY_VOICE` to fill in. A template that decides anything by the language
    raises NeedsLanguageError in it."""
    return _environment(EVERY_VOICE, preview=preview)


def _environment(voice: Voice, *, preview: bool) -> Environment:
    environment = TemplateEnvironment(
        loader=FunctionLoader(_template),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.voice = voice
    # The extension compiles `trans` blocks to calls with keyword values; these two functions answer them.
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.policies["ext.i18n.trimmed"] = True
    texts = _texts(voice)
    environment.globals |= {name: partial(text, None) for name, text in texts.items()}
    environment.filters |= {name: pass_context(text) for name, text in texts.items()}
    environment.filters |= {PRINTED: _printer(voice), VALUE: _value_printer(voice), **_FIGURES, **_filters(voice)}
    environment.globals |= {
        "policy": CONTENT_SECURITY_POLICY,
        "version": installed_version(),
        "languages": LANGUAGES,
        "language": voice.language,
        "preview": preview,
        "metrics": METRIC_BY_ID,
        "statistics": STATISTIC_BY_ID,
        "withheld": withheld_words,
        "category_titles": CATEGORY_TITLES,
        "no_evidence": Evidence(),
        "unknown": figures.UNKNOWN,
        "money": figures.money,
        "figure": figures.figure,
        "asset": _asset,
        "check_scripts": SCRIPTS,
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
    return template_file(name).decode()


@pass_context
def _asset(context: Context, name: str) -> Markup:
    """The way from the page to an asset."""
    return Markup(context["base"]) + asset_name(name)


def _printer(voice: Voice) -> Callable[[Any], str]:
    def printed(value: Any) -> str:
        """The net under every expression of every template: it is escaped, and no unseen character reaches a page,
        attributes included; what can be said is said in the page's language."""
        kind = type(value)
        if kind is str:
            text: str = value
            return text if is_plain(text) else _html(text)
        if kind is int:
            return str(value)
        if isinstance(value, Markup):
            return value
        if isinstance(value, Sayable):
            return voice.made(lambda language: _html(value.said(language)))
        return _html(value) if isinstance(value, str) else escape(value)

    return printed


def _value_printer(voice: Voice) -> Callable[[Any], str]:
    def shown_value(value: Any) -> str:
        """A value of a text, as any other expression; whole numbers are grouped."""
        if isinstance(value, Markup):
            return value
        if type(value) is str and is_plain(value):
            return value
        if isinstance(value, Sayable):
            return voice.made(lambda language: _html(value.said(language)))
        return _html(ENGLISH.said(value))

    return shown_value


def _html(text: str) -> str:
    return shown_short(text) if len(text) < _SHORT else escaped(plain(text))


def _texts(voice: Voice) -> Mapping[str, Callable[..., Markup]]:
    """What `_`, `gettext` and `trans` blocks call. Values are escaped as everything else that a template prints."""

    shown_value = _value_printer(voice)

    def filled(text: Callable[[Language], str], values: Mapping[str, Any]) -> Markup:
        shown_values = {name: shown_value(value) for name, value in values.items()}
        return voice.made(lambda language: text(language) % shown_values)

    def said(_context: object, text: str | Sayable, **values: Any) -> Markup:
        """`_()`: with values a text has places for them, without it is whole, per cent signs included."""
        if isinstance(text, Sayable):
            return voice.made(lambda language: _html(text.said(language)))
        return filled(lambda language: language.translated(text), values) if values else voice.text(text)

    def gettext(_context: object, text: str, **values: Any) -> Markup:
        return filled(lambda language: language.translated(text), values)

    def ngettext(_context: object, singular: str, plural: str, num: int, **values: Any) -> Markup:
        return filled(lambda language: language.translated_plural(singular, plural, num), {"num": num, **values})

    return {"_": said, "gettext": gettext, "ngettext": ngettext}


def _filters(voice: Voice) -> Mapping[str, Callable[..., Any]]:
    def text(value: str | Sayable) -> Markup:
        if isinstance(value, str):
            return marked_up(value)
        return voice.made(lambda language: marked_up(language.said(value)))

    def localized(value: Any) -> Localized:
        """The page's language of a text that a pack has in several."""
        return Localized(value)

    def by_language(html: Mapping[str, Markup]) -> Markup:
        """The page's language of HTML that there is in each, by its code."""
        return voice.made(lambda language: html[language.code])

    def in_other(value: Any, place: int) -> Markup:
        """A text that a pack has in several languages, in the one that stands in this place of the page's others."""
        return voice.made(lambda language: marked_up(Localized(value).said(language.others[place])))

    @pass_context
    def unless_english(_context: object, value: Any) -> Markup:
        """What is said beside an English word, on pages in other languages."""
        return voice.made(lambda language: "" if language is ENGLISH else value)

    @pass_context
    def moment(_context: object, value: str) -> Markup:
        """A UTC time stamp to the second."""
        return voice.made(lambda language: _html(language.moment(value)))

    @pass_context
    def striptags(_context: object, value: Any) -> Markup:
        """The text alone."""
        return voice.stripped(str(value))

    return {
        "text": text,
        "localized": localized,
        "by_language": by_language,
        "in_other": in_other,
        "moment": moment,
        "unless_english": unless_english,
        "striptags": striptags,
    }
