"""What is withheld takes with it whatever would give it away; and what a pack may withhold."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.disclosure import ALWAYS_PUBLIC
from dataset.questions.pack_reader import read_pack
from dataset.questions.withholding import WITHHELD, Withheld, closed, hides_gold, hides_question

ARTIFACT_PAGE = Path(__file__).parents[4] / "docs" / "reference" / "artifact.md"
MINIMAL = Path(__file__).parents[3] / "data" / "packs" / "minimal"
PARTS = st.sets(st.sampled_from(WITHHELD))
CASE = "cases/dollar-rate.yaml"


def test_the_page_of_the_artifact_says_what_is_withheld_with_what() -> None:
    table = (
        ARTIFACT_PAGE.read_text(encoding="utf-8").partition("| withheld | withheld with it |")[2].partition("\n\n")[0]
    )
    rows = [re.findall(r"`(\w+)`", row) for row in table.splitlines() if "`" in row]
    with_it = {row[0]: set(row[1:]) for row in rows}
    for part in WITHHELD:
        found = {part}
        while more := set().union(*(with_it.get(one, set()) for one in found)) - found:
            found |= more
        assert found == set(closed([part]))


@given(PARTS)
def test_closing_again_adds_nothing(parts: set[Withheld]) -> None:
    assert closed(closed(parts)) == closed(parts)


@given(PARTS, PARTS)
def test_withholding_more_never_shows_more(some: set[Withheld], others: set[Withheld]) -> None:
    assert set(closed(some)) <= set(closed(some | others))
    assert set(closed(some)) | set(closed(others)) == set(closed(some | others))


@given(PARTS)
def test_what_is_named_is_withheld_and_told_in_one_order(parts: set[Withheld]) -> None:
    found = closed(parts)
    assert parts <= set(found)
    assert list(found) == [part for part in WITHHELD if part in found]


def test_nothing_withheld_closes_to_nothing() -> None:
    assert closed(()) == ()


def test_everything_but_provenance_can_be_withheld() -> None:
    assert set(WITHHELD) == {*SECTION_NAMES, "gold"} - set(ALWAYS_PUBLIC)


@pytest.mark.parametrize(
    ("part", "with_it"),
    [
        ("case", {"case", "context", "guardrail_checks", "gold", "output_checks", "judgment"}),
        ("context", {"context", "guardrail_checks"}),
        ("gold", {"gold", "output_checks", "judgment"}),
        ("output_checks", {"gold", "output_checks", "judgment"}),
        ("steps", {"steps", "result", "guardrail_checks"}),
        ("result", {"steps", "result", "guardrail_checks"}),
        ("judgment", {"judgment"}),
        ("visible_tools", {"visible_tools"}),
        ("guardrail_checks", {"guardrail_checks"}),
    ],
)
def test_a_part_takes_with_it_what_would_give_it_away(part: Withheld, with_it: set[str]) -> None:
    assert set(closed([part])) == with_it


def test_the_banks_entries_are_hidden_with_the_parts_made_of_them() -> None:
    for size in range(len(WITHHELD) + 1):
        for parts in combinations(WITHHELD, size):
            assert hides_gold(parts) == ("gold" in parts)
            assert hides_question(parts) == bool({"case", "context"} & set(parts))


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MINIMAL, tmp_path / "pack"))


def add(pack: Path, file: str, after: str, lines: str) -> None:
    text = (pack / file).read_text()
    assert after in text
    (pack / file).write_text(text.replace(after, after + lines, 1))


def faults(pack: Path) -> list[str]:
    return [fault.code for fault in read_pack(pack).faults]


def test_a_salted_case_can_be_withheld_and_says_so(pack: Path) -> None:
    add(pack, CASE, "question:\n", f"  withheld: [case]\n  salt: {'a1' * 16}\n")
    add(pack, CASE, "gold:\n", f"  salt: {'b2' * 16}\n")
    read = read_pack(pack)
    assert read.faults == ()
    assert read.pack is not None
    assert read.pack.withheld("dollar-rate") == closed(["case"])


def test_parts_of_the_pack_and_of_the_case_are_withheld_together(pack: Path) -> None:
    add(pack, "pack.yaml", "version: 1\n", "withheld: [visible_tools]\n")
    add(pack, CASE, "question:\n", "  withheld: [judgment]\n")
    read = read_pack(pack)
    assert read.pack is not None
    assert read.pack.withheld("dollar-rate") == ("visible_tools", "judgment")


def test_parts_that_hold_neither_question_nor_gold_need_no_salt(pack: Path) -> None:
    add(pack, CASE, "question:\n", "  withheld: [steps, visible_tools, judgment]\n")
    assert faults(pack) == []


def test_a_salt_on_what_is_public_is_no_fault(pack: Path) -> None:
    add(pack, CASE, "question:\n", f"  salt: {'a1' * 16}\n")
    assert faults(pack) == []


def test_an_unknown_part_is_told_with_those_that_there_are(pack: Path) -> None:
    add(pack, CASE, "question:\n", "  withheld: [answer]\n")
    (fault,) = read_pack(pack).faults
    assert "'answer'" in fault.message
    assert all(part in fault.message for part in WITHHELD)


def test_another_salt_is_another_hash_of_the_same_question(pack: Path) -> None:
    hashes = set()
    for salt in ("a1" * 16, "b2" * 16):
        add(pack, CASE, "question:\n", f"  salt: {salt}\n")
        read = read_pack(pack)
        assert read.pack is not None
        hashes.add(read.pack.questions["dollar-rate"].digest())
        shutil.copy(MINIMAL / CASE, pack / CASE)
    assert len(hashes) == 2


def canary(pack: Path, words: str) -> list[str]:
    add(pack, "pack.yaml", "version: 1\n", f"canaries: ['{words}']\n")
    return faults(pack)


def test_a_canary_in_a_withheld_question_is_no_fault(pack: Path) -> None:
    add(pack, CASE, "question:\n", f"  withheld: [case]\n  salt: {'a1' * 16}\n")
    add(pack, CASE, "gold:\n", f"  salt: {'b2' * 16}\n")
    assert canary(pack, "What is the rate of the dollar") == []


def test_a_canary_in_a_question_of_which_only_the_gold_is_withheld_is_refused(pack: Path) -> None:
    add(pack, CASE, "question:\n", "  withheld: [gold]\n")
    add(pack, CASE, "gold:\n", f"  salt: {'b2' * 16}\n")
    assert canary(pack, "What is the rate of the dollar") == ["PACK-CANARY-002"]


def test_a_canary_in_a_system_prompt_is_no_fault(pack: Path) -> None:
    prompt = (pack / "prompts" / "clerk.v1.en.md").read_text().strip().splitlines()[-1]
    assert canary(pack, prompt[:40].replace("'", "''").strip()) == []


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("tools/rate.yaml", "Rate of a currency"),
        ("scenes.yaml", "en: Desk"),
        ("variants.yaml", "title: English"),
        ("templates/all.yaml", "Every case once"),
    ],
)
def test_a_canary_in_what_every_release_shows_is_refused(pack: Path, file: str, words: str) -> None:
    add(pack, file, words, " canary-11-22")
    assert canary(pack, "CANARY-11-22") == ["PACK-CANARY-002"]
