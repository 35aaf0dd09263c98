"""Why one HTTP attempt gave no reply: the class, what may be said about it, and whether another try makes sense."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from engine.providers.credential import Credential
from engine.providers.interface import ProviderErrorCode, Reported
from engine.providers.outside_json import UnreadableJsonError, checked_token, read_outside_json

_EXCERPT_CHARACTERS = 160
# Ordinary words and short counts only, because the message ends up in an artifact that will be published: an excerpt
# ends at the first address, path, markup, hyphenated name, or token that mixes letters with digits or cases.
_WORD = r"(?:[A-Z]?[a-z]{1,24}(?:'[a-z]{1,2})?|[A-Z]{1,12})"
_PLAIN_WORD = re.compile(rf"""["'`(\[]{{0,2}}(?:{_WORD}(?:_{_WORD}){{0,5}}|[0-9]{{1,7}})["'`)\]]{{0,2}}[.,:;!?]*""")
# What follows one of these is somebody's name, however ordinary it looks.
_OWNER = re.compile(
    r"\W*(?:organi[sz]ation|org|tenant|account|project|workspace|customer|subscription|deployment|user|username"
    r"|node|host|hostname|pod|cluster|region)(?:_[a-z]+)?\b",
    re.IGNORECASE,
)
_CONTEXT_WORDING = re.compile(
    r"context[ _]length|context[ _]window|context[ _]size|maximum context|prompt is too long|too many input tokens"
)
_FILTER_WORDING = re.compile(
    r"content[ _]filter|content[ _]policy|content[ _]management[ _]policy|responsibleaipolicy|safety[ _]system"
)
# Timeout of the request and "too early" say nothing against the request itself.
_PASSING_STATUSES = frozenset({408, 425, 429})
_PASSING_KINDS = frozenset(
    {"api_error", "overloaded_error", "rate_limit_error", "rate_limit_exceeded", "server_error", "timeout_error"}
)
# 429 with an empty account: waiting doesn't fill it.
_EXHAUSTED_KINDS = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFailure:
    """One failed attempt. `retry_after` is what the server asks to wait, in seconds; `reported` what it said so far."""

    code: ProviderErrorCode
    message: str
    retryable: bool = False
    retry_after: float | None = None
    reported: Reported | None = None


class UnusableReplyError(Exception):
    """Raised by a codec where a document or an event holds no reply; caught where the answer is read."""

    def __init__(self, code: ProviderErrorCode, what: str, *, retryable: bool = False) -> None:
        super().__init__(what)
        self.failure = CallFailure(code=code, message=what, retryable=retryable)


class ErrorObjectError(Exception):
    """Raised by a codec where the server put an error object in the place of a reply."""

    def __init__(self, document: Any) -> None:
        super().__init__("an error object")
        self.document = document


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerError:
    """What a server's error object says: its codes, as far as they are plain tokens, and its words."""

    kinds: tuple[str, ...] = ()
    words: str = ""

    @classmethod
    def of(cls, document: Any, credential: Credential) -> ServerError:
        """Reads `{"error": {…}}`, `{"error": "…"}` and the flat forms `{"message": …}`, `{"detail": …}`."""
        inner = document.get("error") or document if isinstance(document, dict) else {}
        if isinstance(inner, str):
            return cls(words=credential.remove_from(inner))
        if not isinstance(inner, dict):
            return cls()
        kinds = (checked_token(credential.remove_from(str(inner.get(name)))) for name in _kind_fields(inner))
        words = next((inner[n] for n in ("message", "detail") if isinstance(inner.get(n), str)), "")
        return cls(kinds=tuple(kind for kind in kinds if kind), words=credential.remove_from(words))

    def describe(self) -> str:
        """The codes and an excerpt of the words that is safe to record; empty where neither is."""
        kinds = [kind for kind in self.kinds if _PLAIN_WORD.fullmatch(kind)]
        told = f" ({', '.join(kinds)})" if kinds else ""
        excerpt = _excerpt(self.words)
        return f"{told}: {excerpt}" if excerpt else told

    def mentions(self, wording: re.Pattern[str]) -> bool:
        """Whether codes or words hold the wording."""
        return wording.search(" ".join((*self.kinds, self.words)).lower()) is not None

    def is_passing(self) -> bool:
        """Whether the error object itself says that the server is busy or broken for the moment."""
        return any(kind in _PASSING_KINDS or re.fullmatch(r"429|5\d\d", kind) for kind in self.kinds)


def failure_of_status(status: int, body: bytes, retry_after: float | None, credential: Credential) -> CallFailure:
    """The failure behind an answer that isn't 2xx."""
    if status < 400:
        return CallFailure(code="invalid_response", message=f"HTTP {status} is no answer: redirects are not followed")
    error = _server_error(body, credential)
    return CallFailure(
        code=_code_of_status(status, error),
        message=f"HTTP {status}{error.describe()}",
        retryable=(status in _PASSING_STATUSES or status >= 500) and not _EXHAUSTED_KINDS.intersection(error.kinds),
        retry_after=retry_after,
    )


def failure_of_error_object(document: Any, credential: Credential, *, streamed: bool) -> CallFailure:
    """The failure behind a 2xx that carries an error object, as its body or as an event of its stream."""
    error = ServerError.of(document, credential)
    return CallFailure(
        code="stream_error" if streamed else "invalid_response",
        message=f"{'a stream' if streamed else 'HTTP 200'} with an error object{error.describe()}",
        retryable=error.is_passing(),
    )


def _code_of_status(status: int, error: ServerError) -> ProviderErrorCode:
    if status in (401, 403):
        return "authentication_error"
    if status == 429:
        return "rate_limited"
    if 500 <= status <= 599:
        return "provider_5xx"
    if status > 599:
        return "invalid_response"
    if error.mentions(_CONTEXT_WORDING):
        return "context_overflow"
    return "content_filtered" if error.mentions(_FILTER_WORDING) else "provider_4xx"


def _server_error(body: bytes, credential: Credential) -> ServerError:
    try:
        return ServerError.of(read_outside_json(body), credential)
    except UnreadableJsonError:
        return ServerError()


def _kind_fields(error: dict[str, Any]) -> list[str]:
    # A status code or a name; other types (objects, null, true) say nothing.
    return [n for n in ("type", "code") if type(error.get(n)) in (str, int)]


def _excerpt(words: str) -> str:
    kept: list[str] = []
    for word in words.split()[:_EXCERPT_CHARACTERS]:
        if not _PLAIN_WORD.fullmatch(word) or len(" ".join([*kept, word])) > _EXCERPT_CHARACTERS:
            break
        kept.append(word)
        if _OWNER.match(word):
            break
    return " ".join(kept)
