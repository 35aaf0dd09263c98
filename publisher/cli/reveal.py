"""`glassbench reveal BATCH --to DIR`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import EXIT_REFUSED, counted
from publisher.cli.batch_scanner import batch_scanner
from publisher.cli.registered import register
from publisher.cli.released import print_refusal, print_released
from publisher.cli.signing import KeyOption, UnsignedOption, chosen_signing

if TYPE_CHECKING:
    from publisher.releases.reveal import Revealing


def reveal_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that must appear nowhere in a release."""

    def reveal(
        batch_id: Annotated[str, typer.Argument(help="A published batch whose runs are in the database.")],
        target: Annotated[Path, typer.Option("--to", help="The snapshot directory.")],
        cases: Annotated[list[str] | None, typer.Option("--case", help="A case; all of them without it.")] = None,
        parts: Annotated[
            list[str] | None, typer.Option("--part", help="A part that is withheld; all of them without it.")
        ] = None,
        key: KeyOption = None,
        unsigned: UnsignedOption = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Make public what was withheld of a published batch.

        Every part must have the digest that was published, and every gate is passed again. It can't be taken back.
        Exit 4 where refused, with every reason.
        """
        from dataset.store.session import open_database
        from publisher.gates.refusal import RefusalError
        from publisher.intake.stored_batch import StoredBatch
        from publisher.releases.reveal import reveal as reveal_parts

        signing = chosen_signing(key, unsigned=unsigned)
        with open_database() as database:
            source = StoredBatch(database, batch_id)
            scanner = batch_scanner([source], known_values)
            try:
                done = reveal_parts(source, target, scanner, cases=cases or (), parts=parts or (), signing=signing)
            except RefusalError as error:
                print_refusal(error, as_json=as_json)
                raise typer.Exit(EXIT_REFUSED) from None
            register(database, done.released)
        print_released(
            done.released,
            as_json=as_json,
            told=[f"revealed of {made.case_id}: {', '.join(made.parts)}" for made in done.reveals] + _changed(done),
            revealed=[made.body() for made in done.reveals],
        )

    return reveal


def _changed(done: Revealing) -> list[str]:
    if not done.reveals:
        return []
    stay = counted(done.withdrawn, "withdrawn run stays", "withdrawn runs stay")
    return [f"{counted(done.runs, 'run file')} changed" + (f"; {stay} withdrawn" if done.withdrawn else "")]
