"""No text that holds a pattern of the credential engine is kept from it: texts are made from each of its patterns."""

from __future__ import annotations

import random
import re
import warnings
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import kingfisher_sdk
import pytest

from publisher.scanning.rules.credentials import CredentialEngine, engine_gate
from publisher.scanning.rules.engine_gate import LONGEST_REPEAT, EngineGate, widened
from tests.unit.publisher.scanning.reference_gate import OpenGate

_RULES = kingfisher_sdk.Rules()
PATTERNS = {rule["id"]: str(_RULES.detail(rule["id"])["pattern"]) for rule in _RULES.metadata()}
GATE = engine_gate(worthwhile=0)
GATE.may_hold(b"x")
# What stands before and after: nothing at all, the end of a string, a line, bytes that are no text.
EDGES = [(b"", b""), (b'{"a":"', b'"}'), (b"x\n", b"\n"), (b"\xff ", b" \xff")]


class Sampler:
    """Makes a text that a pattern matches, as long or as short as it may be."""

    def __init__(self, seed: int, *, longest: bool) -> None:
        self._rng, self._longest = random.Random(seed), longest

    def text(self, tree: Any) -> str:
        return "".join(self._part(kind, value) for kind, value in tree)

    def _part(self, kind: Any, value: Any) -> str:
        match kind:
            case op.LITERAL:
                return chr(value)
            case op.NOT_LITERAL | op.ANY:
                return "~"
            case op.IN:
                return self._rng.choice(_members(tuple(value)))
            case op.BRANCH:
                return self.text(self._rng.choice(value[1]))
            case op.SUBPATTERN:
                return self.text(value[3])
            case op.MAX_REPEAT | op.MIN_REPEAT:
                least, most, inner = value
                times = min(int(most), max(least, 1) + 300) if self._longest else least
                return "".join(self.text(inner) for _ in range(times))
            case _:
                return ""


@cache
def _members(members: tuple[Any, ...]) -> str:
    """The characters of a class as Python's parser writes it, those that can be seen if any."""
    within = "".join(chr(code) for code in range(256) if _is_in(members, chr(code)))
    return "".join(char for char in within if "!" <= char <= "~") or within


def _is_in(members: Any, char: str) -> bool:
    negated = members[0][0] is op.NEGATE
    return negated is not any(_is_one_of(kind, value, char) for kind, value in members[negated:])


def _is_one_of(kind: Any, value: Any, char: str) -> bool:
    if kind is op.LITERAL:
        return bool(ord(char) == value)
    if kind is op.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    escape = {"DIGIT": "d", "WORD": "w", "SPACE": "s", "NOT_DIGIT": "D", "NOT_WORD": "W", "NOT_SPACE": "S"}
    return bool(re.match("\\" + escape[str(value).removeprefix("CATEGORY_")], char, re.ASCII))


def samples(pattern: str) -> list[bytes]:
    """Texts that hold `pattern` by Python's reading of it; none where Python reads another language."""
    pattern = pattern.replace("[:alnum:]", "A-Za-z0-9")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree, read = _parser.parse(pattern), re.compile(pattern.encode())
    except re.error:
        return []
    made = [
        Sampler(seed, longest=longest).text(tree).encode("latin-1") for seed in range(2) for longest in (False, True)
    ]
    whole = [head + text + tail for text in made for head, tail in EDGES]
    return [text for text in whole if read.search(text)]


def test_text_made_from_a_pattern_of_the_engine_goes_to_the_engine() -> None:
    tried = 0
    for name, pattern in PATTERNS.items():
        texts = samples(pattern)
        tried += bool(texts)
        assert [text for text in texts if not GATE.may_hold(text)] == [], name
    assert tried >= 0.8 * len(PATTERNS)


def test_engine_behind_its_gate_finds_the_same_in_texts_made_from_its_patterns() -> None:
    behind, alone = CredentialEngine(make_gate=lambda: GATE), CredentialEngine(make_gate=OpenGate)
    found = 0
    for pattern in PATTERNS.values():
        for text in samples(pattern)[1::7]:
            hits = list(alone.find(text))
            found += bool(hits)
            assert list(behind.find(text)) == hits
    assert found >= 100


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_text_with_nulls_goes_to_the_engine(encoding: str) -> None:
    assert GATE.may_hold("nothing in it".encode(encoding))


def test_text_without_any_pattern_stays_away_from_the_engine() -> None:
    assert not GATE.may_hold(b'{"answer":"none","total_tokens":17,"digest":"' + b"0123456789abcdef" * 4 + b'"}')


def test_everything_goes_to_the_engine_until_the_patterns_are_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path))
    gate = EngineGate(["some pattern of this test [0-9]{3}"], worthwhile=10)
    assert gate.may_hold(b"12345")
    assert gate.may_hold(b"12345")
    assert not gate.may_hold(b"12345")
    assert gate.may_hold(b"some pattern of this test 123")


@pytest.mark.parametrize(
    ("pattern", "wider"),
    [
        ("a{3}b{0,64}", "a{3}b{0,64}"),
        ("a{65}", "a{64,}"),
        ("a{10,200}?b", "a{10,}?b"),
        ("a{100,}", "a{64,}"),
        (r"[\w{99}]{99}\{99}\x{99}", r"[\w{99}]{64,}\{99}\x{99}"),
        ("[]{99}[:alpha:]]{0,99}", "[]{99}[:alpha:]]{0,}"),
        (r"\Aa[\A]\\A\z", r"^a[\A]\\A$"),
    ],
)
def test_long_repeats_have_no_end(pattern: str, wider: str) -> None:
    assert LONGEST_REPEAT == 64
    assert widened(pattern) == wider
