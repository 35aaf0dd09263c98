"""The raw answer beside the final one, with what the guardrails changed marked in its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dataset.artifacts.artifact import CorrectionRecord, GuardrailCheck, ModelStep, ResultSection, Step
from dataset.artifacts.outside_text import shown, written
from dataset.canonical import sha256_hex
from publisher.rendering.runs.passage import Passage, passage, worked_passage
from publisher.rendering.visible_text import marked_up


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One change in the order in which it was made, with the guard that made it and why."""

    guard: Markup
    code: Markup | None
    original: Markup
    replacement: Markup
    reason: Markup


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerView:
    """The final answer. `raw` is null where the guardrails changed nothing or no step holds the raw answer; `placed`
    says that each change is marked where it was made: else all of both texts counts as changed."""

    final: Passage
    raw: Passage | None
    unchanged: bool
    placed: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounding:
    """One number of the answer and where it comes from."""

    number: Markup
    source: Markup
    text: Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class _Piece:
    """A part of the raw answer, and what stands in its stead; the same text where nothing was changed."""

    raw: str
    now: str

    @property
    def kept(self) -> bool:
        return self.raw == self.now


def answer_view(result: ResultSection, steps: Sequence[Step], checks: Iterable[GuardrailCheck]) -> AnswerView:
    """The view of a run's answer; `checks` are the verdicts on it, in their order."""
    final = result.final_output
    unchanged = sha256_hex(final.encode("utf-8", "surrogatepass")) == result.raw_output_sha256
    rewritten = [check for check in checks if check.corrections]
    changes = tuple(_change(check, change) for check in rewritten for change in check.corrections)
    raw = None if unchanged else _raw(steps, result.raw_output_sha256)
    if raw is None:
        return AnswerView(final=passage(final), raw=None, unchanged=unchanged, placed=False, changes=changes)
    pieces = _corrected(raw, [check.corrections for check in rewritten])
    if "".join(piece.now for piece in pieces) != final:
        pieces, placed = [_Piece(raw=raw, now=final)], False
    else:
        placed = True
    before = Markup().join(_marked(piece, piece.raw, "del") for piece in pieces)
    after = Markup().join(_marked(piece, piece.now, "ins") for piece in pieces)
    return AnswerView(
        final=worked_passage(final, after),
        raw=worked_passage(raw, before),
        unchanged=False,
        placed=placed,
        changes=changes,
    )


def groundings(checks: Iterable[GuardrailCheck]) -> tuple[Grounding, ...]:
    """Every number that a guard found a source for."""
    return tuple(
        Grounding(number=marked_up(found.number), source=marked_up(found.source), text=passage(found.source_text))
        for check in checks
        for found in check.groundings
    )


def _raw(steps: Sequence[Step], digest: str) -> str | None:
    """What the guardrails were given: the last text of a model with its digest."""
    said = (step.text for step in reversed(steps) if isinstance(step, ModelStep) and step.text is not None)
    for text in said:
        if sha256_hex(written(text).encode("utf-8", "surrogatepass")) == digest:
            return shown(text)
    return None


def _corrected(raw: str, rounds: Iterable[Sequence[CorrectionRecord]]) -> list[_Piece]:
    """The raw answer in pieces after every round of corrections, each of which counts in the text before it."""
    pieces = [_Piece(raw=raw, now=raw)]
    for corrections in rounds:
        # from the end on, so that the offsets of those before still hold
        for change in sorted(corrections, key=lambda change: change.start, reverse=True):
            pieces = _replaced(pieces, change)
    return pieces


def _replaced(pieces: Sequence[_Piece], change: CorrectionRecord) -> list[_Piece]:
    before: list[_Piece] = []
    after: list[_Piece] = []
    raw = start = end = ""
    at = 0
    for piece in pieces:
        low, high = at, at + len(piece.now)
        at = high
        if high <= change.start:
            before.append(piece)
        elif low >= change.end:
            after.append(piece)
        else:
            head, tail = piece.now[: max(0, change.start - low)], piece.now[max(0, change.end - low) :]
            if piece.kept:
                before += [_Piece(raw=head, now=head)] if head else []
                after += [_Piece(raw=tail, now=tail)] if tail else []
                raw += piece.raw[len(head) : len(piece.raw) - len(tail)]
            else:
                raw, start, end = raw + piece.raw, start + head, tail + end
    return [*before, _Piece(raw=raw, now=start + change.replacement + end), *after]


def _marked(piece: _Piece, text: str, tag: str) -> Markup:
    if piece.kept or not text:
        return marked_up(text)
    return Markup(f"<{tag}>") + marked_up(text) + Markup(f"</{tag}>")


def _change(check: GuardrailCheck, change: CorrectionRecord) -> Change:
    return Change(
        guard=marked_up(check.guard),
        code=None if check.code is None else marked_up(check.code),
        original=marked_up(change.original),
        replacement=marked_up(change.replacement),
        reason=marked_up(change.reason),
    )
