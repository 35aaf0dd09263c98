from __future__ import annotations

import re

from publisher.scanning.layers.spans import LONGEST_TOKEN, REACH, spans

MARK = (re.compile(rb"#"), re.compile(rb"@"))


def test_marks_near_each_other_share_a_span_and_others_do_not() -> None:
    gap = b"x " * REACH
    data = gap * 2 + b"#" + gap[:100] + b"@" + gap * 3 + b"#"
    found = list(spans(data, MARK))
    assert len(found) == 2
    assert [data[start:end].count(b"#") + data[start:end].count(b"@") for start, end in found] == [2, 1]


def test_a_span_cuts_no_token() -> None:
    data = b" " + b"a" * 3000 + b"#" + b"b" * 3000 + b" tail"
    assert [data[start:end] for start, end in spans(data, MARK)] == [data[1:-5]]


def test_an_endless_token_does_not_make_a_span_endless() -> None:
    data = b"a" * 200_000 + b"#" + b"b" * 200_000
    ((start, end),) = spans(data, MARK)
    assert end - start <= 2 * (REACH + LONGEST_TOKEN) + 2
