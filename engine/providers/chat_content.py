"""The content of a chat message or of a delta, which servers send as a string or as a list of parts."""

from __future__ import annotations

from typing import Any

from engine.providers.call_failure import UnusableReplyError

_TEXT_PARTS = frozenset({"text", "output_text"})


def content_text(content: Any) -> str | None:
    """The text of a content, None where it is null; parts of other kinds (reasoning) are left out."""
    if isinstance(content, list):
        return "".join(_part(part) for part in content)
    if content is not None and not isinstance(content, str):
        raise UnusableReplyError("invalid_response", "content that is neither text nor a list of parts")
    return content


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    written = part.get("refusal") if part.get("type") == "refusal" else None
    if part.get("type") in _TEXT_PARTS:
        written = part.get("text")
    return written if isinstance(written, str) else ""
