"""The built-in finance pack: sound, complete, and its careful transcripts say only what the evidence says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import dataset
from dataset.measures.metric import METRIC_BY_ID
from dataset.measures.numbers import find_numbers, states_same_number
from dataset.measures.numbers_mention import QUANTITIES
from dataset.questions.pack import Pack
from dataset.questions.pack_reader import read_pack
from dataset.questions.question import Category
from dataset.questions.session import SessionItem
from dataset.questions.transcript import ScriptedCall
from dataset.record import LOCALES, Locale, Localised, LocalisedList
from dataset.tools.pure_function import PURE_FUNCTIONS
from dataset.tools.scene import LOGIN_STATES

FINANCE = Path(dataset.__file__).parent / "packs" / "finance"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
CAREFUL_MISTAKES = {"holding-in-dollars": {"8241.50"}}
"""A figure that the careful style works out in its head, wrongly: the run must fail."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    reading = read_pack(FINANCE, known_metrics=METRIC_BY_ID)
    assert reading.faults == (), [str(fault) for fault in reading.faults]
    assert reading.pack is not None
    return reading.pack


def test_bank_holds_cases_of_every_category(pack: Pack) -> None:
    assert len(pack.questions) == 23
    assert {question.category for question in pack.questions.values()} == set(get_args(Category))
    assert pack.golds.keys() == pack.questions.keys()


def test_every_text_stands_in_both_languages(pack: Pack) -> None:
    records = [*pack.questions.values(), *pack.golds.values(), *pack.catalogue.tools.values(), *pack.prompts.values()]
    texts = [text for record in records for text in _localised(record)]

    assert len(texts) > 300
    assert [text.en for text in texts if isinstance(text, Localised) and CHINESE.search(text.en)] == []
    assert [text.zh for text in texts if isinstance(text, Localised) and not CHINESE.search(text.zh)] == []


def _localised(value: object) -> Iterator[Localised | LocalisedList]:
    if isinstance(value, SessionItem) and (value.trust == "untrusted" or value.category.startswith("tool_")):
        return  # What a tool was asked and said is the same in both languages; outsiders write in whichever they like.
    if isinstance(value, Localised | LocalisedList):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _localised(item)
    elif hasattr(type(value), "model_fields"):
        for name in type(value).model_fields:  # type: ignore[attr-defined]
            yield from _localised(getattr(value, name))


def test_catalogue_reads_much_computes_once_and_writes_nothing_that_is_executed(pack: Pack) -> None:
    tools = pack.catalogue.tools.values()

    assert sum(tool.access == "read" for tool in tools) >= 12
    assert [tool.name for tool in tools if tool.access == "pure" and tool.function in PURE_FUNCTIONS] == ["calculate"]
    assert [tool.name for tool in tools if tool.access == "write"] == ["watchlist_add"]
    assert {tool.name for tool in tools if tool.untrusted_output} == {"news_search"}


def test_every_tool_is_loaded_somewhere_and_login_states_differ(pack: Pack) -> None:
    loaded = {name for scene in pack.catalogue.scenes.values() for s in LOGIN_STATES for name in scene.tools.to(s)}

    assert loaded == set(pack.catalogue.tools)
    assert len(pack.catalogue.scenes) >= 4
    assert pack.catalogue.visible("account", "anonymous") != pack.catalogue.visible("account", "logged_in")
    assert not pack.catalogue.holds("read_suitability", "logged_in")
    assert pack.catalogue.holds("read_suitability", "logged_in_assessed")


def test_every_read_tool_has_replies_and_some_are_errors_or_hostile(pack: Pack) -> None:
    fixtures = [frozen.fixture for frozen in pack.fixtures.fixtures.values()]

    assert {f.tool for f in fixtures} == {t.name for t in pack.catalogue.tools.values() if t.access == "read"}
    assert len({f.tool for f in fixtures if f.status == "error"}) >= 5
    hostile = [f for f in fixtures if f.hostile]
    assert {f.tool for f in hostile} == {"news_search"}
    assert any(CHINESE.search(f.reply) for f in hostile)


def test_some_cases_bring_a_session_with_trusted_and_untrusted_items(pack: Pack) -> None:
    items = [item for question in pack.questions.values() for item in question.session]

    assert {"policy", "dialogue", "note", "document"} <= {item.category for item in items}
    assert any(item.required for item in items)
    outside = [item for item in items if item.trust == "untrusted" and item.category == "document"]
    assert len(outside) > 10
    assert [item.id for item in outside if not CHINESE.search(item.text.zh)] == []


def test_both_styles_have_a_transcript_for_every_case(pack: Pack) -> None:
    assert pack.transcripts.keys() == {(s, case) for s in ("careful", "careless") for case in pack.questions}


@pytest.mark.parametrize("locale", LOCALES)
def test_every_number_of_a_careful_answer_stands_in_its_evidence(pack: Pack, locale: Locale) -> None:
    for case_id, question in pack.questions.items():
        session = [item.text.to(locale) for item in question.session if item.trust == "trusted"]
        evidence = [question.text.to(locale), *session, *_replies(pack, case_id, locale)]
        known = [number for text in evidence for number in find_numbers(text) if number.kind in QUANTITIES]
        text = pack.transcripts["careful", case_id].turns[-1].text
        assert text is not None
        ungrounded = {
            str(number.value)
            for number in find_numbers(text.to(locale))
            if number.kind in QUANTITIES and not any(states_same_number(number, other) for other in known)
        }
        assert ungrounded == CAREFUL_MISTAKES.get(case_id, set()), case_id


@pytest.mark.parametrize("locale", LOCALES)
def test_every_careful_call_is_loaded_and_has_a_reply(pack: Pack, locale: Locale) -> None:
    for case_id, question in pack.questions.items():
        loaded = {tool.name for tool in pack.catalogue.visible(question.scene, question.login_state)}
        calls = list(_calls(pack, case_id, locale))
        assert {call.tool for call in calls} <= loaded, case_id
        assert len(list(_replies(pack, case_id, locale))) == len(calls)


def _calls(pack: Pack, case_id: str, locale: Locale) -> Iterator[ScriptedCall]:
    for turn in pack.transcripts["careful", case_id].turns:
        yield from turn.calls_zh if locale == "zh" and turn.calls_zh is not None else turn.calls


def _replies(pack: Pack, case_id: str, locale: Locale) -> Iterator[str]:
    for call in _calls(pack, case_id, locale):
        tool = pack.catalogue.tools[call.tool]
        assert isinstance(call.arguments, dict)
        if tool.function is not None:
            yield PURE_FUNCTIONS[tool.function](call.arguments).text
        else:
            frozen = pack.fixtures.find(tool.name, tool.version, call.arguments)
            assert frozen is not None, (case_id, call)
            yield frozen.fixture.reply
