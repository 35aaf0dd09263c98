"""`glassbench withdraw RUN_OR_BATCH… --reason TEXT --to DIR`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from dataset.console import EXIT_REFUSED, counted, named
from publisher.cli.released import print_refusal, print_released
from publisher.cli.signing import KeyOption, UnsignedOption, chosen_signing


def withdraw_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that a reason must not hold."""

    def withdraw(
        names: Annotated[list[str], typer.Argument(help="Runs, or batches for all of their runs.")],
        reason: Annotated[str, typer.Option("--reason", help="Why, for everyone to read: 8 to 1,000 characters.")],
        target: Annotated[Path, typer.Option("--to", help="The snapshot directory.")],
        key: KeyOption = None,
        unsigned: UnsignedOption = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Withdraw runs from a public snapshot; no database.

        Their pages keep address, hash and reason; they count as invalid, every number is made again, and the log tells
        it. It can't be taken back. Exit 4 where refused, with every reason.
        """
        from publisher.gates.refusal import RefusalError
        from publisher.releases.withdraw import withdraw as withdraw_runs
        from publisher.scanning.scanner import default_scanner

        signing = chosen_signing(key, unsigned=unsigned)
        try:
            done = withdraw_runs(names, reason, target, default_scanner(known_values(())), signing=signing)
        except RefusalError as error:
            print_refusal(error, as_json=as_json)
            raise typer.Exit(EXIT_REFUSED) from None
        told = [f"withdrawn: {counted(len(done.runs), 'run')} ({named(done.runs)})"] if done.runs else []
        if done.before:
            told.append(f"withdrawn before: {counted(len(done.before), 'run')} ({named(done.before)})")
        if done.runs:
            told.append(
                f"→ what they held is still in {done.released.target}.previous: don't commit it, and delete it where "
                "nobody may read it"
            )
        print_released(
            done.released, as_json=as_json, told=told, withdrawn=list(done.runs), withdrawn_before=list(done.before)
        )

    return withdraw
