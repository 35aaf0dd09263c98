"""`glassbench batch status ID`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json, print_table

if TYPE_CHECKING:
    from dataset.measures.group import GroupMeasures
    from dataset.measures.run_facts import RunFacts
    from dataset.store.batches import BatchRow
    from engine.cli.batch_standing import Standing


def batch_status(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    with_runs: Annotated[bool, typer.Option("--runs", help="List every recorded run too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how far a batch is, what is wanted of it and why, and what it has spent."""
    from dataset.artifacts.digest import open_artifact
    from dataset.measures.group import measure_group
    from dataset.measures.run_facts import facts_of
    from dataset.record import BatchId
    from dataset.store.batches import get_batch
    from dataset.store.runs import iterate_artifacts
    from dataset.store.session import open_database
    from engine.cli.batch_standing import read_standing, standing_json
    from engine.cli.withheld_lines import withheld_json
    from engine.telemetry.clock import utc_text

    with open_database() as database:
        row = get_batch(database, BatchId(batch_id))
        standing = read_standing(database, row)
        facts = [facts_of(open_artifact(s.data, name=s.run_id)) for s in iterate_artifacts(database, row.id)]
    definition = row.definition
    counting = [fact for fact in facts if fact.run_id not in standing.figures.superseded]
    measures = {
        m.key: measure_group(definition.runs_per_model, [f for f in counting if f.model_key == m.key])
        for m in definition.models
    }
    if as_json:
        print_json(
            {
                "batch_id": row.id,
                "template": f"{definition.template.id}@{definition.template.version}",
                "definition_hash": row.definition_hash,
                "created_at": utc_text(row.created_at),
                "finished_at": utc_text(row.finished_at) if row.finished_at else None,
                **standing_json(standing),
                **withheld_json({case.id: case.withheld for case in definition.cases}),
                "models": {key: found.body() for key, found in measures.items()},
                **({"runs": [fact.body() for fact in facts]} if with_runs else {}),
            }
        )
        return
    _print_state(row, standing)
    _print_measures(measures)
    if with_runs:
        _print_runs(facts)
    _print_next(row, standing, counting)


def _print_next(row: BatchRow, standing: Standing, counting: Sequence[RunFacts]) -> None:
    from engine.cli.batch_standing import worker_hint

    if row.finished_at is not None:
        _print_given_up(row, [fact for fact in counting if fact.verdict == "invalid"])
    elif standing.figures.control.wish in ("rest", "pause"):
        start = "go on" if row.counts.recorded or standing.again else "start it"
        print(f"→ {start} with `glassbench batch run {row.id}`")
    elif not standing.held:
        print(worker_hint(row.id))


def _print_state(row: BatchRow, standing: Standing) -> None:
    from engine.cli.batch_standing import print_standing, print_why
    from engine.cli.withheld_lines import withheld_lines

    finished, recorded = row.finished_at is not None, row.counts.recorded
    state = standing.state(finished=finished, recorded=recorded)
    print(f"{row.id}: {state}, {recorded} of {row.counts.planned} runs recorded")
    if row.definition.replay_of is not None:
        print(f"  replays {row.definition.replay_of}")
    for line in withheld_lines({case.id: case.withheld for case in row.definition.cases}):
        print(f"  {line}")
    print_why(standing, finished=finished)
    print_standing(standing)


def _print_given_up(row: BatchRow, invalid: Sequence[RunFacts]) -> None:
    from dataset.console import counted
    from dataset.measures.giving_up import ATTEMPTS_USED_UP, GIVING_UP

    dead = sum(fact.invalid_reason == ATTEMPTS_USED_UP for fact in invalid)
    if dead:
        print(f"{counted(dead, 'run')} ended with {ATTEMPTS_USED_UP}: {GIVING_UP[ATTEMPTS_USED_UP]}")
        print(f"→ `glassbench batch retry {row.id} --only invalid` plans the invalid runs again")


def _print_runs(facts: Sequence[RunFacts]) -> None:
    print_table(
        "",
        ("run", "model", "case", "variant", "#repeat", "verdict", "why"),
        [(f.run_id, f.model_key, f.case_id, f.variant_id, f.repeat, f.verdict, _why(f)) for f in facts],
    )


def _why(facts: RunFacts) -> str:
    return facts.invalid_reason or ", ".join(facts.failure_reasons)


def _print_measures(measures: Mapping[str, GroupMeasures]) -> None:
    print_table(
        "",
        (
            "model",
            "pass rate (95 % interval)",
            "#valid / planned",
            "worst–best case",
            "#passed",
            "#failed",
            "#invalid",
            "#missing",
        ),
        [
            (
                key,
                f"{found.metrics['pass-rate']} ({found.pass_rate_low}–{found.pass_rate_high})" if found.valid else None,
                f"{found.valid} / {found.planned}",
                f"{found.metrics['worst-case']}–{found.metrics['best-case']}" if found.invalid else None,
                found.passed,
                found.failed,
                found.recorded - found.valid,
                found.planned - found.recorded,
            )
            for key, found in measures.items()
        ],
    )
