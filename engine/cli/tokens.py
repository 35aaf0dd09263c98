"""`glassbench tokens [FILE]`."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import counted, print_json, printable
from dataset.errors import GlassbenchError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

STANDARD_INPUT = Path("-")
MOST_BYTES = 1 << 30
"""What is longer is refused: a device that never ends would fill the memory."""
_BLOCK = 1 << 20
_QUIET_SECONDS = 0.5
_REDRAW_SECONDS = 0.1


class TokensInputError(GlassbenchError):
    """What was to be counted can't be read: no such file, a directory, no permission, too long."""

    code = "TOKENS-INPUT-001"


class TokensEncodingError(GlassbenchError):
    """What was to be counted isn't UTF-8 text."""

    code = "TOKENS-UTF8-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counted:
    name: str
    size: int
    tokens: int


def tokens(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="UTF-8 text; `-` or none: standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count tokens: never fewer than the real tokenizers it was measured against make of the text.

    Several files make a line each and a total. A file that can't be read ends it, with no count.
    """
    from dataset.context.token_counter import COUNTER_VERSION

    found = [_count_file(path) for path in files or [STANDARD_INPUT]]
    total = sum(each.tokens for each in found)
    if as_json:
        listed = [{"name": each.name, "bytes": each.size, "tokens": each.tokens} for each in found]
        print_json({"counter_version": COUNTER_VERSION, "files": listed, "tokens": total})
    elif len(found) == 1:
        print(f"{counted(total, 'token')} at most ({COUNTER_VERSION})")
    else:
        width = len(f"{total:,}")
        for each in found:
            print(f"{each.tokens:{width},}  {printable(each.name)}")
        print(f"{total:,}  tokens at most in {len(found)} files ({COUNTER_VERSION})")


def _count_file(path: Path) -> _Counted:
    from dataset.context.token_counter import count_tokens

    name = "standard input" if path == STANDARD_INPUT else str(path)
    data = _read(path, name)
    size = len(data)
    text = _decoded(data, name)
    # The text alone may need four times the file's size.
    data.clear()
    progress = _Progress(name=name, length=len(text))
    try:
        return _Counted(name=name, size=size, tokens=count_tokens(text, progress.show))
    finally:
        progress.clear()


def _read(path: Path, name: str) -> bytearray:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise TokensInputError("standard input is closed", hint="name a file, or pipe text in")
        if sys.stdin.isatty():
            print("reading standard input; end it with Ctrl-D", file=sys.stderr)
        return _all_bytes(sys.stdin.buffer, name)
    try:
        with path.open("rb") as stream:
            return _all_bytes(stream, name)
    except IsADirectoryError as error:
        raise TokensInputError(f"{name} is a directory", hint=f"name its files: `{name}/*`") from error
    except OSError as error:
        raise TokensInputError(f"{name} can't be read: {error.strerror}", hint="check the path") from error


def _all_bytes(stream: BinaryIO, name: str) -> bytearray:
    data = bytearray()
    while block := stream.read(_BLOCK):
        data += block
        if len(data) > MOST_BYTES:
            raise TokensInputError(f"{name} is longer than {MOST_BYTES:,} bytes", hint="split it and count the parts")
    return data


def _decoded(data: bytearray, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TokensEncodingError(
            f"{name} isn't UTF-8: byte 0x{data[error.start]:02x} at offset {error.start} (line {line})",
            hint=_mend(data),
        ) from error


def _mend(data: bytearray) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it looks like UTF-16: `iconv -f UTF-16 -t UTF-8` converts it"
    if b"\0" in data:
        return "it looks like a binary file: take its text out first"
    return "convert it first, such as with `iconv -f ISO-8859-1 -t UTF-8` or `iconv -f GB18030 -t UTF-8`"


class _Progress:
    """How far a long count is, on a terminal's standard error alone, and only where it takes more than a moment."""

    def __init__(self, *, name: str, length: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = printable(name)
        self._length = length
        self._clock = clock
        self._due = clock() + _QUIET_SECONDS
        self._shown = False

    def show(self, done: int) -> None:
        now = self._clock()
        if now < self._due or sys.stderr is None or not sys.stderr.isatty():
            return
        self._due = now + _REDRAW_SECONDS
        self._shown = True
        print(f"\r\x1b[Kcounting {self._name}: {100 * done // self._length} %", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            with suppress(OSError):
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
