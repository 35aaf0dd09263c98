"""The one root of every error that Glassbench raises on purpose."""

from __future__ import annotations


class GlassbenchError(Exception):
    """Something a person can act on: what is wrong, where, and what to do next.

    `code` is stable and meant for machines (`DB-SCHEMA-001`); the message names the thing and the place;
    `hint` names the mend (a command, a setting), or is empty where the message already does.
    """

    code = "GB-000"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return self.message
