from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.gate import Gate
from publisher.scanning.lens import Lens
from publisher.scanning.rules.credentials import CredentialEngine, engine_gate
from publisher.scanning.scanner import LAYERS, default_rules
from tests.unit.publisher.scanning.forms import FORMS, labelled
from tests.unit.publisher.scanning.reference_gate import OpenGate

# The credential engine's gate is made at once, however little there is to look at.
FAST_ENGINE = CredentialEngine(make_gate=partial(engine_gate, worthwhile=0))
OTHER_RULES = default_rules({"SOME_VARIABLE": "a value of nobody é 4711\\"}, ["canary 金丝雀 0815"], contacts=True)[1:]
RULES = [FAST_ENGINE, *OTHER_RULES]
FAST = Lens(RULES, *LAYERS)
SLOW = Lens([CredentialEngine(make_gate=OpenGate), *OTHER_RULES], *LAYERS, make_gate=OpenGate)
MARKS = [mark for rule in RULES for mark in rule.marks] + [
    mark for row in LAYERS for layer in row for mark in layer.marks
]
GATE = Gate(MARKS[:9], MARKS[9:])
PIECES = [
    b"10.0.0.5", b"fd00::1", b"http://db01/", b"nas.internal", b"/home/al", b"C:\\Users\\al", b"<<SYS>>",
    b"password=", b"token: ", b"a8F3kLm29QzXw71TnVbYc5Rd", b"\\n", b'"', b'","', b"%41", b"&amp;", b"&#x67;",
    b"\xe2\x80\x8b", b"\xef\xbc\xa1", b"\0", b"{", b"}", b"\n", b" ", b"dGhlIHBocmFzZSB0aGF0IGlz",
    b"7468652070687261736520746861", b"\xff", b"a value of nobody ", b"canary ", b"+44 20 7946 0958", b"a@b.cn",
    b"kind: Secret\ndata:\n  a: YWRtaW46cGFzc3dvcmQ=\n",
]  # fmt: skip


def test_fast_and_slow_path_see_the_same_in_the_labelled_strings_in_every_form() -> None:
    for text, _ in labelled():
        for form in FORMS.values():
            data = form(text).encode()
            assert list(FAST.sightings(data)) == list(SLOW.sightings(data))


def test_fast_and_slow_path_see_the_same_in_random_mixes_of_the_labelled_strings() -> None:
    rng, samples, forms = random.Random(7), labelled(), list(FORMS.values())
    for _ in range(150):
        pieces = [rng.choice(forms)(rng.choice(samples)[0]) for _ in range(4)]
        data = rng.choice(['","', "\n", " ", '":"', "/"]).join(pieces).encode()
        for _ in range(rng.randrange(3)):
            data = data.replace(rng.choice(data).to_bytes(1, "big"), rng.choice(PIECES), 2)
        assert list(FAST.sightings(data)) == list(SLOW.sightings(data))


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join))
def test_fast_and_slow_path_see_the_same_in_random_bytes(data: bytes) -> None:
    assert list(FAST.sightings(data)) == list(SLOW.sightings(data))


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join))
def test_no_pattern_that_occurs_is_held_back(data: bytes) -> None:
    passed = GATE.passed(data)
    assert [mark.pattern for at, mark in enumerate(MARKS) if mark.search(data) and at not in passed] == []


def test_patterns_that_do_not_occur_are_held_back() -> None:
    assert GATE.passed(b"plain prose of everyday life, with nothing in it; 1.20% a year") == set()


def test_threads_share_a_gate() -> None:
    gate = Gate([re.compile(rb"a"), re.compile(rb"b")])
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(gate.passed, [b"xa", b"xb", b"ab", b""] * 200)) == [{0}, {1}, {0, 1}, set()] * 200


@given(st.lists(st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=6).map(b"".join), max_size=9))
def test_texts_looked_at_together_are_seen_as_each_alone(texts: list[bytes]) -> None:
    assert FAST.sightings_each(texts) == [FAST.sightings(text) for text in texts]


def test_labelled_strings_looked_at_together_are_seen_as_each_alone() -> None:
    texts = [form(text).encode() for text, _ in labelled() for form in FORMS.values()]
    alone = [SLOW.sightings(text) for text in texts]
    for size in (2, 7, 200):
        groups = [FAST.sightings_each(texts[at : at + size]) for at in range(0, len(texts), size)]
        assert [seen for group in groups for seen in group] == alone


def test_large_texts_among_small_ones_are_seen_as_each_alone(github_token: str) -> None:
    plain = b"plain prose, and more of it. " * 3000
    texts = [plain, github_token.encode(), b"", plain + github_token.encode(), plain * 3, b"10.0.0.5", plain]
    seen = FAST.sightings_each(texts)
    assert seen == [FAST.sightings(text) for text in texts]
    assert [len(each) for each in seen] == [0, 1, 0, 1, 0, 1, 0]
