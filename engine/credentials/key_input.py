"""Reading a key from a person or a pipe: never from the command line, never shown."""

from __future__ import annotations

import getpass
import sys
import warnings
from collections.abc import Sequence

from pydantic import SecretStr

from engine.credentials.errors import InputRefusedError
from engine.providers.credential import LONGEST_KEY

STANDARD_INPUT = "-"


def read_key(model_key: str, words: Sequence[str]) -> SecretStr:
    """The key of a model: asked for without echo at a terminal, else the one line of standard input.

    `words` is what the command line holds behind the model: nothing, or `-` for standard input. InputRefusedError.
    """
    if any(word != STANDARD_INPUT for word in words):
        raise InputRefusedError(
            "a key is never taken from the command line, where other programs and the shell's history see it",
            hint="if that was one, revoke it; then give the new one when asked, or through a pipe",
            code="CRED-INPUT-001",
            reason="value_on_command_line",
        )
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    value = _asked(f"Key of {model_key}: ") if at_terminal and not words else _piped()
    if not value.get_secret_value():
        raise InputRefusedError(
            "no key was given", hint="type or pipe it in", code="CRED-INPUT-002", reason="value_missing"
        )
    return value


def _piped() -> SecretStr:
    """One line, without its end. More than one, or too many characters, is refused later as no key."""
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(LONGEST_KEY + 3)
    return SecretStr(data.removesuffix(b"\n").removesuffix(b"\r").decode("ascii", "replace"))


def _asked(prompt: str) -> SecretStr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return SecretStr(getpass.getpass(prompt))
    except getpass.GetPassWarning:
        raise InputRefusedError(
            "this terminal would show what is typed",
            hint="give the key through a pipe: `… | glassbench credential set MODEL -`",
            code="CRED-INPUT-003",
            reason="terminal_echoes",
        ) from None
    except EOFError:
        return SecretStr("")
