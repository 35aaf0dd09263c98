"""The nine sections, put together from the events of one attempt and from nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from dataset.artifacts.artifact import ResultSection, Verdict
from dataset.artifacts.digest import seal_sections
from dataset.canonical import Json, canonical_array, canonical_plain
from dataset.errors import GlassbenchError
from dataset.record import RunId
from engine.telemetry.event import Event, EventKind


class IncompleteEventsError(GlassbenchError):
    """The events of an attempt that never finished: no artifact follows from them."""

    code = "RUN-EVENTS-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sealed:
    """A sealed artifact with what the end of its run is known by, so that nobody has to open it again."""

    data: bytes = field(repr=False)
    artifact_hash: str
    verdict: Verdict
    result: ResultSection = field(repr=False)


def assemble(run_id: RunId, events: Sequence[Event]) -> bytes:
    """The sealed artifact of a finished attempt; the same events give the same bytes."""
    return assemble_sealed(run_id, events).data


def assemble_sealed(run_id: RunId, events: Sequence[Event]) -> Sealed:
    """The sealed artifact, put together from the bytes that were recorded: an event holds what a section holds.

    IncompleteEventsError where a section is missing.
    """
    told = _Told(events)
    started, finished, judged = (orjson.loads(told.one(kind)) for kind in ("run_started", "run_finished", "judged"))
    result = told.one("answer_guarded")
    sections = {
        "case": canonical_plain(started["case"]),
        "provenance": canonical_plain(_finished_provenance(started["provenance"], finished)),
        "context": told.one("context_built"),
        "visible_tools": canonical_array(told.all("tools_loaded")),
        "steps": canonical_array(told.all("step")),
        "guardrail_checks": canonical_array(told.all("check")),
        "result": result,
        "judgment": canonical_plain(judged["judgment"]),
        "output_checks": canonical_plain(judged["output_checks"]),
    }
    data, artifact_hash = seal_sections(run_id, sections, finished["salts"])
    return Sealed(
        data=data,
        artifact_hash=artifact_hash,
        verdict=judged["judgment"]["verdict"],
        result=ResultSection.model_validate_json(result),
    )


def _finished_provenance(started: Json, finished: Json) -> Json:
    """The provenance as it is known at the end: when that was, and which models had answered."""
    model = {**started["model"], "returned": finished["returned"]}
    return {**started, "model": model, "finished_at": finished["finished_at"]}


class _Told:
    """The bodies of events by their kind."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._bodies: defaultdict[EventKind, list[bytes]] = defaultdict(list)
        for event in events:
            self._bodies[event.kind].append(event.body)

    def all(self, kind: EventKind) -> list[bytes]:
        return self._bodies[kind]

    def one(self, kind: EventKind) -> bytes:
        found = self._bodies[kind]
        if len(found) != 1:
            raise IncompleteEventsError(f"{len(found)} events of kind {kind}, expected one")
        return found[0]
