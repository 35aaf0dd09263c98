"""The file of one run as its report tells of it: an artifact, whole or in part, or the tombstone of a withdrawn one."""

from __future__ import annotations

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import Disclosed, open_disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts, shown_facts
from publisher.projection.report import Report
from publisher.projection.run_file import tombstone


def open_run(data: bytes, report: Report, facts: RunFacts) -> Disclosed | Withdrawn:
    """What a run's file holds, every digest of what is there recomputed. ArtifactError where it is broken, or not what
    the report's line and withdrawals tell of."""
    withdrawal = report.withdrawn.get(facts.run_id)
    if withdrawal is not None:
        withdrawn = tombstone(report.batch_id, facts, withdrawal)
        if data != withdrawn.canonical:
            raise ArtifactError(facts.run_id, ["not what stands in the place of the run that its report withdraws"])
        return withdrawn
    disclosed = open_disclosed(data, name=facts.run_id)
    wanted = {part for part in report.withheld(facts.case_id) if part in SECTION_NAMES}
    if disclosed.withheld != wanted:
        raise ArtifactError(facts.run_id, ["it doesn't lack the sections that its report withholds"])
    if not _is_told(disclosed, facts) or disclosed.artifact.provenance.batch_id != report.batch_id:
        raise ArtifactError(facts.run_id, ["not the artifact that its report tells of"])
    return disclosed


def _is_told(disclosed: Disclosed, facts: RunFacts) -> bool:
    """Whether the report's line is that of the artifact, as far as the sections that are there say."""
    shown = shown_facts(disclosed.artifact, set(SECTION_NAMES) - disclosed.withheld)
    return all(getattr(facts, name) == value for name, value in shown.items())
