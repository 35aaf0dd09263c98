"""What is known of a part of a run that the public may not see, or may since a later release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.disclosure import Disclosed
from dataset.questions.withholding import Withheld
from publisher.projection.report import Report
from publisher.rendering.language.message import marked

HOLDS: Mapping[Withheld, str] = {
    "case": marked("the question as it was asked, where and as whom, and the versions of question, gold and variant"),
    "context": marked("what the model was given to work with: each item, what was decided about it and why"),
    "visible_tools": marked("the tools that each model step could see"),
    "steps": marked("every model step and tool step: texts, calls, arguments and results"),
    "guardrail_checks": marked("every verdict of the rules on calls and of the guardrails on the answer"),
    "result": marked("how the run ended, the final answer, its tokens, cost and latency"),
    "judgment": marked("the verdict of each layer and the reasons of a failure"),
    "output_checks": marked("every assertion, with what was expected and what was observed"),
    "gold": marked("what a right run looks like: calls, facts and numbers"),
}
"""What each part holds where it is public."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionSeal:
    """One section of a run: its digest, and its salt where its content is public.

    `committed` is the release that fixed the digest, `revealed` the one that showed what had been withheld.
    """

    name: str
    holds: str
    digest: str
    salt: str | None
    committed: int
    revealed: int | None

    @property
    def withheld(self) -> bool:
        """Whether there is the digest alone."""
        return self.salt is None


def section_seals(disclosed: Disclosed, report: Report, case_id: str, committed: int) -> Mapping[str, SectionSeal]:
    """The seal of every section of a run of a case, in their order."""
    artifact, held = disclosed.artifact, {str(part): words for part, words in HOLDS.items()}
    revealed = revealed_parts(report, case_id)
    return {
        name: SectionSeal(
            name=name,
            holds=held.get(name, ""),
            digest=artifact.digests[name],
            salt=None if name in disclosed.withheld else artifact.salts[name],
            committed=committed,
            revealed=revealed.get(name),
        )
        for name in SECTION_NAMES
    }


def revealed_parts(report: Report, case_id: str) -> Mapping[str, int]:
    """The parts of a case's runs that were withheld once, and the release that revealed each."""
    return {
        str(part): reveal.release for reveal in report.reveals if reveal.case_id == case_id for part in reveal.parts
    }
