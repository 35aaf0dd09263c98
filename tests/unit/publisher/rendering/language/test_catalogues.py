"""Every text of the pages is in every catalogue, and no text stands on a page outside of them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from jinja2 import Environment

from publisher.rendering.language.catalogue import catalogue_entries, singular_of
from publisher.rendering.language.language import CHINESE, LANGUAGES
from publisher.rendering.language.message import Joined, Message, Plural
from tests.unit.publisher.rendering.language.found_messages import TEMPLATES, found_messages

PLACES = re.compile(r"%\((\w+)\)s|%%")
OTHERS = [language.code for language in LANGUAGES[1:]]
# Names and signs that are the same in every language.
NAMES = re.compile(
    r"Glassbench|BibTeX|CSV|JSON|HTTP|Parquet|Croissant|SHA256SUMS|sha256|\w*\.json|UTC|Atom|pass@k|pass\^k|p95|U\+FFFD|batches/|\.html"
)
CODE = re.compile(r"<(code|script|style)\b.*?</\1>", re.S)
SPOKEN = re.compile(r'\b(?:title|aria-label|alt|placeholder|label)="([^"]*)"')
ATTRIBUTE = re.compile(r'[\w-]+="[^"]*"')
WORDS = re.compile(r"[A-Za-z]{2,}")


def test_every_message_is_in_every_catalogue() -> None:
    found = {message.text: message.place for message in found_messages()}
    assert len(found) > 300
    for code in OTHERS:
        known = {singular_of(entry) for _, entry in catalogue_entries(code) if entry.string and not entry.fuzzy}
        assert {text: place for text, place in found.items() if text not in known} == {}


def test_no_catalogue_has_what_no_page_says() -> None:
    found = {message.text for message in found_messages()}
    for code in OTHERS:
        said = [(name, singular_of(entry)) for name, entry in catalogue_entries(code)]
        assert [(name, text) for name, text in said if text not in found] == []


def test_a_catalogue_says_each_text_once_whole_and_with_the_same_places() -> None:
    for code in OTHERS:
        entries = list(catalogue_entries(code))
        counts = Counter(singular_of(entry) for _, entry in entries)
        assert [text for text, count in counts.items() if count > 1] == []
        for name, entry in entries:
            wanted, said = forms(entry.id), forms(entry.string)
            assert not entry.fuzzy, (name, entry.id)
            assert all(said), (name, entry.id)
            # One of two forms may have a number as a word.
            places = {place for text in wanted for place in PLACES.findall(text)}
            assert {place for text in said for place in PLACES.findall(text)} == places, (name, entry.id)
            assert Counter("".join(re.findall(r"</?\w+", said[0]))) == Counter(
                "".join(re.findall(r"</?\w+", wanted[-1]))
            ), (name, entry.id)


def forms(text: object) -> tuple[str, ...]:
    """A text, or every form of it."""
    return tuple(map(str, text)) if isinstance(text, (tuple, list)) else (str(text or ""),)


def test_a_text_with_a_plural_has_the_same_everywhere() -> None:
    plurals: dict[str, set[str]] = {}
    for message in found_messages():
        plurals.setdefault(message.text, set()).add(message.plural)
    assert {text: found for text, found in plurals.items() if len(found) > 1} == {}


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_no_template_says_anything_outside_of_its_messages(path: Path) -> None:
    assert unmarked(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<p title="Hello">1</p>', ["Hello"]),
        ('<a href="{{ x }}">Go there</a>', ["Go", "there"]),
        ("<p>{{ _('Hello') }} <code>ls</code></p>", []),
        ("<p>{% trans %}Hello{% endtrans %}</p>", []),
        ('<p>{% trans count=n %}one{% pluralize %}{{ count }} runs{% endtrans %}</p>{{ "Hello" if x }}', ["Hello"]),
        ('<p>{{ link("#model-" ~ key) }} {{ "Hello " ~ key }}</p>', ["Hello"]),
        ('<p class="{{ "good" if x }}">{{ x|replace("_", " ") }}</p>', []),
    ],
)
def test_what_stands_outside_of_messages_is_found(template: str, found: list[str]) -> None:
    assert unmarked(template) == found


def unmarked(source: str) -> list[str]:
    """Words of a template that no message holds: in its HTML, in what attributes say, and in what it prints as is."""
    said: list[str] = []
    html: list[str] = []
    inside, printing, tokens = 0, False, list(Environment(extensions=["jinja2.ext.i18n"]).lex(source))
    for place, (_, kind, text) in enumerate(tokens):
        if kind == "name" and text in ("trans", "endtrans") and tokens[place - 2][1] == "block_begin":
            inside += 1 if text == "trans" else -1
        if inside:
            continue
        if kind == "data":
            html.append(text)
        elif kind in ("variable_begin", "block_begin"):
            printing = kind == "variable_begin" and not _in_attribute("".join(html))
            html.append("\N{SECTION SIGN}")
        elif kind == "string" and printing and _printed(tokens, place):
            said.append(text[1:-1])
    markup = CODE.sub(" ", "".join(html))
    texts = [*SPOKEN.findall(markup), re.sub(r"<[^<>]*>", " ", ATTRIBUTE.sub(" ", markup)), *said]
    return [word for text in texts for word in WORDS.findall(NAMES.sub(" ", re.sub(r"&\w+;", " ", text)))]


def _in_attribute(html: str) -> bool:
    return html.rfind("<") > html.rfind(">")


def _printed(tokens: list[tuple[int, str, str]], place: int) -> bool:
    """Whether a string is an expression of its own: no argument, no key, nothing compared."""
    before = next((token for token in reversed(tokens[:place]) if token[1] != "whitespace"), (0, "", ""))
    after = next((token for token in tokens[place + 1 :] if token[1] != "whitespace"), (0, "", ""))
    alone = before[1] == "variable_begin" or before[2] in ("else", "~")
    start = max((n for n in range(place) if tokens[n][1] == "variable_begin"), default=0)
    signs = [text for _, kind, text in tokens[start:place] if kind == "operator"]
    argument = signs.count("(") + signs.count("[") > signs.count(")") + signs.count("]")
    return alone and not argument and (after[1] == "variable_end" or after[2] in ("if", "else", "~"))


def test_messages_are_said_in_the_language_of_the_page() -> None:
    assert str(Message("unknown")) == "unknown"
    assert Message("unknown").said(CHINESE) == "未知"
    runs = Plural("one run", "%(count)s runs", 1200)
    assert (str(runs), runs.said(CHINESE)) == ("1,200 runs", "1,200 次运行")
    assert str(Plural("one run", "%(count)s runs", 1)) == "one run"
    assert Message("For example: %(run)s", run=runs).said(CHINESE) == "例如：1,200 次运行"
    assert Joined((runs, "x")).said(CHINESE) == "1,200 次运行、x"
    assert Message("no catalogue has this").said(CHINESE) == "no catalogue has this"


def test_messages_with_the_same_text_and_values_are_equal() -> None:
    assert Message("a %(x)s", x=1) == Message("a %(x)s", x=1)
    assert Message("a %(x)s", x=1) != Message("a %(x)s", x=2)
    assert len({Message("a"), Message("a"), Plural("a", "b", 1)}) == 2
