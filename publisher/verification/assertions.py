"""Whether a run was asked what its gold asks: the assertions compiled again by the rules of the judge that it names."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from dataset.measures.fixed_rules.rules import VERSION, assertions
from dataset.questions.gold import Gold
from publisher.verification.difference import Difference, compare, short


def assertion_differences(artifact: Artifact, gold: Gold) -> Iterator[Difference]:
    """Everything in which the recorded assertions aren't those that the judge's rules make of `gold`.

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
    if not artifact.output_checks and artifact.judgment.verdict == "invalid":
        return
    asked = [
        {"id": c.id, "layer": c.layer, "subject": c.subject, "relation": c.relation, "expected": c.expected}
        for c in artifact.output_checks
    ]
    wanted = [
        {"id": a.id, "layer": a.layer, "subject": a.subject_text, "relation": a.relation, "expected": a.expected}
        for a in assertions(gold, artifact.case.locale)
    ]
    for difference in compare(f"is not what {VERSION} asks of this gold", wanted, asked):
        yield difference.within_pointer("/output_checks")
