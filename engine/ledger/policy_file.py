"""Reads a policy as a person writes it: TOML, every fault at once, each with its place."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dataset.errors import GlassbenchError
from engine.ledger.policy import Policy, ScopeLimits

LARGEST_FILE = 64 * 1024
_TOP = [field.alias or name for name, field in Policy.model_fields.items()]
_LIMITS = list(ScopeLimits.model_fields)


class PolicyFileError(GlassbenchError):
    """A file that holds no policy; the message lists every fault."""

    code = "LEDGER-POLICY-003"


def read_policy(file: Path) -> Policy:
    """The policy of a TOML file; what it leaves out is no limit. PolicyFileError."""
    try:
        document = _plain(tomllib.loads(_text_of(file), parse_float=Decimal))
    except UnicodeDecodeError:
        raise _broken(file, ["is not UTF-8"]) from None
    except tomllib.TOMLDecodeError as error:
        raise _broken(file, [f"is not valid TOML: {error}"]) from None
    except RecursionError:
        raise _broken(file, ["is nested too deep"]) from None
    except ValueError:  # an integer of more digits than Python converts
        raise _broken(file, ["holds a number of too many digits"]) from None
    try:
        return Policy.model_validate(document)
    except ValidationError as error:
        details = error.errors(include_input=False, include_url=False, include_context=False)
        raise _broken(file, [_told(detail) for detail in details]) from None


def _text_of(file: Path) -> str:
    """What a regular file of sensible size holds: a pipe or a device would be waited for without end."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _broken(file, ["is no regular file"])
        if found.st_size > LARGEST_FILE:
            raise _broken(file, [f"has {found.st_size:,} bytes; a policy has at most {LARGEST_FILE:,}"])
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise _broken(file, [f"can't be read: {error.strerror}"]) from None


def _told(detail: Mapping[str, Any]) -> str:
    parts = [str(part) for part in detail["loc"] if part != "[key]"]
    place = ".".join(parts) or "the document"
    if detail["loc"] and detail["loc"][-1] == "[key]":
        table = parts[0] if parts else ""
        only = 'only [batch."*"] can be limited here; one batch gets its limits when it is created'
        return f"{place}: {only if table == 'batch' else 'is no name of a provider or model'}"
    if detail["type"] == "extra_forbidden":
        close = get_close_matches(parts[-1], _TOP if len(parts) == 1 else _LIMITS, n=1)
        return f"{place}: unknown setting" + (f"; did you mean {close[0]}?" if close else "")
    return f"{place}: {str(detail['msg']).removeprefix('Value error, ')}"


def _plain(value: Any) -> Any:
    """TOML's exact numbers as the text that the records keep."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return format(value, "f") if isinstance(value, Decimal) else value


def _broken(file: Path, faults: Iterable[str]) -> PolicyFileError:
    listed = list(faults)
    told = f" {listed[0]}" if len(listed) == 1 else "\n" + "\n".join(f"  {fault}" for fault in listed)
    return PolicyFileError(f"{file}:{told}", hint="every setting is explained in docs/reference/ledger.md")
