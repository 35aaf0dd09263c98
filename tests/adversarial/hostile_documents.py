"""Documents that are nearly right: one thing in each of them must never be believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Spoil = Callable[[bytes], bytes]


def _at_first_integer(text: bytes) -> Spoil:
    """Puts another spelling in the place of the first integer of a document."""

    def spoil(data: bytes) -> bytes:
        start = next(at for at in range(1, len(data)) if data[at : at + 1].isdigit() and data[at - 1 : at] == b":")
        end = start
        while data[end : end + 1].isdigit():
            end += 1
        return data[:start] + text + data[end:]

    return spoil


def _with_member(member: bytes) -> Spoil:
    return lambda data: b"{" + member + b"," + data[1:]


def _first_string(text: bytes) -> Spoil:
    """Puts other bytes into the first string value of a document."""

    def spoil(data: bytes) -> bytes:
        start = data.index(b':"') + 2
        return data[:start] + text + data[start:]

    return spoil


SPOILS: Mapping[str, Spoil] = {
    "nan": _at_first_integer(b"NaN"),
    "infinity": _at_first_integer(b"-Infinity"),
    "1e400": _at_first_integer(b"1e400"),
    "2^53+1": _at_first_integer(b"9007199254740993"),
    "an integer of 5,000 digits": _at_first_integer(b"1" * 5000),
    "a float": _at_first_integer(b"1.0"),
    "minus zero": _at_first_integer(b"-0"),
    "a leading zero": _at_first_integer(b"01"),
    "a duplicate key": lambda data: data[: data.index(b",") + 1] + data[1:],
    "a lone surrogate in a key": _with_member(rb'"\ud800":1'),
    "a lone surrogate in a value": _first_string(rb"\udfff"),
    "a surrogate in utf-8": _first_string(b"\xed\xa0\x80"),
    "an unknown key": _with_member(b'"!":1'),
    "depth 2,000": _with_member(b'"!":' + b"[" * 2000 + b"]" * 2000),
    "depth 100,000": _with_member(b'"!":' + b"[" * 100_000),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a newline behind": lambda data: data + b"\n",
    "a blank within": lambda data: data.replace(b'":', b'": ', 1),
    "an escaped slash": _first_string(rb"\/"),
    "an upper-case escape": _first_string(rb"\u001F"),
    "no utf-8": _first_string(b"\xff"),
    "a nul": _first_string(b"\0"),
    "a second document": lambda data: data + data,
    "half a document": lambda data: data[: len(data) // 2],
    "nothing": lambda data: b"",
    "null": lambda data: b"null",
    "a list": lambda data: b"[" + data + b"]",
}
"""How to spoil the canonical bytes of any record that begins with a member and holds an integer and a string."""

UNSAFE_NAMES = (
    "../batch-1-0001",
    "runs/batch-1-0001",
    "batch-1-0001\0",
    "batch-1-0001\\x",
    "BATCH-1-0001",
    "bätch-1-0001",
    "batch-1-0001 ",
    ".",
    "..",
    "",
    "con",
    "a" * 300,
    "batch-1-000\u0661",
    "batch-1-0001\u200b",
    "batch-1-0001%2e",
)
"""Ids that lead elsewhere, collide with another on some file system, or can't stand on one."""
