"""A batch that judges recorded answers again: its answers are those of the batch that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dataset.artifacts.definition import BatchDefinition
from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import open_disclosed
from dataset.measures.run_facts import WITHDRAWN, RunFacts
from publisher.projection.report import Report
from publisher.verification.answers import answers_digest
from publisher.verification.difference import Difference, fault
from publisher.verification.files import report_name, run_name

_NOT_JUDGED_AGAIN = {"replay_of", "judge_version", "code"}
"""What a batch that judges recorded answers again may have of its own."""

Answers = Callable[[str], bytes | None]
"""The digest of what a run's model answered, by run id; None where that is withheld, withdrawn or can't be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What a batch is held to, or held by, where answers are judged again. `lines` are the runs that count."""

    definition: BatchDefinition
    lines: Sequence[RunFacts] = field(repr=False)
    answers: Answers = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """A run and the one whose answers it judges again (None where there is none that was valid): the same answers,
    others, or unknown where they can't be seen and what is told of both doesn't contradict it."""

    run_id: str
    before: str | None
    answers: Literal["same", "other", "unknown"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayFindings:
    """Where a replay isn't one of its parent, and the runs of which that can't be seen."""

    differences: tuple[Difference, ...] = ()
    unknown: frozenset[str] = frozenset()


def other_design(batch: Answered, parent: Answered) -> bool:
    """Whether a batch isn't its parent but for the judge."""
    own, its = (
        one.definition.model_dump(mode="json", exclude=_NOT_JUDGED_AGAIN)  # two dumps of one type compare as values
        for one in (batch, parent)
    )
    return own != its


def replayed_runs(batch: Answered, parent: Answered) -> Iterator[Replayed]:
    """Each run of a batch beside the one of its parent at the same place. An invalid run of the parent may have been
    tried again since it was published, and its later answers judged."""
    first = {_coordinates(line): line for line in parent.lines}
    for line in batch.lines:
        before = first.get(_coordinates(line))
        if before is None or before.verdict == "invalid":
            yield Replayed(run_id=line.run_id, before=None, answers="unknown")
        else:
            yield Replayed(run_id=line.run_id, before=before.run_id, answers=_compared(batch, line, parent, before))


def replay_findings(report: Report, parent: Report, read: Callable[[str], bytes | None]) -> ReplayFindings:
    """A published replay against its published parent. Withdrawn runs of the replay have no answers to be held."""
    batch, before = answered(report, read), answered(parent, read)
    if other_design(batch, before):
        place = f"{report_name(report.batch_id)}#/definition"
        return ReplayFindings(differences=(fault(place, f"isn't that of {parent.batch_id}, which it judges again"),))
    runs = [run for run in replayed_runs(batch, before) if run.run_id not in report.withdrawn]
    return ReplayFindings(
        differences=tuple(
            fault(f"{run_name(run.run_id)}#/steps", f"other answers than {run.before}, which it judges again")
            for run in runs
            if run.answers == "other"
        ),
        unknown=frozenset(run.run_id for run in runs if run.answers == "unknown"),
    )


def answered(report: Report, read: Callable[[str], bytes | None]) -> Answered:
    """A published batch. A run file is read where its answers are asked for."""

    def answers(run_id: str) -> bytes | None:
        data = read(run_name(run_id))
        try:
            opened = open_disclosed(data, name=run_id) if data is not None else None
        except ArtifactError:  # a withdrawn run, or one that verification tells
            return None
        return answers_digest(opened.artifact.steps) if opened is not None and opened.shows("steps") else None

    return Answered(definition=report.definition, lines=report.runs, answers=answers)


def _compared(
    batch: Answered, line: RunFacts, parent: Answered, before: RunFacts
) -> Literal["same", "other", "unknown"]:
    """By the digest of the answers; where they are withheld, by what the report tells of them."""
    own, its = batch.answers(line.run_id), parent.answers(before.run_id)
    if own is not None and its is not None:
        return "same" if own == its else "other"
    if line.invalid_reason == WITHDRAWN:
        return "unknown"
    told = (line.model_steps, line.output_tokens) == (before.model_steps, before.output_tokens)
    return "unknown" if told else "other"


def _coordinates(line: RunFacts) -> tuple[str, str, int, str]:
    return (line.case_id, line.variant_id, line.repeat, line.model_key)
