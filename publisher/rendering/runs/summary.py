"""A run in one glance: what was asked, what came out, and the first reason of its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dataset.artifacts.disclosure import Disclosed
from dataset.measures.run_facts import RunFacts, reason_kind
from dataset.measures.truncation import OUTPUT_TRUNCATED, is_truncated
from publisher.rendering.codes.registry import CODE_BY_ID
from publisher.rendering.runs.assertions import Assertion, Layer
from publisher.rendering.runs.passage import glimpse
from publisher.rendering.visible_text import marked_up

_GLIMPSE = 320


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """One reason of a verdict. `code` is the one that has a page, `meaning` the message that says what it means, null
    where this version doesn't know it; `said` is what the run recorded of it."""

    id: Markup
    code: str
    meaning: str | None
    said: Markup
    assertion: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """`asked` and `answer` are beginnings on one line; null where they are withheld, `answer` empty where there is
    none. `reasons` are why a run failed or is invalid, none where it passed."""

    asked: Markup | None
    answer: Markup | None
    truncated: bool
    reasons: tuple[Reason, ...]
    asserted: int


def summary_of(disclosed: Disclosed, facts: RunFacts, layers: Sequence[Layer]) -> Summary:
    """The summary of a run, as far as its sections are public; what isn't is told by the line of its report."""
    artifact = disclosed.artifact
    result = artifact.result if disclosed.shows("result") else None
    return Summary(
        asked=glimpse(artifact.case.question, _GLIMPSE) if disclosed.shows("case") else None,
        answer=None if result is None else glimpse(result.final_output, _GLIMPSE),
        truncated=result is not None and is_truncated(result),
        reasons=_reasons(disclosed, facts, [found for layer in layers for found in layer.failed]),
        asserted=sum(len(layer.assertions) for layer in layers),
    )


def _reasons(disclosed: Disclosed, facts: RunFacts, failed: Sequence[Assertion]) -> tuple[Reason, ...]:
    if facts.verdict == "pass":
        return ()
    artifact = disclosed.artifact
    error = artifact.result.error if disclosed.shows("result") else None
    if facts.invalid_reason is not None:
        return (
            _reason(
                facts.invalid_reason, facts.invalid_reason, marked_up(error.message) if error is not None else Markup()
            ),
        )
    first = []
    if error is not None and (artifact.result.status == "context_failed" or error.code == OUTPUT_TRUNCATED):
        first.append(_reason(error.code, error.code, marked_up(error.message)))
    if failed:
        return (*first, *(_failed(assertion) for assertion in failed))
    known = {reason.code for reason in first}
    return (
        *first,
        *(_reason(reason, reason_kind(reason), Markup()) for reason in facts.failure_reasons if reason not in known),
    )


def _failed(assertion: Assertion) -> Reason:
    code = assertion.code
    return Reason(id=assertion.id, code=code, meaning=_meaning(code), said=assertion.reason, assertion=assertion.number)


def _reason(name: str, code: str, said: Markup) -> Reason:
    return Reason(id=marked_up(name), code=code, meaning=_meaning(code), said=said, assertion=None)


def _meaning(code: str) -> str | None:
    known = CODE_BY_ID.get(code)
    return None if known is None else known.meaning
