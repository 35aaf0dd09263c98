"""Whether a run was asked what its gold asks: the assertions compiled again by the rules of the judge that it names."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact, OutputCheck
from dataset.measures.fixed_rules.assertion import Assertion, settle, settle_as
from dataset.measures.fixed_rules.rules import VERSION, assertions
from dataset.questions.gold import Gold
from publisher.verification.difference import Difference, compare, fault, short
from publisher.verification.ending import broken_judge
from publisher.verification.observation import is_observable
from publisher.verification.run_check import RunCheck, run_check, shows


def assertion_differences(artifact: Artifact, gold: Gold) -> Iterator[Difference]:
    """Everything in which the recorded assertions aren't those that the judge's rules make of `gold`, settled anew.

    Only a run whose judge broke may be without; every other one, invalid ones too, was asked everything.
    A judge whose rules aren't known here is itself a difference: what it asked can't be told from what was left out.
    """
    section = "judgment" if shows(artifact, "judgment") else "provenance"
    judge = getattr(artifact, section).judge_version
    if judge != VERSION:
        yield Difference(
            place=f"/{section}/judge_version",
            expected=VERSION,
            observed=short(judge),
            message="no rules are known for this judge",
        )
        return
    if not artifact.output_checks and broken_judge(artifact):
        return
    locale, recorded = artifact.case.locale, {check.id: check for check in artifact.output_checks}
    try:
        asked = assertions(gold, locale)
        wanted = [_settled(assertion, artifact, recorded.get(assertion.id)).body() for assertion in asked]
    except Exception as error:  # the evidence is whatever the file holds
        yield fault("/output_checks", f"can't be settled: {type(error).__name__}")
        return
    settled = [check.body() for check in artifact.output_checks]
    for difference in compare(f"is not what {VERSION} asks of this gold, or finds", wanted, settled):
        yield difference.within_pointer("/output_checks")


def _settled(assertion: Assertion, artifact: Artifact, recorded: OutputCheck | None) -> OutputCheck:
    """An assertion with what is observed, or as recorded where the evidence is withheld: all that follows from that
    still has to."""
    if is_observable(assertion.subject, artifact):
        return settle(assertion, artifact)
    return settle_as(assertion, recorded.observed if recorded is not None else "0")


ASSERTION_CHECKS: tuple[RunCheck[[Gold]], ...] = (run_check(assertion_differences, "case", "output_checks"),)
