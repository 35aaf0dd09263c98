from __future__ import annotations

import pytest

from dataset.measures.correction import corrected
from dataset.questions.guardrail_policy import CueGroup, WordingPattern, WordingPolicy, WordingRules
from dataset.record import Locale
from engine.guardrails.interface import AnswerContext
from engine.guardrails.wording import WordingGuard

EN = WordingRules(
    statement="Not possible.",
    note="Mind the risk.",
    terms={"verb": "buy|sell"},
    cues={
        "negation": CueGroup(scope="clause", patterns=("\\bnever\\b", "n't\\b")),
        "reporting": CueGroup(scope="sentence", patterns=("\\brecords?\\b",)),
    },
    patterns=(
        WordingPattern(id="will", unless=("negation", "reporting"), regex="\\bwill {{verb}}\\b"),
        WordingPattern(id="always", unless=(), regex="\\bdo not {{verb}}\\b"),
    ),
)
ZH = WordingRules(
    statement="无法办理。",
    cues={"negation": CueGroup(scope="clause", patterns=("不",))},
    patterns=(WordingPattern(id="hui", unless=("negation",), regex="会(?:买|卖)"),),
)
GUARD = WordingGuard(name="wording", code="OUT-X-001", policy=WordingPolicy(en=EN, zh=ZH))


def check(answer: str, locale: Locale = "en") -> str:
    return GUARD.check(answer, AnswerContext(locale=locale, question="", tool_results=())).text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Hello. I will buy it. Bye.", "Hello. Not possible. Bye.\n\nMind the risk."),
        ("I WILL BUY it", "Not possible.\n\nMind the risk."),
        ("- I will sell.\n- Bye.", "- Not possible.\n- Bye.\n\nMind the risk."),
        ("2. I will sell.", "2. Not possible.\n\nMind the risk."),
        ("你好。我会买。再见。", "你好。无法办理。再见。"),
        ("I never ask, but I will buy.", "Not possible.\n\nMind the risk."),
        ("You do not sell.", "Not possible.\n\nMind the risk."),
        ("I’ll wait. I will buy.", "I’ll wait. Not possible.\n\nMind the risk."),
    ],
)
def test_sentence_is_replaced_and_the_rest_stays(answer: str, expected: str) -> None:
    assert check(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "I never will buy.",
        "I don’t think I will buy.",
        "Your records, as I see, will sell.",
        "我不会买。",
        "Hello.",
        "",
        "12.5% of 1,234",
    ],
)
def test_sentence_with_a_cue_or_without_a_match_stays(answer: str) -> None:
    assert check(answer) == answer


def test_statement_and_note_stand_once_however_many_sentences_go() -> None:
    assert check("I will buy. Or I will sell. Bye.") == "Not possible.  Bye.\n\nMind the risk."


def test_note_that_stands_already_is_not_repeated() -> None:
    assert check("I will buy. Mind the risk.") == "Not possible. Mind the risk."


def test_corrections_rebuild_the_text_and_name_the_pattern() -> None:
    answer = "Hello. I will buy it. Bye."

    outcome = GUARD.check(answer, AnswerContext(locale="en", question="", tool_results=()))

    assert corrected(answer, outcome.corrections) == outcome.text
    assert [(c.original, c.reason) for c in outcome.corrections] == [
        ("I will buy it.", "pattern will"),
        ("", "note appended"),
    ]
    assert answer[outcome.corrections[0].start : outcome.corrections[0].end] == "I will buy it."


def test_sentence_of_another_language_gets_its_own_statement() -> None:
    assert check("我会卖。", "en") == "无法办理。"
