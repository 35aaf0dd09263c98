"""`glassbench preview BATCH…`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from dataset.console import EXIT_REFUSED, counted, print_error, print_json, printable
from publisher.cli.batch_scanner import batch_scanner

if TYPE_CHECKING:
    from publisher.preview.errors import PreviewRefusedError
    from publisher.preview.preview import Previewed
    from publisher.scanning.scanner import Scanner

PRIVATE_FOLDER = "preview"
"""Below the state directory: what is on its way from the database to the pages, and previews without a place."""


def preview_command(known_values: Callable[[Collection[str]], Mapping[str, str]]) -> Callable[..., None]:
    """The command with the credential values that must appear nowhere in a preview."""

    def preview(
        batch_ids: Annotated[list[str], typer.Argument(help="Batches, finished or not; see `batch list`.")],
        target: Annotated[
            Path | None, typer.Option("--to", help="Where the pages go; without it they are served, and then gone.")
        ] = None,
        serve: Annotated[bool, typer.Option("--serve", help="Serve what was written, until Ctrl-C.")] = False,
        port: Annotated[int, typer.Option(min=0, max=65535, help="Port to serve on; 0 takes a free one.")] = 8001,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON; needs --to.")] = False,
    ) -> None:
        """Show batches as they would look if published, for their owner alone.

        Every page says that it isn't published. All gates are passed, and what they would refuse is listed on top; what
        the scan finds is left out. No snapshot is touched, and no command takes a preview for one.
        """
        from dataset.home import state_directory
        from publisher.preview.private_folder import private_folder

        if as_json and (target is None or serve):
            raise typer.BadParameter("--json tells what was written: it needs --to, and can't stand beside --serve")
        private = state_directory() / PRIVATE_FOLDER
        with _ended_by_signals():
            if target is not None:
                _make(batch_ids, target, private, known_values, as_json=as_json)
                if serve:
                    _serve(target, port)
                elif not as_json:
                    print(f"→ open {target.absolute()}/index.html; `glassbench publish` makes a release of it")
                return
            with private_folder(private) as folder:
                _make(batch_ids, folder / "pages", private, known_values, as_json=False)
                _serve(folder / "pages", port)

    return preview


def _make(
    batch_ids: list[str],
    target: Path,
    private: Path,
    known_values: Callable[[Collection[str]], Mapping[str, str]],
    *,
    as_json: bool,
) -> None:
    from dataset.store.session import open_database
    from publisher.intake.stored_batch import StoredBatch
    from publisher.preview.errors import PreviewRefusedError
    from publisher.preview.preview import preview

    with open_database() as database:
        sources = [StoredBatch(database, batch) for batch in batch_ids]
        scanner: Scanner = batch_scanner(sources, known_values)
        try:
            made = preview(sources, target, scanner, private=private)
        except PreviewRefusedError as error:
            _print_refused(error, as_json=as_json)
            raise typer.Exit(EXIT_REFUSED) from None
    _print(made, as_json=as_json)


def _print_refused(error: PreviewRefusedError, *, as_json: bool) -> None:
    if as_json:
        print_json({"refused": [fault.as_json() for fault in error.refusal.faults]})
        return
    for line in error.refusal.lines():
        print(printable(line))
    print_error(error, as_json=False)


def _print(made: Previewed, *, as_json: bool) -> None:
    notice = made.notice
    if as_json:
        print_json(
            {
                "target": str(made.target.absolute()),
                "pages": made.pages,
                "bytes": made.bytes,
                "batches": [
                    {"batch_id": batch.batch_id, "planned": batch.planned, "shown": batch.shown}
                    for batch in notice.batches
                ],
                "left_out": list(notice.left_out),
                "refused": [fault.as_json() for fault in made.refusal.faults],
            }
        )
        return
    for batch in notice.batches:
        print(f"{batch.batch_id}: {batch.shown:,} of {counted(batch.planned, 'planned run')} shown")
    for line in notice.faults:
        print(printable(line))
    for name in notice.left_out:
        print(f"left out, and written nowhere: {name}")
    told = f"would be refused: {counted(len(made.refusal.faults), 'fault')}" if notice.faults else "no gate refuses it"
    print(f"NOT published ({told}); {counted(made.pages, 'page')} in {made.target.absolute()}")


def _serve(directory: Path, port: int) -> None:
    from publisher.rendering.site.serve import serve

    def announce(address: str) -> None:
        print(f"→ open {address} on this machine (Ctrl-C ends)", flush=True)

    serve(directory, port=port, ready=announce, private=True)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Whoever ends the command, as Ctrl-C does or a service manager: what it began is removed."""

    def end(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
