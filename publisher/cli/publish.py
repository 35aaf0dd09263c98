"""`glassbench publish BATCH… --to DIR`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_REFUSED, print_error, print_json, printable

if TYPE_CHECKING:
    from dataset.store.session import Database
    from publisher.gates.refusal import RefusalError
    from publisher.release import Published


def publish_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that must appear nowhere in a release."""

    def publish(
        batch_ids: Annotated[list[str], typer.Argument(help="Finished batches; see `batch list`.")],
        target: Annotated[Path, typer.Option("--to", help="The snapshot directory.")],
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Add finished batches to a public snapshot.

        Every hash is recomputed and every gate passed first: all or nothing. Exit 4 where refused, with every reason.
        """
        from dataset.store.session import open_database
        from publisher.gates.refusal import RefusalError
        from publisher.intake.stored_batch import StoredBatch
        from publisher.release import publish as publish_batches
        from publisher.scanning.scanner import default_scanner

        with open_database() as database:
            scanner = default_scanner(known_values(_models(database, batch_ids)))
            try:
                done = publish_batches([StoredBatch(database, batch) for batch in batch_ids], target, scanner)
            except RefusalError as error:
                _print_refusal(error, as_json=as_json)
                raise typer.Exit(EXIT_REFUSED) from None
            _register(database, done)
        _print_done(done, as_json=as_json)

    return publish


def _models(database: Database, batch_ids: Sequence[str]) -> set[str]:
    """The keys of the models in the batches that exist; what doesn't exist, the gates will say."""
    from dataset.store.batches import BatchRow, list_batches

    found = [batch for batch in list_batches(database) if batch.id in batch_ids]
    return {model.key for batch in found if isinstance(batch, BatchRow) for model in batch.definition.models}


def _register(database: Database, done: Published) -> None:
    from datetime import datetime

    from dataset.record import BatchId
    from dataset.store.releases import ReleaseRow, register_release

    row = ReleaseRow(
        digest=done.digest,
        batch_ids=tuple(BatchId(batch) for batch in done.release.batches),
        target_name=done.target.name,
        run_count=done.runs,
        published_at=datetime.fromisoformat(done.release.published_at),
    )
    register_release(database, row)


def _print_done(done: Published, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "changed": done.changed,
                "release": done.release.number,
                "batches": done.batches,
                "runs": done.runs,
                "digest": done.digest,
                "target": str(done.target),
            }
        )
        return
    state = f"release {done.release.number}" if done.changed else "unchanged: it already holds all of this"
    print(f"{done.target}: {state}; {done.batches} batches, {done.runs} runs, index sha256 {done.digest}")
    print(f"→ check it with `glassbench verify {done.target}`")
    print(f"→ render it with `glassbench site build --from {done.target} --to DIRECTORY`")


def _print_refusal(error: RefusalError, *, as_json: bool) -> None:
    if as_json:
        file = str(error.file) if error.file else None
        print_json({"file": file, "refused": [fault.as_json() for fault in error.refusal.faults]})
        return
    for line in error.refusal.lines():
        print(printable(line))
    print_error(error, as_json=False)
    print(f"the same list for machines: {error.file or 'could not be written beside the target'}")
