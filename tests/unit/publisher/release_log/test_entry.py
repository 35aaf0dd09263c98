"""Entries: five kinds, one form each."""

from __future__ import annotations

import json

import pytest

from publisher.release_log.entry import LogEntry, RevealEntry, encoded, read_entry
from publisher.release_log.errors import MalformedError
from tests.factories.release_logs import end, report, run, sha, withdrawal

REVEAL = RevealEntry.model_validate({"run_id": "b-0001", "sections": ("steps", "gold")})
ENTRIES: list[LogEntry] = [
    run("b", 1),
    report("b"),
    withdrawal("b", 1, "a reason with é, \U0001f600 and \x7f"),
    REVEAL,
    end(1),
]
RUN = encoded(run("b", 1))
HASH = sha("x").encode()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.kind)
def test_an_entry_reads_back_from_its_canonical_bytes(entry: LogEntry) -> None:
    data = encoded(entry)
    assert read_entry(data) == entry
    assert data == json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_the_kinds_are_told_apart_by_their_kind_alone() -> None:
    assert {json.loads(encoded(entry))["kind"] for entry in ENTRIES} == {
        "run",
        "report",
        "withdrawal",
        "reveal",
        "release",
    }


@pytest.mark.parametrize(
    ("defect", "data"),
    [
        ("empty", b""),
        ("cut short", RUN[:-1]),
        ("bytes behind the end", RUN + b" "),
        ("two entries", RUN + RUN),
        ("spaces", RUN.replace(b":", b": ")),
        ("keys in another order", b'{"kind":"release","number":1,"index_sha256":"' + HASH + b'"}'),
        ("a key twice", RUN.replace(b'{"art', b'{"kind":"run","art')),
        ("an unknown key", RUN.replace(b'"kind"', b'"also":1,"kind"')),
        ("an unknown kind", RUN.replace(b'"run"', b'"walk"')),
        ("no kind", b'{"run_id":"b-0001"}'),
        ("an escape that isn't needed", RUN.replace(b"b-0001", b"b-\\u0030001")),
        ("an id with a slash", RUN.replace(b"b-0001", b"b/0001")),
        ("an id that leads up", RUN.replace(b"b-0001", b"..")),
        ("an id in upper case", RUN.replace(b"b-0001", b"B-0001")),
        ("NUL in an id", RUN.replace(b"b-0001", b"b\\u0000")),
        ("a hash in upper case", RUN.replace(sha("b-0001").encode(), sha("b-0001").upper().encode())),
        ("not UTF-8", RUN.replace(b"b-0001", b"b\xff")),
        ("a byte order mark", b"\xef\xbb\xbf" + RUN),
        ("a list", b"[" + RUN + b"]"),
        ("nesting", b"[" * 100_000),
        ("number in text", encoded(end(1)).replace(b":1}", b':"1"}')),
        ("number as a decimal", encoded(end(1)).replace(b":1}", b":1.0}")),
        ("number as a truth", encoded(end(1)).replace(b":1}", b":true}")),
        ("number with a leading zero", encoded(end(1)).replace(b":1}", b":01}")),
        ("release 0", encoded(end(1)).replace(b":1}", b":0}")),
        ("a huge number", encoded(end(1)).replace(b":1}", b":" + b"9" * 5000 + b"}")),
        ("2^53", encoded(end(1)).replace(b":1}", b":9007199254740992}")),
        ("a lone surrogate", encoded(withdrawal("b", 1)).replace(b"its", b"\\ud800")),
        ("spaces around a reason", encoded(withdrawal("b", 1)).replace(b'"its', b'" its')),
        ("a short reason", encoded(withdrawal("b", 1, "too long")).replace(b"too long", b"short")),
        ("nothing revealed", encoded(REVEAL).replace(b'["steps","gold"]', b"[]")),
        ("revealed in another order", encoded(REVEAL).replace(b'["steps","gold"]', b'["gold","steps"]')),
        ("revealed twice", encoded(REVEAL).replace(b'["steps","gold"]', b'["gold","gold"]')),
        ("provenance, which is always public", encoded(REVEAL).replace(b"steps", b"provenance")),
    ],
)
def test_anything_else_is_refused(defect: str, data: bytes) -> None:
    assert data not in map(encoded, ENTRIES)
    with pytest.raises(MalformedError):
        read_entry(data)
