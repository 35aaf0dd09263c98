"""A page that is rendered once and said in every language is what it is when it is rendered for each alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment
from markupsafe import Markup

from dataset.record import Localised
from publisher.rendering.language.language import CHINESE, ENGLISH, LANGUAGES, Language
from publisher.rendering.language.message import Message
from publisher.rendering.language.voice import NeedsLanguageError
from publisher.rendering.pages import renderer
from publisher.rendering.pages.families import FAMILIES
from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import in_language, rendered
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.templates.environment import EVERY_VOICE, environment_of, environment_of_all
from tests.factories import make_batch
from tests.factories.released import Change, write_released

Render = Callable[[str, Mapping[str, object]], list[str]]


@pytest.fixture
def source(tmp_path: Path, hostile_texts: list[str]) -> SiteSource:
    replay = make_batch("batch-2", case_ids=("fund-nav",))
    batches = [
        make_batch("batch-1", case_ids=("fund-nav", "order-history"), text=f"\0Model\0 {hostile_texts[0]}"),
        replay,
    ]
    gone = Change(withdrawn={"batch-1-0003": f"The \0fixture\0 had {hostile_texts[1]}."})
    write_released(tmp_path / "snapshot", batches, gone, signers=[None, None, None])
    return SiteSource(snapshot=Snapshot(tmp_path / "snapshot"))


def test_every_page_is_the_same_said_in_all_languages_at_once(source: SiteSource) -> None:
    templates = set()
    for family in FAMILIES:
        for made in family(source):
            if isinstance(made, RunSeen):
                source.gathered.take(made)
            if isinstance(made, Page):
                alone = [in_language(made, source, language) for language in LANGUAGES]
                assert list(rendered(made, source)) == alone, made.name
                templates.add(made.template)
    assert "run.html" in templates
    # What decides by the language costs a page for each, and every template that it uses compiled for each.
    assert set() == renderer._APART


@pytest.fixture
def render() -> Render:
    """Renders a template once, said in every language; then for each language alone."""

    def of(environment: Environment, template: str, values: Mapping[str, object]) -> str:
        own = environment.overlay(loader=DictLoader({"it": template}), cache_size=0)
        own.voice = environment.voice  # type: ignore[attr-defined]
        return own.get_template("it").render(values)

    def said(template: str, values: Mapping[str, object]) -> list[str]:
        EVERY_VOICE.begin()
        once = of(environment_of_all(), template, values)
        at_once = [EVERY_VOICE.said(once, language) for language in LANGUAGES]
        assert at_once == [of(environment_of(language), template, values) for language in LANGUAGES]
        return at_once

    return said


@pytest.mark.parametrize(
    ("template", "english", "chinese"),
    [
        ('{{ _("Model") }}', "Model", "模型"),
        (
            '<a title="{{ _("Model") ~ " & " ~ _("Run") }}">',
            '<a title="Model &amp; Run">',
            '<a title="模型 &amp; 运行">',
        ),
        ("{% set it = _('Model') %}{{ it if it else '' }}", "Model", "模型"),
        ("{{ message }}", "unknown", "未知"),
        ("{{ message|text }}", "unknown", "未知"),
        ("{{ ('<b>' ~ hostile)|text }}", "&lt;b&gt;", "&lt;b&gt;"),
        ("{{ language.tag }}{{ language.comma }}", "en, ", "zh-Hans、"),
        ("{% for other in language.others %}{{ other.name }}{% endfor %}", "简体中文", "English"),
        ("{% set it %}<i>{{ _('Model') }}</i>{% endset %}{{ it|striptags }}", "Model", "模型"),
        ("{% set it %}<i>{{ _('Model') }}</i>{% endset %}{{ it|unless_english }}", "", "<i>模型</i>"),
        ("{{ '2026-11-30T12:13:14Z'|moment }}", "2026-11-30 12:13:14 UTC", "2026年11月30日 12:13:14 UTC"),
        ("{{ bodies|by_language }}", "<p>one", "<p>一"),
        (
            "{% for other in language.others %}{{ other.tag }} {{ title|in_other(loop.index0) }}{% endfor %}",
            "zh-Hans 一&lt;",
            "en one&lt;",
        ),
        ("{{ number }}{{ nothing }}{{ made }}", "1000None<hr>", "1000None<hr>"),
    ],
)
def test_a_text_is_said_in_each_language(render: Render, template: str, english: str, chinese: str) -> None:
    values = {
        "message": Message("unknown"),
        "hostile": "",
        "number": 1000,
        "nothing": None,
        "made": Markup("<hr>"),
        "bodies": {"en": Markup("<p>one"), "zh": Markup("<p>一")},
        "title": Localised(en="one<", zh="一<"),
    }
    assert render(template, values) == [english, chinese]


def test_values_of_texts_are_escaped_once_and_what_cant_be_seen_is_named(render: Render) -> None:
    template = "{% trans who=who, count=count, it=it %}{{ count }} {{ who }} {{ it }}{% endtrans %}"
    values = {"who": "<a>\0\1", "count": 12345, "it": Markup("<i>")}
    assert render(template, values) == ["12,345 &lt;a&gt;[NUL][SOH] <i>"] * 2
    assert render("{% trans count=n %}one{% pluralize %}{{ count }} runs{% endtrans %}", {"n": 2}) == ["2 runs"] * 2


@pytest.mark.parametrize("text", ["\0Model\0", "\0\0020\0", "\0\1tag\0", "\0"])
def test_no_text_can_make_a_mark(render: Render, text: str) -> None:
    for said in render("{{ it }} {{ it|text }} {{ message }}", {"it": text, "message": Message("%(it)s", it=text)}):
        assert "\0" not in said
        assert "Model" in said or "Model" not in text
        assert said.count("[NUL]") == 3 * text.count("\0")


@pytest.mark.parametrize(
    "template",
    [
        "{% if language.code == 'zh' %}x{% endif %}",
        "{{ {'en': 1}[language.code] }}",
        "{{ 'a' if language.folder else 'b' }}",
        "{{ language.catalogue }}",
    ],
)
def test_what_is_decided_by_the_language_is_not_rendered_for_all_at_once(template: str) -> None:
    own = environment_of_all().overlay(loader=DictLoader({"it": template}), cache_size=0)
    own.voice = EVERY_VOICE  # type: ignore[attr-defined]
    with pytest.raises(NeedsLanguageError):
        own.get_template("it").render()


def test_a_language_knows_its_way_to_the_root() -> None:
    def up(language: Language) -> str:
        return language.up

    assert (up(ENGLISH), up(CHINESE)) == ("", "../")
