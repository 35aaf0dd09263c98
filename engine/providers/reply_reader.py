"""Turns the document of an answer, received whole or put together from a stream, into a reply.

Everything a server sent passes here, once and whole, before it goes on: here the key is taken out (a key that two
parts of a stream shared is whole by now) and ids are checked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dataset.tools.arguments import parse_arguments
from engine.providers.call_failure import CallFailure, ErrorObjectError, UnusableReplyError, failure_of_error_object
from engine.providers.credential import Credential
from engine.providers.interface import ModelReply, ReplyCall, Reported
from engine.providers.outside_json import UnreadableJsonError, checked_token, read_outside_json
from engine.providers.wire_codec import RawAnswer, WireCodec
from engine.providers.wire_document import MOST_CALLS, Document


class ReplyReader:
    """Reads replies of one wire API; what comes out holds no spelling of the credential."""

    def __init__(self, codec: WireCodec, credential: Credential) -> None:
        self._codec = codec
        self._credential = credential

    def read_body(self, body: bytes, *, request_id: str | None) -> ModelReply | CallFailure:
        """The reply in a body of 2xx, or what is wrong with it. `request_id` is the header's, None without one."""
        if not body.strip():
            return CallFailure(code="empty_response", message="HTTP 200 with an empty body")
        try:
            document = read_outside_json(body)
        except UnreadableJsonError as error:
            return CallFailure(code="invalid_response", message=f"HTTP 200 with {error}")
        if not isinstance(document, dict):
            return CallFailure(code="invalid_response", message="HTTP 200 with JSON that is no object")
        return self.read_document(document, request_id=request_id, streamed=False)

    def read_document(self, document: Document, *, request_id: str | None, streamed: bool) -> ModelReply | CallFailure:
        """The reply in a document, or what is wrong with it. Latency and attempts are the caller's to add."""
        reported = self.reported(document, request_id=request_id)
        try:
            answer = self._codec.answer(document)
        except (UnusableReplyError, ErrorObjectError) as error:
            return replace(self.failure_of(error, streamed=streamed), reported=reported)
        except RecursionError:  # a value just shallow enough to be read, too deep to be written
            deep = UnusableReplyError("invalid_response", "JSON nested too deep")
            return replace(self.failure_of(deep, streamed=streamed), reported=reported)
        if len(answer.calls) > MOST_CALLS:
            many = UnusableReplyError("invalid_response", f"{len(answer.calls)} tool calls, more than {MOST_CALLS}")
            return replace(self.failure_of(many, streamed=streamed), reported=reported)
        if what := _cut_off(answer):
            message = f"the output limit cut the answer off {what}"
            return CallFailure(code="output_truncated", message=message, reported=reported)
        return self._reply(answer, reported)

    def failure_of(self, error: UnusableReplyError | ErrorObjectError, *, streamed: bool) -> CallFailure:
        """The failure that a codec met."""
        if isinstance(error, ErrorObjectError):
            return failure_of_error_object(error.document, self._credential, streamed=streamed)
        failure = error.failure
        code = "invalid_stream" if streamed and failure.code == "invalid_response" else failure.code
        return replace(failure, code=code, message=f"{'a stream' if streamed else 'HTTP 200'} with {failure.message}")

    def reported(self, document: Document, *, request_id: str | None) -> Reported:
        """What a document says besides the answer, as far as it holds."""
        raw = self._codec.report(document)
        return Reported(
            usage=raw.usage,
            finish_reason=self._token(raw.finish_reason),
            model_returned=self._token(raw.model),
            request_id=self._token(request_id) or self._token(raw.id),
            system_fingerprint=self._token(raw.fingerprint),
        )

    def _reply(self, answer: RawAnswer, reported: Reported) -> ModelReply:
        clean = self._credential.remove_from
        return ModelReply(
            text=None if answer.text is None else clean(answer.text),
            tool_calls=tuple(
                ReplyCall(id=clean(call.id), name=clean(call.name), arguments=clean(call.arguments))
                for call in answer.calls
            ),
            stop_reason=answer.stop_reason,
            finish_reason=reported.finish_reason,
            usage=reported.usage,
            model_returned=reported.model_returned,
            request_id=reported.request_id,
            system_fingerprint=reported.system_fingerprint,
            latency_ms=0,
        )

    def _token(self, value: Any) -> str | None:
        # The mark left by a removed key holds a blank, so an id that echoed the key fails the check.
        return checked_token(self._credential.remove_from(value)) if isinstance(value, str) else None


def _cut_off(answer: RawAnswer) -> str | None:
    """Where the output limit ended an answer so early that nothing of it can be used; None where it can."""
    if answer.stop_reason != "length":
        return None
    if not answer.calls:
        return None if (answer.text or "").strip() else "before its first word"
    # Servers end the arguments where the limit came, so only the last call can be cut: here even a blank is a cut.
    arguments = answer.calls[-1].arguments
    whole = bool(arguments.strip()) and parse_arguments(arguments).canonical is not None
    return None if whole else "within a tool call"
