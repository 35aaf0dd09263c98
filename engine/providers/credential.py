"""The key of one model: had from its source, sent in one header, and removed from everything that comes back."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from dataset.errors import GlassbenchError
from engine.providers.model_entry import ModelEntry

REMOVED = "[credential removed]"
_PARTS = re.compile(r"\\+|.", re.DOTALL)
SHORTEST_KEY = 8
"""Characters. Removing every occurrence of a shorter one from a model's text would eat words."""
LONGEST_KEY = 8192
USABLE_KEY = f"{SHORTEST_KEY} to {LONGEST_KEY} visible ASCII characters"
"""What a key has to be, in words."""
_USABLE = re.compile(rf"[\x21-\x7e]{{{SHORTEST_KEY},{LONGEST_KEY}}}")


class CredentialMissingError(GlassbenchError):
    """The environment variable that a model's entry names isn't set."""

    code = "MODEL-CRED-001"

    def __init__(self, variable: str, model_key: str) -> None:
        super().__init__(
            f"model {model_key!r} needs its key in the environment variable {variable}, which isn't set",
            hint=f"export {variable}=… and start again",
        )


class CredentialUnusableError(GlassbenchError):
    """A key that can't be sent in a header; the message doesn't repeat it."""

    code = "MODEL-CRED-002"

    def __init__(self, model_key: str) -> None:
        super().__init__(
            f"the key of model {model_key!r} isn't {USABLE_KEY}",
            hint="look for a line break, a blank or a cut-off value in its variable",
        )


class CredentialSource(Protocol):
    """Where the keys of models come from."""

    def resolve(self, entry: ModelEntry) -> str | None:
        """The model's key; None where its entry needs none. A GlassbenchError names the mend where it can't be had."""


@dataclass(frozen=True, slots=True)
class EnvironmentCredentials:
    """Keys in environment variables, by the name that a model's entry gives."""

    environ: Mapping[str, str]

    def resolve(self, entry: ModelEntry) -> str | None:
        """The variable's value; CredentialMissingError where it isn't set."""
        if entry.credential_env is None:
            return None
        value = self.environ.get(entry.credential_env)
        if not value:
            raise CredentialMissingError(entry.credential_env, entry.key)
        return value

    def __repr__(self) -> str:
        return "EnvironmentCredentials(…)"


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialSources:
    """The source that a model's entry asks for: the store of sealed keys, else the environment."""

    environment: CredentialSource
    stored: CredentialSource

    def resolve(self, entry: ModelEntry) -> str | None:
        """As the entry's own source resolves it."""
        return (self.stored if takes_stored_key(entry) else self.environment).resolve(entry)


def takes_stored_key(entry: ModelEntry) -> bool:
    """Whether the entry says that its key stands in the store."""
    return entry.stored_credential


def is_usable(key: str) -> bool:
    """Whether a text can be a key: as `USABLE_KEY` says, no blanks."""
    return _USABLE.fullmatch(key) is not None


class Credential:
    """A key, or none. It has no representation that shows it."""

    def __init__(self, key: str | None, *, model_key: str) -> None:
        if key is not None and not is_usable(key):
            raise CredentialUnusableError(model_key)
        self._key = key
        self._encoded = tuple(_base64_cores(key)) if key is not None else ()
        self._escaped = re.compile(_escaped_form(key)) if key is not None else None

    def headers(self, name: str = "Authorization", prefix: str = "Bearer ") -> dict[str, str]:
        """The header that carries the key, or nothing."""
        return {} if self._key is None else {name: f"{prefix}{self._key}"}

    def remove_from(self, text: str) -> str:
        """The text with the key replaced, be it plain, JSON-escaped, percent-encoded or in base64.

        Takes time in proportion to the text, whatever that holds: it comes from outside.
        """
        if self._key is None or self._escaped is None:
            return text
        for spelling in (self._key, *self._encoded):
            if spelling in text:
                text = text.replace(spelling, REMOVED)
        return self._escaped.sub(REMOVED, text) if "\\" in text or "%" in text else text


def _escaped_form(key: str) -> str:
    """A pattern of the key with any of its characters escaped: JSON, JSON inside JSON, percent form.

    Every repetition is possessive, and one at the start begins where a run of backslashes begins: so no run is read
    twice. A run of backslashes in the key is one part, because each may stand for several in the text.
    """
    parts: list[str] = []
    after_run = False
    for part in _PARTS.findall(key):
        before = "" if parts else r"(?<!\\)"
        if part[0] == "\\":
            parts.append(before + r"(?:\\++(?i:u005c)?|(?i:%5c))++")
        else:
            backslashes = r"\\*+" if after_run else before + r"\\++"
            plain = re.escape(part)
            if part in '"/':
                plain = rf"(?:{before}\\++)?+{plain}"
            parts.append(rf"(?:{plain}|(?i:{backslashes}u00{ord(part):02x}|%{ord(part):02x}))")
        after_run = part[0] == "\\"
    return "".join(parts)


def _base64_cores(key: str) -> Iterator[str]:
    """What the key looks like inside a base64 text, by where it begins in a group of three bytes, in both alphabets."""
    for offset in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield _base64_core(encode(b"\0" * offset + key.encode()).decode(), offset, len(key))


def _base64_core(encoded: str, offset: int, length: int) -> str:
    """The characters of a base64 text that follow from the key alone, whatever stands before and after it."""
    first = -(-offset * 8 // 6)
    last = (offset + length) * 8 // 6
    return encoded[first:last]
