"""How every command speaks: results to stdout, errors to stderr with code and mend, one JSON form for machines."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from dataset.errors import GlassbenchError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

EXIT_ERROR = 1
EXIT_FOUND = 3
EXIT_REFUSED = 4
EXIT_DIFFERENT = 5
EXIT_INTERRUPTED = 130
_ANY_WIDTH = 1_000_000
_PIPED_WIDTH = 100_000
"""Where no terminal sets a width: each row of a table is one line, for `grep` and `less -S`."""


def run_command(app: Callable[[], Any]) -> None:
    """Runs a command and exits: 0 well, 1 an error of ours (printed with code and hint), 2 wrong usage, 130 stopped."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks (a Chinese question in an ASCII locale) is shown escaped; it ends no command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, where a closed pipe can still be met
    except GlassbenchError as error:
        print_error(error, as_json="--json" in sys.argv)
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        _discard_output()  # the reader of our output is gone
        sys.exit(EXIT_ERROR)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        message = f"the system refused: {error.strerror or type(error).__name__}{place}"
        print_error(GlassbenchError(message, code="SYSTEM-001"), as_json="--json" in sys.argv)
        _discard_output()
        sys.exit(EXIT_ERROR)


def _open_closed_streams() -> None:
    """A caller may have closed our streams (`>&-`): what is said then goes nowhere, and that is no error."""
    if sys.stdout is None:
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()


def _discard_output() -> None:
    """What is still buffered has nowhere to go; the interpreter must not try again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(error: GlassbenchError, *, as_json: bool) -> None:
    """The error on stderr: one JSON object for machines, two lines for people."""
    if as_json:
        body = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
        print(json.dumps(body, ensure_ascii=not _speaks_unicode(sys.stderr)), file=sys.stderr)
        return
    print(f"error [{error.code}]: {printable(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  → {printable(error.hint)}", file=sys.stderr)


def print_json(value: Any) -> None:
    """One JSON value on stdout, sorted and indented."""
    print(json.dumps(value, ensure_ascii=not _speaks_unicode(sys.stdout), indent=2, sort_keys=True))


def _speaks_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("_", "-").startswith("utf")


def printable(text: str) -> str:
    """Text from outside as a terminal may show it: control characters are made visible, never sent."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def console(*, stderr: bool = False) -> Console:
    """A rich console: as wide as the terminal; into a file or pipe as wide as what is written."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else _PIPED_WIDTH, highlight=False)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; columns that start with `#` are right-aligned.

    Where that is too wide for the terminal, a line for each cell instead: what is to be read or copied is never broken.
    """
    from rich.measure import Measurement

    cells = [[printable("–" if cell is None else str(cell)) for cell in row] for row in rows]
    table, out = _table(title, columns, cells), console()
    if not cells or Measurement.get(out, out.options.update(width=_ANY_WIDTH), table).maximum <= out.width:
        with out.capture() as shown:
            out.print(table)
        print("\n".join(line.rstrip() for line in shown.get().splitlines()))
        return
    names = [column.lstrip("#") for column in columns]
    lines = [title] if title else []
    for row in cells:
        lines += ["", *(f"{name}: {cell}" for name, cell in zip(names, row, strict=True))]
    print("\n".join(lines))


def _table(title: str, columns: Sequence[str], cells: Iterable[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table: Table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for position, column in enumerate(columns):
        # The first column is what the next command needs: it is never broken.
        table.add_column(
            column.lstrip("#"),
            justify="right" if column.startswith("#") else "left",
            overflow="fold",
            no_wrap=position == 0,
        )
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 run`, `2 runs`, `1,200 runs`; `many` where adding an s isn't enough."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def named(names: Collection[str], *, most: int = 3, each: str = "") -> str:
    """`a, b, c`; where there are more than `most`, `a, b, c and 4 more`, so that no list is cut in silence. `each` says
    of what."""
    first = ", ".join(islice(names, most))
    left = len(names) - most
    return f"{first} and {counted(left, f'more {each}') if each else f'{left:,} more'}" if left > 0 else first


def span_text(seconds: float) -> str:
    """A time in the unit that a person would say it in."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
