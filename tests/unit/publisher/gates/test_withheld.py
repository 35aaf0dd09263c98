"""What is withheld stands in nothing that becomes public; where it does, the gate names part, place and mend."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.artifacts.artifact import Artifact, ModelStep
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import withhold
from dataset.artifacts.outside_text import keep
from dataset.questions.withholding import WITHHELD, Withheld, closed
from dataset.record import Localised
from publisher.gates.examination import Examination
from publisher.gates.interface import Fault
from publisher.gates.leak import Leak, LeakSearch
from tests.factories import SampleBatch, SampleSource, WordScanner, make_batch, reseal

QUESTION = "What is the NAV of fund 000001?"
CHINESE = "请告诉我编号000001的那只基金今天的单位净值"
PLAIN = make_batch(case_ids=("fund-nav",), model_keys=("careful",), scenario=lambda planned: "pass")
GATE = "GATE-WITHHELD-001"


def batch_of(*withheld: Withheld, **changes: Any) -> SampleBatch:
    fields: dict[str, Any] = {"case_ids": ("fund-nav",), "model_keys": ("careful",), "scenario": lambda planned: "pass"}
    return make_batch(withheld=withheld, **(fields | changes))


def faults(source: SampleSource) -> tuple[Fault, ...]:
    return Examination(WordScanner()).examine(source).faults


def leaks(whole: bytes, *withheld: Withheld, batch: SampleBatch = PLAIN) -> list[tuple[str, str]]:
    """(part, place) of each leak of a run, with parts withheld as they are closed."""
    return [(leak.part, leak.place) for leak in found_leaks(whole, *withheld, batch=batch)]


def found_leaks(whole: bytes, *withheld: Withheld, batch: SampleBatch = PLAIN) -> list[Leak]:
    parts = closed(withheld)
    return list(LeakSearch(batch.pack).in_run(whole, withhold(whole, parts), case_id="fund-nav", parts=parts))


def answering(text: str) -> bytes:
    """A run whose answer is a text, and no step of it."""
    artifact = open_artifact(next(iter(PLAIN.artifacts.values())))
    return reseal(artifact, result=artifact.result.model_copy(update={"final_output": text}))


def stepping(**changes: Any) -> bytes:
    """A run whose first step is changed."""
    artifact = open_artifact(next(iter(PLAIN.artifacts.values())))
    first = artifact.steps[0].model_copy(update=changes)
    return reseal(artifact, steps=(first, *artifact.steps[1:]))


@pytest.mark.parametrize("part", WITHHELD)
def test_a_batch_that_withholds_a_part_passes_every_gate(part: Withheld) -> None:
    assert faults(SampleSource.of(make_batch(withheld=closed([part])))) == ()


def test_a_batch_that_withholds_everything_passes_every_gate() -> None:
    assert faults(SampleSource.of(make_batch(withheld=WITHHELD))) == ()


def test_what_only_stands_in_a_withheld_section_is_not_scanned_for_secrets() -> None:
    def planted(artifact: Artifact) -> bytes:
        item = artifact.context.items[1].model_copy(update={"text": "a plantedsecret in the session"})
        items = (artifact.context.items[0], item, *artifact.context.items[2:])
        return reseal(artifact, context=artifact.context.model_copy(update={"items": items}))

    for withheld, expected in ((("context",), False), ((), True)):
        source = SampleSource.of(batch_of(*withheld))
        data = planted(open_artifact(source.rows[0].data))
        codes = {fault.code for fault in faults(source.with_row(0, data=data))}
        assert ("GATE-SCAN-001" in codes) is expected


def test_an_answer_that_quotes_a_withheld_question_is_refused_with_GATE_WITHHELD_001() -> None:
    source = SampleSource.of(batch_of("case"))
    artifact = open_artifact(source.rows[0].data)
    quoting = artifact.result.model_copy(update={"final_output": f"You asked: {QUESTION} It is 1.2345."})
    source = source.with_row(0, data=reseal(artifact, result=quoting))
    (fault,) = [fault for fault in faults(source) if fault.code == GATE]
    assert (fault.run_id, fault.place) == ("batch-1-0001", "/result/final_output")
    assert "withhold `result` too" in fault.message
    assert QUESTION not in str(fault)


def test_an_answer_that_quotes_it_is_no_leak_where_the_result_is_withheld_too() -> None:
    assert leaks(answering(f"You asked: {QUESTION}"), "case", "result") == []


def test_the_same_words_are_no_leak_where_nothing_is_withheld() -> None:
    assert leaks(answering(QUESTION)) == []


@pytest.mark.parametrize(
    "quoted",
    [
        "what is  the NAV\n of fund\t000001?",
        "Ｗｈａｔ ｉｓ ｔｈｅ ＮＡＶ ｏｆ ｆｕｎｄ ０００００１？",
        f'{{"asked":"{QUESTION}"}}',
        json.dumps({"deep": [json.dumps({QUESTION: 1})]}),
        json.dumps(f"“{QUESTION}”"),
    ],
    ids=["spaces", "full-width", "json", "json-in-json-key", "json-string"],
)
def test_a_question_in_another_form_is_found(quoted: str) -> None:
    assert ("case", "/result/final_output") in leaks(answering(quoted), "case")


def test_a_question_in_text_kept_as_base64_is_found() -> None:
    whole = stepping(text=keep(b"\xff " + QUESTION.encode()))
    assert ("case", "/steps/0/text/data") in leaks(whole, "case")


def test_a_question_among_the_arguments_of_a_call_is_found_where_it_stands() -> None:
    artifact = open_artifact(next(iter(PLAIN.artifacts.values())))
    assert isinstance(artifact.steps[0], ModelStep)
    raw = json.dumps({"code": QUESTION}, ensure_ascii=True)
    call = artifact.steps[0].tool_calls[0].model_copy(update={"arguments_raw": raw})
    assert leaks(stepping(tool_calls=(call,)), "case") == [("case", "/steps/0/tool_calls/0/arguments_raw")]


def asking(text: Localised) -> SampleBatch:
    """The batch over a bank whose question is another."""
    question = PLAIN.pack.questions["fund-nav"].model_copy(update={"text": text})
    return replace(PLAIN, pack=replace(PLAIN.pack, questions={"fund-nav": question}))


def test_the_question_in_the_other_language_is_withheld_too() -> None:
    batch = asking(Localised(en=QUESTION, zh=CHINESE))
    assert leaks(answering(f"（{CHINESE}）"), "case", batch=batch) == [("case", "/result/final_output")]


def test_a_sentence_of_a_withheld_text_is_found_by_itself() -> None:
    batch = asking(Localised(en="Be brief. My savings are all in this one fund! What is it worth?", zh=CHINESE))
    said = "Since my savings are all in this one fund! I say 1.2345."
    assert leaks(answering(said), "case", batch=batch) == [("case", "/result/final_output")]


@pytest.mark.parametrize(
    ("width", "found"), [("short words of 23 cols.", False), ("these words have 24 col.", True)], ids=["23", "24"]
)
def test_a_text_tells_from_24_columns_on(width: str, found: bool) -> None:
    batch = asking(Localised(en=width, zh=CHINESE))
    assert bool(leaks(answering(f"({width})"), "case", batch=batch)) is found


def test_a_chinese_character_takes_two_columns() -> None:
    for text, found in (("这只基金今天的单位净值", False), ("这只基金今天的单位净值吗", True)):
        assert len(text) == (12 if found else 11)
        batch = asking(Localised(en=QUESTION, zh=text))
        assert bool(leaks(answering(f"（{text}）"), "case", batch=batch)) is found


@pytest.mark.parametrize(
    "token",
    ["f" * 64, "2026-01-02T03:04:05.000Z", "answer.number.nav-of-the-fund", "a-slug-of-more-than-24-characters"],
    ids=["hash", "time", "assertion", "slug"],
)
def test_ids_hashes_and_times_are_public_anyway(token: str) -> None:
    batch = asking(Localised(en=token, zh=CHINESE))
    assert leaks(answering(f"x {token}"), "case", batch=batch) == []


def test_a_text_of_the_catalogue_or_of_a_variant_is_public_anyway() -> None:
    tool = PLAIN.pack.catalogue.tools["fund_nav"]
    described = tool.model_copy(update={"description": Localised(en=f"Answers: {QUESTION}", zh="x")})
    catalogue = replace(PLAIN.pack.catalogue, tools={**PLAIN.pack.catalogue.tools, "fund_nav": described})
    batch = replace(PLAIN, pack=replace(PLAIN.pack, catalogue=catalogue))
    assert leaks(answering(QUESTION), "case", batch=batch) == []
    variant = PLAIN.pack.variants["scoped-en"].model_copy(update={"title": QUESTION})
    batch = replace(PLAIN, pack=replace(PLAIN.pack, variants={"scoped-en": variant}))
    assert leaks(answering(QUESTION), "case", batch=batch) == []


def test_the_question_is_public_where_only_the_context_is_withheld_and_the_session_is_not() -> None:
    assert leaks(answering(QUESTION), "context") == []
    item = PLAIN.pack.questions["fund-nav"].session[0]
    secret = "A licensed sentence that only the session holds."
    session = (item.model_copy(update={"text": Localised(en=secret, zh=CHINESE)}),)
    question = PLAIN.pack.questions["fund-nav"].model_copy(update={"session": session})
    batch = replace(PLAIN, pack=replace(PLAIN.pack, questions={"fund-nav": question}))
    assert leaks(answering(secret), "context", batch=batch) == [("context", "/result/final_output")]


GOLDEN = "The fund charges no fee for redemption at all"


def with_gold(words: str) -> SampleBatch:
    gold = PLAIN.pack.golds["fund-nav"]
    fact = {"id": "fee", "any_of": {"en": (words,), "zh": (CHINESE,)}}
    answer = type(gold.answer).model_validate({"facts": [fact]})
    return replace(PLAIN, pack=replace(PLAIN.pack, golds={"fund-nav": gold.model_copy(update={"answer": answer})}))


def test_a_right_answer_gives_no_gold_away() -> None:
    assert leaks(answering(f"{GOLDEN}."), "gold", batch=with_gold(GOLDEN)) == []


def test_a_gold_in_what_is_made_of_it_is_a_leak() -> None:
    artifact = open_artifact(next(iter(PLAIN.artifacts.values())))
    check = artifact.output_checks[0].model_copy(update={"expected": GOLDEN})
    whole = reseal(artifact, output_checks=(check, *artifact.output_checks[1:]))
    public = withhold(whole, ("judgment",))
    found = LeakSearch(with_gold(GOLDEN).pack).in_run(whole, public, case_id="fund-nav", parts=("gold", "judgment"))
    assert [(leak.part, leak.place, leak.mend) for leak in found] == [
        ("gold", "/output_checks/0/expected", "withhold `output_checks` too")
    ]


def test_what_a_guard_quotes_of_a_public_answer_is_no_leak() -> None:
    answer = "The fund is worth 1.2345 yuan for each unit today."
    artifact = open_artifact(answering(answer))
    quoting = artifact.guardrail_checks[0].model_copy(update={"detail": answer})
    whole = reseal(artifact, guardrail_checks=(quoting, *artifact.guardrail_checks[1:]))
    assert leaks(whole, "guardrail_checks") == []


def test_an_answer_that_an_assertion_quotes_is_a_leak_of_the_result() -> None:
    answer = "The fund is worth 1.2345 yuan for each unit today."
    artifact = open_artifact(answering(answer))
    check = artifact.output_checks[0].model_copy(update={"observed": answer})
    whole = reseal(artifact, output_checks=(check, *artifact.output_checks[1:]))
    assert leaks(whole, "result") == [("result", "/output_checks/0/observed")]


def test_a_place_is_named_once_for_each_part() -> None:
    question = "Be brief, please, whatever it is. My savings are all in this one fund!"
    assert leaks(answering(question), "case", batch=asking(Localised(en=question, zh=CHINESE))) == [
        ("case", "/result/final_output")
    ]


FREE = st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs", "P")), min_size=0, max_size=40)


@settings(max_examples=40)
@given(FREE, FREE)
def test_whatever_a_withheld_question_says_is_found_in_an_answer_that_quotes_it(before: str, after: str) -> None:
    question = f"{before} a planted sentence that has words enough {after}"
    batch = asking(Localised(en=question, zh=CHINESE))
    assert ("case", "/result/final_output") in leaks(answering(f"So: {question}"), "case", batch=batch)


@settings(max_examples=40)
@given(FREE)
def test_what_only_withheld_sections_say_is_no_leak(words: str) -> None:
    secret = f"{words} a planted sentence that has words enough {words}"
    artifact = open_artifact(next(iter(PLAIN.artifacts.values())))
    item = artifact.context.items[1].model_copy(update={"text": secret})
    checks = (artifact.guardrail_checks[0].model_copy(update={"detail": secret}), *artifact.guardrail_checks[1:])
    context = artifact.context.model_copy(update={"items": (artifact.context.items[0], item)})
    assert leaks(reseal(artifact, context=context, guardrail_checks=checks), "context") == []


def test_what_would_give_a_part_away_is_refused_with_GATE_WITHHELD_002_where_it_is_public() -> None:
    batch = batch_of("case")
    definition = batch.definition.model_copy(
        update={"cases": tuple(case.model_copy(update={"withheld": ("case",)}) for case in batch.definition.cases)}
    )
    source = SampleSource.of(batch)
    assert source.stored is not None
    source = replace(source, stored=replace(source.stored, definition=definition, definition_hash=definition.digest()))
    (fault,) = [fault for fault in faults(source) if fault.code == "GATE-WITHHELD-002"]
    assert fault.place == "definition/cases/0/withheld"
    assert "context, guardrail_checks, judgment, output_checks, gold" in fault.message


def test_less_than_the_bank_withholds_is_refused_with_GATE_REF_002() -> None:
    batch = batch_of("case")
    definition = batch.definition.model_copy(
        update={"cases": tuple(case.model_copy(update={"withheld": ()}) for case in batch.definition.cases)}
    )
    source = SampleSource.of(batch)
    assert source.stored is not None
    source = replace(source, stored=replace(source.stored, definition=definition, definition_hash=definition.digest()))
    assert ("GATE-REF-002", "definition/cases/0/withheld") in {(fault.code, fault.place) for fault in faults(source)}


def test_a_withheld_entry_without_a_salt_is_refused_with_GATE_WITHHELD_003() -> None:
    source = SampleSource.of(batch_of("case"))
    assert source.stored is not None
    assert source.stored.pack is not None
    golds = {name: gold.model_copy(update={"salt": None}) for name, gold in source.stored.pack.golds.items()}
    source = replace(source, stored=replace(source.stored, pack=replace(source.stored.pack, golds=golds)))
    (fault,) = [fault for fault in faults(source) if fault.code == "GATE-WITHHELD-003"]
    assert "the gold" in fault.message


def report_leaks(batch: SampleBatch, withheld: dict[str, tuple[Withheld, ...]]) -> list[tuple[str, str, str]]:
    found = LeakSearch(batch.pack).in_report(batch.definition, withheld)
    return [(leak.part, leak.place, leak.mend) for leak in found]


def test_a_withheld_question_that_another_case_shows_is_a_leak_that_names_the_other() -> None:
    batch = make_batch(case_ids=("fund-nav", "order-history"))
    assert report_leaks(batch, {"fund-nav": closed(["case"])}) == [
        ("case", "/cases/1/question/text/en", "withhold `case` of order-history too, or reword it")
    ]
    assert report_leaks(batch, {"fund-nav": closed(["case"]), "order-history": closed(["case"])}) == []


def test_a_withheld_question_in_the_template_of_a_batch_is_a_leak() -> None:
    source = SampleSource.of(batch_of("case"))
    assert source.stored is not None
    assert source.stored.definition is not None
    template = source.stored.definition.template.model_copy(update={"description": Localised(en=QUESTION, zh="x")})
    definition = source.stored.definition.model_copy(update={"template": template})
    source = replace(source, stored=replace(source.stored, definition=definition))
    found = [(fault.run_id, fault.place) for fault in faults(source) if fault.code == GATE]
    assert found == [(None, "/definition/template/description/en")]


def test_a_session_that_a_public_gold_quotes_is_a_leak_that_the_gold_mends() -> None:
    batch = with_gold(QUESTION)
    assert report_leaks(batch, {"fund-nav": closed(["context"])}) == [
        ("context", "/cases/0/gold/answer/facts/0/any_of/en/0", "withhold `gold` too")
    ]
    assert report_leaks(batch, {"fund-nav": closed(["context", "gold"])}) == []


def test_wordings_that_golds_share_give_none_away() -> None:
    batch = make_batch(case_ids=("fund-nav", "order-history"))
    fact = {"id": "fee", "any_of": {"en": (GOLDEN,), "zh": (CHINESE,)}}
    golds = {
        name: gold.model_copy(update={"answer": type(gold.answer).model_validate({"facts": [fact]})})
        for name, gold in batch.pack.golds.items()
    }
    batch = replace(batch, pack=replace(batch.pack, golds=golds))
    assert report_leaks(batch, {"fund-nav": closed(["gold"])}) == []


def test_what_was_revealed_is_no_longer_looked_for() -> None:
    source = SampleSource.of(batch_of("case"))
    artifact = open_artifact(source.rows[0].data)
    quoting = artifact.result.model_copy(update={"final_output": f"You asked: {QUESTION}"})
    source = source.with_row(0, data=reseal(artifact, result=quoting))
    examined = Examination(WordScanner()).examine(source, withheld={"fund-nav": ()})
    assert GATE not in {fault.code for fault in examined.faults}
