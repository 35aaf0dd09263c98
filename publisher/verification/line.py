"""The line that a report tells of a run: made again from what is shown; the rest of it is a claim."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.definition import FrozenModel, PlannedRun
from dataset.measures.run_facts import WITHDRAWN, RunFacts, shown_facts, told
from dataset.measures.verdict import derive_judgment
from publisher.verification.difference import Difference, fault
from publisher.verification.ending import told_ending
from publisher.verification.run_check import shows


@dataclass(frozen=True, kw_only=True, slots=True)
class RemadeLine:
    """A line as it follows from a run. The fields in `claimed` follow from withheld sections alone, and are as the
    report tells them."""

    facts: RunFacts
    claimed: frozenset[str]


def remake_line(artifact: Artifact, line: RunFacts, planned: PlannedRun, parts: Collection[str]) -> RemadeLine:
    """The line of a run of which its batch withholds `parts`.

    Where the case is withheld its coordinates are those that were planned. Where the judgment is, it is derived again
    as far as result and assertions are shown, and told as a withheld one.
    """
    facts = shown_facts(artifact, artifact.model_fields_set.intersection(SECTION_NAMES))
    if not shows(artifact, "case"):
        facts |= {"case_id": planned.case_id, "variant_id": planned.variant_id, "repeat": planned.repeat}
    if not shows(artifact, "judgment"):
        facts |= _judged(artifact, line)
    made = told(line.model_copy(update=facts), parts)
    return RemadeLine(facts=line if made == line else made, claimed=frozenset(RunFacts.model_fields) - facts.keys())


def _judged(artifact: Artifact, line: RunFacts) -> dict[str, Any]:
    """What of a withheld judgment follows from result and assertions."""
    if not shows(artifact, "result") and (line.verdict == "invalid" or not shows(artifact, "output_checks")):
        return {}
    result = artifact.result if shows(artifact, "result") else told_ending(line)
    checks = artifact.output_checks if shows(artifact, "output_checks") else ()
    derived = derive_judgment(artifact.provenance.judge_version, result, checks)
    facts: dict[str, Any] = {"invalid_reason": derived.invalid_reason}
    if derived.verdict == "invalid" or derived.failure_reasons or shows(artifact, "output_checks"):
        facts["verdict"] = derived.verdict  # without assertions, it is known only that the run broke or was cut off
    if derived.verdict == "invalid" or shows(artifact, "output_checks"):
        facts["failure_reasons"] = derived.failure_reasons
    return facts


def claim_differences(line: RunFacts, model: FrozenModel, *, replayed: bool) -> Iterator[Difference]:
    """Every field that no run could have beside the others, whatever its withheld sections say."""
    broke = line.invalid_reason is not None
    if broke != (line.verdict == "invalid") or line.invalid_reason == WITHDRAWN:
        yield fault("/invalid_reason", f"is not one that verdict {line.verdict} can have")
    # every gold asks something, if only for an answer
    if bool(line.failure_reasons) != (line.verdict == "fail"):
        yield fault("/failure_reasons", f"are not those that verdict {line.verdict} can have")
    if line.refused_calls > line.tool_calls:
        yield fault("/refused_calls", "more than there are calls")
    if line.cost is not None:
        unpriced = replayed or model.price is None
        if unpriced or (model.price is not None and line.cost.currency != model.price.currency):
            yield fault("/cost", "is not in the currency of a price that the batch froze")
    if line.working_tokens is not None and line.original_tokens is None:
        yield fault("/working_tokens", "of an opening whose size isn't told")
