"""The digest of what a model is asked: two asks with the same digest are the same ask."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from dataset.canonical import canonical_bytes, canonical_plain
from engine.context.message import Message
from engine.providers.interface import ModelRequest

_TOOL_SETS = 512


class RequestDigest:
    """Digests of requests to one model: who is asked, which messages and tools, how long the answer may be.

    A digest is the sha256 of the canonical JSON of `max_output_tokens`, `messages`, `model` and `tools`. The tools of
    a case are the same in every call, so they are written out once.
    """

    def __init__(self, model_digest: str) -> None:
        self._model = canonical_plain(model_digest)
        self._tool_texts: dict[int, tuple[object, bytes]] = {}

    def __call__(self, request: ModelRequest) -> str:
        """The digest in hexadecimal."""
        digest = hashlib.sha256(b'{"max_output_tokens":%b' % canonical_plain(request.max_output_tokens))
        digest.update(b',"messages":%b' % canonical_plain([_asked(message) for message in request.messages]))
        digest.update(b',"model":%b,"tools":%b}' % (self._model, self._tools(request.tools)))
        return digest.hexdigest()

    def _tools(self, tools: tuple[Mapping[str, Any], ...]) -> bytes:
        known = self._tool_texts.get(id(tools))
        if known is None:
            if len(self._tool_texts) >= _TOOL_SETS:
                self._tool_texts.clear()
            # The set itself is kept, too, so that no other one can come to have its identity.
            known = self._tool_texts[id(tools)] = (tools, canonical_bytes(list(tools), allow_floats=True))
        return known[1]


def _asked(message: Message) -> dict[str, object]:
    return {
        "role": message.role,
        "content": message.content,
        "calls": [[call.id, call.name, call.arguments] for call in message.tool_calls],
        "answers": message.tool_call_id,
    }
