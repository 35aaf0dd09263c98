"""What comes before a batch is started: checked, shown, confirmed, and one canary for each model that may cost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataset.artifacts.definition import PlannedRun
    from dataset.store.batches import BatchRow
    from engine.batches.frozen_batch import FrozenBatch
    from engine.batches.worker_process import Ground
    from engine.preflight.subject import Subject


def begin(ground: Ground, row: BatchRow, *, yes: bool, as_json: bool) -> None:
    """Returns where the batch may be started. What is said goes to stdout, where no JSON is wanted.

    UnconfirmedError, PreflightError, and what else forbids it: nothing was started then.
    """
    from dataset.store.lifecycle import standing_of
    from dataset.store.planned import missing_runs
    from engine.batches.composition import load_frozen
    from engine.preflight.subject import subjects

    missing = missing_runs(ground.database, row.id)
    control, _ = standing_of(ground.database, row.id)
    if not missing or control.wish == "cancel":
        return  # nobody will be asked, or the start itself says why not
    batch = load_frozen(ground.database, row)
    asked = subjects(ground, batch, {run.model_key for run in missing})
    if asked:
        _preflight(ground, row, batch, missing, asked, yes=yes, as_json=as_json)
    elif not as_json:
        _tell_offline(ground, row, batch, missing)


def _preflight(
    ground: Ground,
    row: BatchRow,
    batch: FrozenBatch,
    missing: list[PlannedRun],
    asked: tuple[Subject, ...],
    *,
    yes: bool,
    as_json: bool,
) -> None:
    from engine.batches.batch_terms import frozen_terms, standing_terms
    from engine.cli.preflight_table import confirm, print_passed, print_preflight
    from engine.preflight.bound import most
    from engine.preflight.preflight import Preflight

    preflight = Preflight(database=ground.database, batch_id=row.id, subjects=asked)
    found = preflight.look_up()
    terms = standing_terms(ground.database, row)
    if not as_json:
        bounds = most(batch, missing, ground.registry, attempts=terms.policy.slice_attempts)
        print_preflight(row.id, found, bounds, terms)
        sys.stdout.flush()  # before the canaries, which may take a while, and before errors on stderr
    if any(subject.paid for subject in asked):
        confirm(row.id, yes=yes, as_json=as_json)
    begun = row.counts.recorded > 0
    passed = preflight.send_canaries(found, frozen_terms(ground.database, row.id), begun=begun)
    if not as_json:
        print_passed(passed)


def _tell_offline(ground: Ground, row: BatchRow, batch: FrozenBatch, missing: list[PlannedRun]) -> None:
    from engine.batches.batch_terms import standing_terms
    from engine.cli.estimate_table import print_estimate
    from engine.preflight.bound import most

    if row.definition.replay_of is not None:
        print(f"judges {len(missing)} recorded runs of {row.definition.replay_of} again: nobody is asked")
        return
    attempts = standing_terms(ground.database, row).policy.slice_attempts
    entries = {model.key: ground.registry.entry(model.key) for model in row.definition.models}
    print_estimate(most(batch, missing, ground.registry, attempts=attempts), entries)
