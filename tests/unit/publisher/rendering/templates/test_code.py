"""What templates are compiled to does what Jinja's own code would, and says no where it would do something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from jinja2 import DictLoader, TemplateRuntimeError, UndefinedError
from markupsafe import Markup

from publisher.rendering.language.language import CHINESE, ENGLISH, Language
from publisher.rendering.templates.environment import environment_of

Render = Callable[..., str]
MACROS = """
{% macro mark(word, kind="plain", tail=none) -%}
<b class="{{ kind }}">{{ word }}</b>{{ tail if tail is not none }}
{%- endmacro %}
{% macro framed(title) -%}<i>{{ title }}: {{ caller() }}</i>{%- endmacro %}
{% macro rest() -%}{{ varargs|length }}{%- endmacro %}
{% macro nested(word) -%}{{ mark(mark(word), tail=mark("&")) }}{%- endmacro %}
"""


@pytest.fixture
def render() -> Render:
    def rendered(template: str, language: Language = ENGLISH, **values: Any) -> str:
        templates: Mapping[str, str] = {"it": template, "macros": MACROS}
        environment = environment_of(language).overlay(loader=DictLoader(templates), cache_size=0)
        environment.voice = environment_of(language).voice  # type: ignore[attr-defined]
        return environment.get_template("it").render(values)

    return rendered


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ("mark(x)", '<b class="plain">&lt;x&gt;</b>'),
        ("mark(x, 'k')", '<b class="k">&lt;x&gt;</b>'),
        ("mark(x, tail=x)", '<b class="plain">&lt;x&gt;</b>&lt;x&gt;'),
        ("mark(kind=x, word=1)", '<b class="&lt;x&gt;">1</b>'),
        ("nested('<')", '<b class="plain"><b class="plain">&lt;</b></b><b class="plain">&amp;</b>'),
        ("rest(1, 2, 3)", "3"),
        ("mark(x) if x else ''", '<b class="plain">&lt;x&gt;</b>'),
        ("mark(x) ~ '&'", '<b class="plain">&lt;x&gt;</b>&amp;'),
        ("[mark(x)]|join('&')", '<b class="plain">&lt;x&gt;</b>'),
    ],
)
def test_a_macro_that_is_called_right_away_gives_what_it_gives(render: Render, call: str, printed: str) -> None:
    imports = '{% from "macros" import mark, nested, rest %}'
    assert render(f"{imports}{{{{ {call} }}}}", x="<x>") == printed
    assert render(f"{imports}{{% set it = {call} %}}{{{{ it }}}}", x="<x>") == printed
    assert render(f"{imports}{{% for it in (x,) %}}{{{{ {call} }}}}{{% endfor %}}", x="<x>") == printed


def test_the_block_of_a_call_is_printed_where_the_macro_wants_it(render: Render) -> None:
    template = '{% from "macros" import framed as it %}{% call it(x) %}<hr>{{ x }}{% endcall %}'
    assert render(template, x="&") == "<i>&amp;: <hr>&amp;</i>"


def test_a_name_that_is_bound_twice_is_what_it_was_bound_to_last(render: Render) -> None:
    template = '{% from "macros" import mark %}{% for mark in ("a",) %}{{ mark.upper() }}{% endfor %}{{ mark("b") }}'
    assert render(template) == 'A<b class="plain">b</b>'


@pytest.mark.parametrize("call", ["mark(1, 2, 3, 4)", "mark(1, word=2)", "mark(1, other=2)", "framed(1)"])
def test_a_call_that_doesnt_fit_its_macro_is_refused(render: Render, call: str) -> None:
    with pytest.raises((TypeError, UndefinedError, TemplateRuntimeError)):
        render(f'{{% from "macros" import mark, framed %}}{{{{ {call} }}}}')


def test_a_value_without_the_attribute_that_a_template_reads_is_an_error(render: Render) -> None:
    assert render('{{ it["key"] }}{{ it.keys()|list|length }}', it={"key": "&"}) == "&amp;1"
    with pytest.raises(AttributeError):
        render("{{ it.key is none }}", it={"key": 1})


@pytest.mark.parametrize("value", ["<&>", Markup("<&>"), 1234, None, "\0", "\u202e"])
def test_a_value_of_a_text_is_printed_the_same_where_it_stands_and_where_it_is_set(render: Render, value: Any) -> None:
    trans = "{% trans it=it %}one {{ it }} of {{ it }}{% endtrans %}"
    assert render(trans, it=value) == render("{% set said = _('one %(it)s of %(it)s', it=it) %}{{ said }}", it=value)


@pytest.mark.parametrize(("count", "english"), [(0, "0 runs"), (1, "one run"), (2, "2 runs"), (1000, "1,000 runs")])
def test_a_text_by_count_has_the_form_of_its_count(render: Render, count: int, english: str) -> None:
    template = "{% trans count=n %}one run{% pluralize %}{{ count }} runs{% endtrans %}"
    assert render(template, n=count) == english
    assert render(template, CHINESE, n=count) == f"{count:,} 次运行"


def test_a_per_cent_sign_of_a_text_is_one_sign(render: Render) -> None:
    assert render("{% trans it=1 %}{{ it }} % of 10 %{% endtrans %}{% trans %}5 %{% endtrans %}") == "1 % of 10 %5 %"
