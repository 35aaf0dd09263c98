"""`glassbench release list`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json, print_table


def release_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List what was published from here."""
    from dataset.store.releases import list_releases
    from dataset.store.session import open_database

    with open_database() as database:
        rows = list_releases(database)
    facts = [
        {
            "digest": row.digest,
            "batches": list(row.batch_ids),
            "target": row.target_name,
            "runs": row.run_count,
            "published_at": row.published_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        }
        for row in rows
    ]
    if as_json:
        print_json(facts)
        return
    if not facts:
        print("nothing published yet → `glassbench publish BATCH --to DIRECTORY`")
        return
    print_table(
        "Releases",
        ("last run ended", "target", "#runs in all", "batches added", "snapshot"),
        [
            (f["published_at"], f["target"], f["runs"], ", ".join(row.batch_ids), row.digest[:16])
            for f, row in zip(facts, rows, strict=True)
        ],
    )
