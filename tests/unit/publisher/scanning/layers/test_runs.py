"""Runs found in native code are those that the expression alone finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.layers import base64_text, hex_text
from publisher.scanning.layers.runs import Runs
from tests.unit.publisher.scanning.forms import FORMS, labelled

BASE64 = re.compile(rb"(?:[A-Za-z0-9+/_-]{40,}\r?\n[ \t]{0,16})*[A-Za-z0-9+/_-]{16,}={0,2}")
HEX = re.compile(rb"[0-9a-fA-F]{24,}")
BOTH = pytest.mark.parametrize(("runs", "alone"), [(base64_text._RUNS, BASE64), (hex_text._RUNS, HEX)])
PIECES = [
    b"A" * 15, b"b" * 16, b"0" * 23, b"f" * 24, b"C" * 39, b"d" * 40, b"E" * 41, b"-_+/", b"=", b"==", b"===", b"\n",
    b"\r\n",    b"\n  \t", b" " * 17, b" ", b"\0", b"\xff", b"a", b"G", b'"', b"\r",
]  # fmt: skip


def spans(found: object) -> list[tuple[int, int]]:
    return [run.span() for run in found]  # type: ignore[attr-defined]


@BOTH
@given(st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))
def test_native_search_finds_the_runs_of_the_expression(runs: Runs, alone: re.Pattern[bytes], data: bytes) -> None:
    assert spans(runs.find(data)) == spans(alone.finditer(data))


@BOTH
def test_native_search_finds_the_runs_of_the_labelled_strings(runs: Runs, alone: re.Pattern[bytes]) -> None:
    for text, _ in labelled():
        for form in FORMS.values():
            data = form(text).encode()
            assert spans(runs.find(data)) == spans(alone.finditer(data))


@BOTH
@pytest.mark.parametrize("length", [15, 16, 17, 23, 24, 25])
@pytest.mark.parametrize(("before", "after"), [(b"", b""), (b"=", b"="), (b"\xff", b"\xff"), (b"x\n", b"\n")])
def test_run_at_any_edge_is_found(
    runs: Runs, alone: re.Pattern[bytes], length: int, before: bytes, after: bytes
) -> None:
    data = before + b"a" * length + after
    assert spans(runs.find(data)) == spans(alone.finditer(data))
