"""`python -m publisher`: publish, verify, scan and build the site without the engine."""

from __future__ import annotations

import typer

from dataset.console import run_command
from publisher.cli.commands import mount


def main() -> None:
    """Runs the publisher's own commands; no credential variable is known here, so only the rules look for secrets."""
    app = typer.Typer(name="publisher", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    mount(app, known_values=lambda _: {})
    run_command(app)


if __name__ == "__main__":
    main()
