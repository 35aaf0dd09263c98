"""`glassbench release list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dataset.console import named, print_json, print_table


def release_list(
    directory: Annotated[
        Path | None,
        typer.Option("--from", help="A snapshot; without it, what was published from here.", file_okay=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List releases, the newest first: what each did, and who signed it."""
    facts = _registered() if directory is None else _of_snapshot(directory)
    if as_json:
        print_json(facts)
        return
    if not facts:
        print("nothing published yet → `glassbench publish BATCH --to DIRECTORY`")
        return
    print_table(
        "Releases",
        (
            "last run ended",
            "#release",
            "what it did",
            "signed by",
            *(() if directory else ("target", "#runs", "snapshot")),
        ),
        [
            (
                fact["published_at"],
                fact["release"],
                _did(fact),
                ", ".join(fact["signed_by"]) or "nobody",
                *(() if directory else (fact["target"], fact["runs"], fact["digest"][:16])),
            )
            for fact in facts
        ],
    )
    if directory is None:
        print("from the register of this database, where a target is told by the name of its folder alone")
        print("withdrawals, and releases made from another database, aren't in it:")
        print("→ `glassbench release list --from DIR` shows every release of a snapshot")


def _did(fact: dict[str, Any]) -> str:
    parts = []
    if fact["batches"]:
        parts.append(f"added {', '.join(fact['batches'])}")
    if fact.get("withdrawn"):
        parts.append(f"withdrew {named(fact['withdrawn'], each='run')}")
    if fact.get("revealed"):
        parts.append(
            "revealed " + "; ".join(f"{made['case_id']}: {', '.join(made['parts'])}" for made in fact["revealed"])
        )
    if fact["revised"]:
        parts.append(f"revised {', '.join(fact['revised'])}")
    return " · ".join(parts)


def _registered() -> list[dict[str, Any]]:
    from dataset.store.releases import list_releases
    from dataset.store.session import open_database

    with open_database() as database:
        rows = list_releases(database)
    return [
        {
            "digest": row.digest,
            "release": row.number,
            "batches": list(row.batch_ids),
            "revised": list(row.revised_ids),
            "signed_by": list(row.signed_by),
            "target": row.target_name,
            "runs": row.run_count,
            "published_at": row.published_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        }
        for row in rows
    ]


def _of_snapshot(directory: Path) -> list[dict[str, Any]]:
    from publisher.releases.history import history

    return [
        {
            "release": told.release.number,
            "batches": list(told.release.batches),
            "revised": list(told.release.revised),
            "withdrawn": list(told.withdrawn),
            "revealed": [{"case_id": made.case_id, "parts": list(made.parts)} for made in told.revealed],
            "signed_by": list(told.signed_by),
            "logged": told.logged,
            "published_at": told.release.published_at,
        }
        for told in reversed(history(directory))
    ]
