"""`glassbench batch list`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json, print_table


def batch_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List every batch, the newest first."""
    from dataset.store.batches import list_batches
    from dataset.store.session import open_database
    from engine.telemetry.clock import utc_text

    with open_database() as database:
        rows = list_batches(database)
    facts = [
        {
            "batch_id": row.id,
            "template": f"{row.definition.template.id}@{row.definition.template.version}",
            "models": [model.key for model in row.definition.models],
            "created_at": utc_text(row.created_at),
            "state": "finished" if row.finished_at else "open",
            "recorded": row.counts.recorded,
            "planned": row.counts.planned,
            "passed": row.counts.passed,
            "failed": row.counts.failed,
            "invalid": row.counts.invalid,
        }
        for row in rows
    ]
    if as_json:
        print_json(facts)
        return
    if not facts:
        print("no batches yet → `glassbench batch create --template english --model KEY`")
        return
    print_table(
        "Batches",
        ("id", "template", "models", "created", "state", "#recorded / planned", "#passed", "#failed", "#invalid"),
        [
            (
                f["batch_id"],
                f["template"],
                ", ".join(row_models),
                f["created_at"],
                f["state"],
                f"{f['recorded']} / {f['planned']}",
                f["passed"],
                f["failed"],
                f["invalid"],
            )
            for f, row in zip(facts, rows, strict=True)
            for row_models in [[model.key for model in row.definition.models]]
        ],
    )
