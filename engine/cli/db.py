"""`glassbench db status|upgrade|stop`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json


def db_status(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show where the database is and its schema."""
    from dataset.store.session import open_database, schema_status

    with open_database(check_schema=False) as database:
        status = schema_status(database)
        facts = {
            "place": database.place,
            "server_version": database.server_version,
            "schema": status.state,
            "current": status.current,
            "head": status.head,
        }
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        print(f"{name.replace('_', ' '):15} {value}")
    if status.state != "current":
        print("→ run `glassbench db upgrade`")


def db_upgrade(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Bring the schema up to date."""
    from dataset.store.session import open_database, schema_status, upgrade

    with open_database(check_schema=False) as database:
        before = schema_status(database)
        upgrade(database)
        after = schema_status(database)
    if as_json:
        print_json({"before": before.current, "after": after.current})
    elif before.current == after.current:
        print(f"schema is current ({after.current})")
    else:
        print(f"schema upgraded: {before.current or 'empty'} → {after.current}")


def db_stop(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Stop the embedded server.

    Nothing is lost: the next command that needs it starts it again.
    """
    from dataset.home import state_directory
    from dataset.store.embedded import stop

    stopped = stop(state_directory())
    if as_json:
        print_json({"stopped": stopped})
    else:
        print("stopped" if stopped else "not running")
