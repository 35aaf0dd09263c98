import base64
import inspect
import json
import os
import random
import string
import subprocess
import sys
import tarfile
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.context import token_counter
from dataset.context.token_classes import bridges, character_costs, word_costs
from dataset.context.token_counter import ADDITIVE_SLACK, COUNTER_VERSION, count_tokens
from tests.benchmarks.hostile_texts import KINDS
from tests.benchmarks.real_tokenizers import LOADERS, RealTokenizer
from tests.benchmarks.token_tables.word_table import word_lines

ROOT = Path(__file__).parents[4]

PROSE = """The committee met on Tuesday to discuss the new library. Several members had asked for longer opening
hours, while others worried about the cost of heating the old building through the winter. After two hours of
debate they agreed to try a shorter plan: the doors will stay open until nine on weekdays, and a volunteer will be
at the desk every evening. "We should know by spring whether people really come," said the chair, who has lived in
the town for more than thirty years. Nobody expects miracles. Still, the children's room was full last month, and
that is a better sign than any survey. The money comes from a small fund that a former teacher left to the town;
it cannot be spent on anything but books, lamps and chairs. What happens when it runs out is a question for later.
"""
CHINESE = """昨天下午我和朋友去了城南的旧书店，那里的老板是一位退休教师，他总是热情地给每位客人推荐适合的书。
您好，您的订单已于上周三发货，预计三至五个工作日送达。如需修改收货地址，请在发货前联系客服。
人工智能模型在回答问题时可能产生与事实不符的内容，因此评测系统必须记录每一次工具调用以及最终的回答。
截至六月末，该行总资产约为三万二千亿元，较年初增长百分之四点七；不良贷款率为百分之一点三。
"""
RECORDS = [
    {"client_id": f"C-{n:04d}", "name": name, "active": n % 2 == 0, "holdings": [{"fund": "bond", "share": n / 7}]}
    for n, name in enumerate(["Ada", "Grace", "Edsger", "Barbara", "Donald"] * 4)
]
TEXTS = {
    "prose": PROSE,
    "chinese": CHINESE,
    "code": inspect.getsource(tarfile),
    "json": json.dumps(RECORDS, indent=2),
    "compact json": json.dumps(RECORDS, separators=(",", ":")),
    "digits": "3.14159265358979 2026-07-14 +49 30 901820 0x1f 1,234,567.89 192.168.0.1 " + "0123456789" * 30,
    "emoji": "Done \U0001f389 thanks \U0001f44d\U0001f3fd "
    + "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea" * 9,
    "combining marks": unicodedata.normalize("NFD", "Crème brûlée, Zürich, façade, Đặng Thị Ngọc, Ångström ") * 5,
    "base64": base64.b64encode(random.Random(5).randbytes(900)).decode(),
}
MOST = {"prose": 1.6, "code": 2.0, "json": 2.0, "compact json": 2.0}

HOSTILE = [
    "\ud800", "\udfff\ud800", "\x00" * 40, "👩‍👩‍👧‍👦" * 9, "e\u0301\u0323\u0308" * 20, "3141592653589793" * 20,
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=" * 5, "deadbeef0123" * 9, " " * 3000, "\n" * 300, "\t" * 300, " \n" * 99,
    "        if x:\n            return\r\n", "  1", " 미", '":,', "مرحبا بالعالم", "สวัสดีชาวโลก", "नमस्ते दुनिया", "𓀀𓁐𒀀ꙮ",
    "\ue000\uf8ff\U0010ffff", "ﷺ㎯ﬃ", "廤크" * 9, "EPAc", "CONTENews", "AreaImportance", "thequickbrownfox",
    "naïve café",
    "Donaudampfschifffahrtsgesellschaft", "szczególności", "\x7f\x1a\x01", "\u3000\u2028\xa0", "한국어 텍스트",
    "日本語の文",
]  # fmt: skip
GOLDEN = {
    "": 0,
    "Hello, world!": 6,
    "The quick brown fox jumps over the lazy dog.": 11,
    "getUserName": 4,
    "HTTPServerError404": 11,
    '{"id": 12, "name": "Ada"}': 17,
    "    return self._value\n": 8,
    "基金的单位净值每天公布一次。": 16,
    "naïve café": 7,
    "Привет, мир": 13,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466": 23,
    "deadbeef0123456789": 17,
    "   \n\n\t": 6,
    "internationalization": 11,
    "\ud800": 4,
    "3,141.59%": 10,
}

words = st.sampled_from(sorted(word_costs().after_space))
glue = st.sampled_from(["", " ", "  ", "\n", ". ", "_", "-", '": ', '","', "'", "1", "é", "中", "。", "，"])
scripts = st.sampled_from([chr(c) for c in character_costs()])
signs = st.sampled_from(string.printable)
texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet=string.ascii_lowercase, max_size=30),
    st.text(alphabet=string.ascii_letters + string.digits, max_size=60),
    st.lists(st.one_of(words, glue, scripts, signs), max_size=12).map("".join),
)


def _uncached(text: str) -> int:
    return token_counter._count(text)


@cache
def _loaded(name: str) -> RealTokenizer:
    return LOADERS[name]()


@pytest.fixture(params=LOADERS)
def real(request: pytest.FixtureRequest) -> RealTokenizer:
    try:
        return _loaded(request.param)
    except LookupError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("label", TEXTS)
def test_ordinary_text_is_never_undercounted(label: str, real: RealTokenizer) -> None:
    assert count_tokens(TEXTS[label]) >= real.count(TEXTS[label])


@pytest.mark.parametrize("label", ["prose", "code", "json", "compact json"])
def test_english_code_and_json_stay_under_their_bound(label: str, real: RealTokenizer) -> None:
    assert count_tokens(TEXTS[label]) <= MOST[label] * real.count(TEXTS[label])


@pytest.mark.parametrize(("name", "most"), [("cl100k", 1.6), ("claude", 1.6), ("tekken", 2.0), ("qwen", 2.2)])
def test_chinese_stays_under_its_bound(name: str, most: float) -> None:
    # qwen alone has whole Chinese words; cl100k needs 1.9 times its tokens, and must not be undercounted either.
    try:
        real = _loaded(name)
    except LookupError as missing:
        pytest.skip(str(missing))
    assert count_tokens(CHINESE) <= most * real.count(CHINESE)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_text_is_never_undercounted(text: str, real: RealTokenizer) -> None:
    assert count_tokens(text) >= real.count(text)


def test_any_text_is_never_undercounted(real: RealTokenizer) -> None:
    @settings(max_examples=400)
    @given(texts)
    def check(text: str) -> None:
        assert count_tokens(text) >= real.count(text)

    check()


def test_each_known_word_is_never_undercounted_after_a_space_or_a_sign(real: RealTokenizer) -> None:
    sample = random.Random(7).sample(sorted(word_costs().after_space), 4000)
    under = [w for w in sample for text in (w, f"a {w}", f"({w})", f"x_{w}") if count_tokens(text) < real.count(text)]
    assert under == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_hostile_text_is_undercounted(kind: str, real: RealTokenizer) -> None:
    rng = random.Random(31)
    generated = [KINDS[kind](rng) for _ in range(2000)]
    assert [text for text in generated if count_tokens(text) < real.count(text)] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_pinned_vocabularies_make_the_committed_tables_byte_for_byte(tmp_path: Path) -> None:
    for name in LOADERS:
        try:
            _loaded(name)
        except LookupError as missing:
            pytest.skip(str(missing))
    command = [sys.executable, "-m", "tests.benchmarks.token_tables", "--to", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for table in ("token_words.txt", "token_chars.txt"):
        assert (tmp_path / table).read_bytes() == (ROOT / "dataset" / "context" / table).read_bytes(), table


def test_a_string_is_known_where_enough_vocabularies_hold_it_and_costs_what_the_dearest_makes_of_it() -> None:
    by_word = RealTokenizer(count=lambda text: len(text.split()), vocabulary=frozenset({b" fund", b"loan"}))
    by_letter = RealTokenizer(count=lambda text: len(text.replace(" ", "")), vocabulary=frozenset({b" fund"}))
    lines = word_lines([by_word, by_word, by_word, by_word, by_letter])
    assert "f+u+n+d 44" in lines
    assert not [line for line in lines if line.startswith("l+o")]


@settings(max_examples=400)
@given(texts, texts)
def test_adding_text_never_lowers_the_count_and_adds_up_within_the_slack(first: str, second: str) -> None:
    whole = count_tokens(first + second)
    assert whole >= count_tokens(first)
    assert abs(whole - count_tokens(first) - count_tokens(second)) <= ADDITIVE_SLACK


@settings(max_examples=300)
@given(st.lists(texts, min_size=1, max_size=8).map("".join))
def test_a_text_counts_the_same_however_finely_it_is_counted_in_parts(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counter, "_PART", len(text) + 1)
        whole = _uncached(text)
        patch.setattr(token_counter, "_PART", 1)
        assert _uncached(text) == whole


def test_no_sign_at_which_chinese_is_cut_begins_a_dearer_pair() -> None:
    for sign in "。，":
        assert not bridges().search("".join(sign + chr(code) for code in range(0x80, 0x10000)))


@settings(max_examples=300)
@given(st.lists(texts, min_size=1, max_size=8).map("".join))
def test_the_last_pieces_are_the_same_however_little_of_the_text_is_read_for_them(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counter, "_TAIL", len(text) + 1)
        whole = _uncached(text)
        patch.setattr(token_counter, "_TAIL", 1)
        assert _uncached(text) == whole


def test_many_unknown_words_are_not_all_kept_and_do_not_change_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"{a}{b}{c}q" for a in string.ascii_letters for b in string.ascii_letters for c in "xyz")
    expected = count_tokens(text)
    monkeypatch.setattr(token_counter, "_KNOWN_COSTS", 10)
    token_counter._piece_costs().clear()
    assert count_tokens(text) == expected
    assert len(token_counter._piece_costs()) <= 10


@pytest.mark.parametrize(
    "unit", ["the fund ", '{"id": 12}, ', "基金。\n", "中", "a", "A", "aB", " ", "7", ".", '"', "\x7f"]
)
def test_each_character_is_handled_a_fixed_number_of_times_however_long_the_text(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handled: list[int] = []

    def listening(rule: Callable[[str], object]) -> Callable[[str], object]:
        def listened(part: str) -> object:
            handled.append(len(part))
            return rule(part)

        return listened

    monkeypatch.setattr(token_counter, "_part_cost", listening(token_counter._part_cost))
    monkeypatch.setattr(token_counter, "_pieces", listening(token_counter._pieces))
    for length in (200_000, 800_000):
        handled.clear()
        _uncached(unit * (length // len(unit)))
        assert sum(handled) <= 2.5 * length


def test_progress_of_a_long_text_ends_at_its_length_and_changes_no_count() -> None:
    text = PROSE * 400
    told: list[int] = []
    assert count_tokens(text, told.append) == count_tokens(text)
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1] == len(text)


def test_every_longer_prefix_of_prose_counts_at_least_as_much() -> None:
    counts = [count_tokens(PROSE[:n]) for n in range(len(PROSE))]
    assert counts == sorted(counts)


def test_every_prefix_of_a_known_word_is_known_and_costs_no_more() -> None:
    prefixes = word_costs().prefixes
    assert all(0 <= cost - prefixes.get(word[:-1], cost) <= 1 for word, cost in prefixes.items())
    assert all(word[:-1] in prefixes for word in prefixes if len(word) > 1)


def test_the_count_is_no_byte_count() -> None:
    assert count_tokens(PROSE) < len(PROSE.encode()) / 3
    assert count_tokens("") == 0


def test_the_count_depends_on_neither_locale_nor_hash_seed() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from dataset.context.token_counter import count_tokens;"
        "print([count_tokens(t) for t in ('naïve text', '基金净值', 'getUserName(x)')])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("7", "tr_TR.UTF-8"))
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(("text", "tokens"), GOLDEN.items(), ids=ascii)
def test_a_changed_count_needs_a_new_version(text: str, tokens: int) -> None:
    assert (COUNTER_VERSION, count_tokens(text)) == ("gb-tokens/1", tokens)
