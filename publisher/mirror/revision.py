"""A report against an earlier copy of it: withdrawals and reveals change it, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.canonical import Json
from dataset.measures.run_facts import RunFacts, told, withdrawn_facts
from dataset.measures.threshold import enough_valid
from publisher.projection.report import PublicCase, Report
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.files import report_name, run_name

_FIXED = (
    "batch_id",
    "definition",
    "definition_hash",
    "synthetic",
    "started_at",
    "finished_at",
    "variants",
    "catalogue",
)
_MESSAGE = "is not what the earlier mirror had"


def revision_differences(before: Report, now: Report) -> Iterator[Difference]:
    """Everything of an earlier report that is gone or another one in a later report of the same batch."""
    file, earlier, later = report_name(before.batch_id), before.body(), now.body()
    for name in _FIXED:
        for difference in compare(_MESSAGE, earlier.get(name), later.get(name)):
            yield difference.within_pointer(f"/{name}").within(file)
    for other in (*_case_differences(before, now), *_act_differences(before, now), *_kept_promises(before)):
        yield other.within(file)
    for part, old, new in (("runs", before.runs, now.runs), ("superseded", before.superseded, now.superseded)):
        if [line.run_id for line in old] != [line.run_id for line in new]:
            yield fault(f"{file}#/{part}", "not the runs that the earlier mirror had, in their order")
            continue
        for line, found in zip(old, new, strict=True):
            yield from _line_differences(before, line, now, found)


def _case_differences(before: Report, now: Report) -> Iterator[Difference]:
    """A question or gold that was public stays, and stays the same."""
    for position, (case, found) in enumerate(zip(before.cases, now.cases, strict=False)):
        for difference in compare(_MESSAGE, _shown(case, case), _shown(found, case)):
            yield difference.within_pointer(f"/cases/{position}")


def _shown(case: PublicCase, where: PublicCase) -> Json:
    return {name: entry for name, entry in case.body().items() if getattr(where, name) is not None}


def _act_differences(before: Report, now: Report) -> Iterator[Difference]:
    if not set(before.withdrawals) <= set(now.withdrawals):
        yield fault("/withdrawals", "not all that the earlier mirror had")
    if before.reveals != now.reveals[: len(before.reveals)]:
        yield fault("/reveals", "don't begin with those that the earlier mirror had")


def _kept_promises(before: Report) -> Iterator[Difference]:
    """What the earlier report shows of runs that may be withdrawn by now."""
    for line in before.superseded:
        if line.verdict != "invalid":
            yield fault("/superseded", f"run {line.run_id} wasn't invalid in the earlier mirror, and was tried again")
    for group in before.groups:
        lost = sum(
            line.run_id in before.withdrawn
            for line in before.runs
            if (line.model_key, line.variant_id) == (group.model_key, group.variant_id)
        )
        if not enough_valid(group.measures.valid + lost, group.measures.planned, before.definition.template):
            name = f"{group.model_key} with {group.variant_id}"
            yield fault("/groups", f"{name} had fewer valid runs in the earlier mirror than the template wants")


def _line_differences(before: Report, line: RunFacts, now: Report, found: RunFacts) -> Iterator[Difference]:
    """The line of a run is the same; of a withdrawn one its place is left, and of a revealed one all that was told."""
    if line.run_id in now.withdrawn:
        wanted = withdrawn_facts(line)
    else:
        wanted, found = line, told(found, before.withheld(line.case_id))
    for difference in compare("the earlier mirror told otherwise", wanted.body(), found.body()):
        yield difference.within(run_name(line.run_id))
