"""What can be observed again in a run whose sections are partly withheld: each measure reads certain sections."""

from __future__ import annotations

from collections.abc import Mapping

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.canonical import read_canonical
from dataset.measures.observation import Subject, observe
from publisher.verification.run_check import shows

READ_BY: Mapping[str, tuple[str, ...]] = {
    "tool_calls": ("steps",),
    "calls_outside": ("steps",),
    "call_order": ("steps",),
    "call_count": ("steps",),
    "answer_given": ("result",),
    "answer_mentions": ("result",),
    "answer_number": ("result", "steps"),
    "context_mentions": ("context",),
    "corrections": ("guardrail_checks",),
    "required_items_lost": ("context",),
    "untrusted_exposed": ("context", "steps"),
}
"""The sections that each measure of `dataset.measures.observation` reads."""
_NUMBER_SOURCES = {"question": ("result", "case"), "context": ("result", "context")}


def observe_shown(subject: Subject, artifact: Artifact) -> str | None:
    """What the evidence shows of a subject; None where a section that its measure reads is withheld. Raises whatever
    a measure raises over a subject that is nonsense."""
    return observe(subject, artifact) if is_observable(subject, artifact) else None


def is_observable(subject: Subject, artifact: Artifact) -> bool:
    """Whether every section that the measure of a subject reads is shown. One that doesn't exist reads none."""
    measure = subject["measure"]
    sections = READ_BY.get(measure, ())
    if measure == "answer_number":
        sections = _NUMBER_SOURCES.get(subject["source"], sections)
    return shows(artifact, *sections)


def unobservable(artifact: Artifact) -> int:
    """How many of the shown assertions can't be observed again."""
    if shows(artifact, *SECTION_NAMES):
        return 0
    return sum(1 for check in artifact.output_checks if not _is_observable_as_written(check.subject, artifact))


def _is_observable_as_written(subject: str, artifact: Artifact) -> bool:
    try:
        return is_observable(read_canonical(subject.encode()), artifact)
    except Exception:  # whatever the file holds: nonsense is a difference of its own
        return True
