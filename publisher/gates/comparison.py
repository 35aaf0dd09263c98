"""`GATE-COMPARE`: whatever a release compares has the same denominators, the same bank and judge, the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from dataset.measures.comparability import board_key, foundations
from dataset.measures.run_facts import WITHDRAWN
from dataset.questions.template import Contrast
from publisher.gates.interface import Account, Exhibit, Fault
from publisher.projection.report import Report
from publisher.verification.chain import chains_of
from publisher.verification.replay import Answered, answered, other_design, replayed_runs

DENOMINATORS = "GATE-COMPARE-001"
FOUNDATIONS = "GATE-COMPARE-002"
OTHER_ANSWERS = "GATE-COMPARE-003"


class Comparison:
    """`-001` the arms of a contrast don't plan the same cases and repeats."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """A fault for each contrast and model whose arms can't be paired run by run."""
        if batch.definition is None:
            return
        template = batch.definition.template
        planned = Counter((p.model_key, str(p.variant_id), str(p.case_id), p.repeat) for p in batch.planned.values())
        for model, contrast in product(batch.definition.models, template.contrasts):
            if _unpaired(contrast, model.key, planned):
                message = f"contrast {contrast.id}: its arms don't plan the same cases and repeats once each"
                yield batch.fault(DENOMINATORS, message, place=model.key)


def _unpaired(contrast: Contrast, model: str, planned: Counter[tuple[str, str, str, int]]) -> bool:
    def of(variant: str) -> Mapping[tuple[str, int], int]:
        return {
            (case, repeat): n for (key, name, case, repeat), n in planned.items() if (key, name) == (model, variant)
        }

    return any(of(one) != of(other) or set(of(one).values()) != {1} for one, other in contrast.pairs)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared(Answered):
    """A batch of a release beside others."""

    batch_id: str


def new_batch(exhibit: Exhibit, account: Account) -> Compared | None:
    """A batch that was examined; None without a definition."""
    if exhibit.definition is None:
        return None
    counting = [chain.counts for chain in chains_of(exhibit.planned.values(), account.facts)]
    return Compared(
        batch_id=exhibit.batch_id,
        definition=exhibit.definition,
        lines=[account.facts[run_id] for run_id in counting if run_id is not None],
        answers=account.answers.get,
    )


def carried_batches(reports: Iterable[Report], read: Callable[[str], bytes | None]) -> Iterator[Compared]:
    """The batches of a snapshot that still have a row: not those of which every run was withdrawn. A run file is read
    where its answers are asked for."""
    for report in reports:
        if any(line.invalid_reason != WITHDRAWN for line in report.runs):
            own = answered(report, read)
            yield Compared(batch_id=report.batch_id, definition=own.definition, lines=own.lines, answers=own.answers)


def comparison_faults(new: Sequence[Compared], carried: Iterable[Compared]) -> Iterator[Fault]:
    """For each new batch beside the others that a release holds: `-001` other denominators and `-002` another bank
    than a batch on the same board, `-003` other answers than the batch that it judges again.

    Of carried batches, only those that are judged again are kept.
    """
    parents = {batch.definition.replay_of for batch in new}
    by_id = {batch.batch_id: batch for batch in new}
    for other in carried:
        for batch in new:
            yield from _board_faults(batch, other)
        if other.batch_id in parents:
            by_id.setdefault(other.batch_id, other)
    for at, batch in enumerate(new):
        for other in new[:at]:
            yield from _board_faults(batch, other)
        parent = by_id.get(batch.definition.replay_of or "")
        if parent is not None:
            yield from _replay_faults(batch, parent)


def _board_faults(batch: Compared, other: Compared) -> Iterator[Fault]:
    if other.batch_id == batch.batch_id or board_key(other.definition) != board_key(batch.definition):
        return
    planned, others = batch.definition.runs_per_model, other.definition.runs_per_model
    if planned != others:
        message = f"{planned} runs a model, beside {others} in {other.batch_id} on the same board"
        yield _fault(batch, DENOMINATORS, message, "definition")
    own, its = foundations(batch.definition), foundations(other.definition)
    if differing := [name for name in own if own[name] != its[name]]:
        message = (
            f"other {', '.join(differing)} than {other.batch_id} on the same board: give the template a new version"
        )
        yield _fault(batch, FOUNDATIONS, message, "definition")


def _replay_faults(batch: Compared, parent: Compared) -> Iterator[Fault]:
    if other_design(batch, parent):
        message = f"judges the answers of {parent.batch_id} again, but isn't the same batch"
        yield _fault(batch, OTHER_ANSWERS, message, "definition")
        return
    for run in replayed_runs(batch, parent):
        if run.answers == "other":
            message = f"other answers than {run.before}, which it judges again"
            yield Fault(code=OTHER_ANSWERS, batch_id=batch.batch_id, run_id=run.run_id, place="/steps", message=message)


def _fault(batch: Compared, code: str, message: str, place: str) -> Fault:
    return Fault(code=code, batch_id=batch.batch_id, run_id=None, place=place, message=message)
