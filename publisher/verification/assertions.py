"""Whether a run was asked what its gold asks: the assertions compiled again by the rules of the judge that it names."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from dataset.measures.fixed_rules.assertion import settle
from dataset.measures.fixed_rules.rules import VERSION, assertions
from dataset.questions.gold import Gold
from publisher.verification.difference import Difference, compare, fault, short
from publisher.verification.ending import broken_judge


def assertion_differences(artifact: Artifact, gold: Gold) -> Iterator[Difference]:
    """Everything in which the recorded assertions aren't those that the judge's rules make of `gold`, settled anew.

    Only a run whose judge broke may be without; every other one, invalid ones too, was asked everything.
    A judge whose rules aren't known here is itself a difference: what it asked can't be told from what was left out.
    """
    judge = artifact.judgment.judge_version
    if judge != VERSION:
        yield Difference(
            place="/judgment/judge_version",
            expected=VERSION,
            observed=short(judge),
            message=f"no rules are known for judge {short(judge)}",
        )
        return
    if not artifact.output_checks and broken_judge(artifact):
        return
    try:
        wanted = [settle(assertion, artifact).body() for assertion in assertions(gold, artifact.case.locale)]
    except Exception as error:  # the evidence is whatever the file holds
        yield fault("/output_checks", f"can't be settled: {type(error).__name__}")
        return
    settled = [check.body() for check in artifact.output_checks]
    for difference in compare(f"is not what {VERSION} asks of this gold, or finds", wanted, settled):
        yield difference.within_pointer("/output_checks")
