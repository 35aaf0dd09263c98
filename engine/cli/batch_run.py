"""`glassbench batch run ID`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_INTERRUPTED, counted, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dataset.store.batch_control import Control
    from dataset.store.batches import BatchCounts, BatchRow
    from dataset.store.session import Database
    from engine.batches.worker_process import Ground
    from engine.cli.batch_modes import Mode


def batch_run(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking, though it may cost money.")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Start it and leave it to `glassbench worker`.")] = False,
    validate_only: Annotated[bool, typer.Option("--validate-only", help="Check what can be checked offline.")] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="The same, and the most it can take.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="The same, and every run with a scripted answer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON when done.")] = False,
) -> None:
    """Run what is missing of a batch, here and wherever a worker serves it.

    Stopped or killed at any moment, the same command does exactly the runs that have no artifact yet. Where it may cost
    money, it shows the most that can be, asks, and sends one canary a model first.
    """
    mode = _mode({"validate-only": validate_only, "estimate": estimate, "dry-run": dry_run}, starts=yes or detach)
    from dataset.record import BatchId
    from dataset.store.batches import get_batch
    from dataset.store.lifecycle import standing_of
    from dataset.store.session import open_database
    from engine.cli.batch_modes import run_mode
    from engine.cli.batch_start import begin
    from engine.cli.ground import ground_of

    with open_database() as database:
        ground, row = ground_of(database), get_batch(database, BatchId(batch_id))
        if mode is not None:
            run_mode(ground, row, mode, as_json=as_json)
            return
        if detach and row.finished_at is not None:
            _tell_finished(row, as_json=as_json)
            return
        begin(ground, row, yes=yes, as_json=as_json)
        if detach:
            _detach(ground, row, as_json=as_json)
            return
        counts = _run(ground, row)
        control, _ = standing_of(database, row.id)
        groups = _too_few_valid(database, row) if counts.invalid and not as_json else []
    _tell(row, counts, control, groups, as_json=as_json)


def _tell_finished(row: BatchRow, *, as_json: bool) -> None:
    if as_json:
        print_json({"batch_id": row.id, "open_slices": 0})
        return
    print(f"{row.id} is finished: nothing to do")


def _mode(asked: dict[Mode, bool], *, starts: bool) -> Mode | None:
    chosen = [mode for mode, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter(f"only one of --{', --'.join(asked)} at a time.")
    if chosen and starts:
        raise typer.BadParameter(f"'--{chosen[0]}' starts nothing: it can't stand beside '--yes' or '--detach'.")
    return chosen[0] if chosen else None


def _run(ground: Ground, row: BatchRow) -> BatchCounts:
    from dataset.store.batches import batch_counts
    from engine.batches.foreground import StoppedByOwnerError, run_to_the_end
    from engine.batches.progress import BatchTally

    counts = row.counts
    tally = BatchTally(
        counts.planned,
        passed=counts.passed,
        failed=counts.failed,
        invalid=counts.invalid,
        scripted=all(model.synthetic for model in row.definition.models),
    )
    try:
        run_to_the_end(ground, row, tally)
    except StoppedByOwnerError:
        done = batch_counts(ground.database, row.id).recorded
        print(
            f"stopped: {done} of {counts.planned} runs are recorded; `glassbench batch run {row.id}` goes on",
            file=sys.stderr,
        )
        raise typer.Exit(EXIT_INTERRUPTED) from None
    return batch_counts(ground.database, row.id)


def _detach(ground: Ground, row: BatchRow, *, as_json: bool) -> None:
    from dataset.store.lifecycle import start_batch
    from engine.batches.batch_terms import frozen_terms

    quantum = frozen_terms(ground.database, row.id).policy.quantum
    keys = [model.key for model in row.definition.models]
    slices = start_batch(ground.database, row.id, quantum=quantum, model_keys=keys)
    if as_json:
        print_json({"batch_id": row.id, "open_slices": slices})
        return
    print(f"started {row.id}: {counted(slices, 'slice waits', 'slices wait')} for workers")
    print(f"→ `glassbench worker` serves it; `glassbench batch status {row.id}` shows how far it is")


def _too_few_valid(database: Database, row: BatchRow) -> list[str]:
    """The groups that forbid to publish the batch, with their valid runs."""
    from dataset.artifacts.digest import open_artifact
    from dataset.measures.run_facts import facts_of
    from dataset.measures.threshold import enough_valid
    from dataset.store.runs import iterate_artifacts

    definition = row.definition
    facts = [facts_of(open_artifact(stored.data, name=stored.run_id)) for stored in iterate_artifacts(database, row.id)]
    valid = Counter((fact.model_key, fact.variant_id) for fact in facts if fact.verdict != "invalid")
    return [
        f"{model.key} × {variant.id} ({valid[model.key, variant.id]} of {definition.runs_per_group})"
        for model in definition.models
        for variant in definition.variants
        if not enough_valid(valid[model.key, variant.id], definition.runs_per_group, definition.template)
    ]


def _tell(row: BatchRow, counts: BatchCounts, control: Control, too_few: Sequence[str], *, as_json: bool) -> None:
    from dataset.measures.giving_up import GIVING_UP

    if as_json:
        names = ("planned", "recorded", "passed", "failed", "invalid")
        print_json({"batch_id": row.id, **{name: getattr(counts, name) for name in names}})
        return
    print(
        f"finished {row.id}: {counts.passed} passed, {counts.failed} failed, {counts.invalid} invalid "
        f"of {counts.planned} planned"
    )
    if control.reason in GIVING_UP:
        print(f"ended by the rule {control.reason}: {GIVING_UP[control.reason]}")
        print("→ its terms are frozen: for more of it, create a new batch under other limits")
    elif counts.invalid and row.definition.replay_of is None:
        print(f"→ `glassbench batch retry {row.id} --only invalid` plans the invalid ones again")
    if too_few:
        share = row.definition.template.valid_threshold
        print(f"it can't be published: its template wants a share of {share} valid runs, which is missed by")
        for group in too_few:
            print(f"  {group}")
    else:
        print(f"→ publish it with `glassbench publish {row.id} --to DIRECTORY`")
