"""`glassbench publish BATCH… --to DIR`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_REFUSED
from publisher.cli.batch_scanner import batch_scanner
from publisher.cli.registered import register
from publisher.cli.released import print_refusal, print_released
from publisher.cli.signing import KeyOption, UnsignedOption, chosen_signing


def publish_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that must appear nowhere in a release."""

    def publish(
        batch_ids: Annotated[list[str], typer.Argument(help="Finished batches; see `batch list`.")],
        target: Annotated[Path, typer.Option("--to", help="The snapshot directory.")],
        key: KeyOption = None,
        unsigned: UnsignedOption = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Add finished batches to a public snapshot.

        Every hash is recomputed and every gate passed first: all or nothing. Exit 4 where refused, with every reason.
        """
        from dataset.store.session import open_database
        from publisher.gates.refusal import RefusalError
        from publisher.intake.stored_batch import StoredBatch
        from publisher.releases.publish import publish as publish_batches

        signing = chosen_signing(key, unsigned=unsigned)
        with open_database() as database:
            sources = [StoredBatch(database, batch) for batch in batch_ids]
            try:
                done = publish_batches(sources, target, batch_scanner(sources, known_values), signing=signing)
            except RefusalError as error:
                print_refusal(error, as_json=as_json)
                raise typer.Exit(EXIT_REFUSED) from None
            register(database, done)
        print_released(done, as_json=as_json)

    return publish
