"""The root of the command: mounts the engine's and the publisher's commands and hands over what they may not import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from dataset.console import run_command
from engine.cli.batch_cancel import batch_cancel
from engine.cli.batch_create import batch_create
from engine.cli.batch_list import batch_list
from engine.cli.batch_pause import batch_pause
from engine.cli.batch_resume import batch_resume
from engine.cli.batch_retry import batch_retry
from engine.cli.batch_run import batch_run
from engine.cli.batch_stats import batch_stats
from engine.cli.batch_status import batch_status
from engine.cli.credential_list import credential_list
from engine.cli.credential_remove import credential_remove
from engine.cli.credential_rotate import credential_rotate
from engine.cli.credential_set import credential_set
from engine.cli.db import db_status, db_stop, db_upgrade
from engine.cli.doctor import doctor
from engine.cli.known_values import known_values
from engine.cli.ledger_archive import ledger_archive
from engine.cli.ledger_audit import ledger_audit
from engine.cli.ledger_export import ledger_export
from engine.cli.ledger_show import ledger_show
from engine.cli.ledger_verify import ledger_verify
from engine.cli.model_list import model_list
from engine.cli.model_show import model_show
from engine.cli.pack_check import pack_check
from engine.cli.pack_import import pack_import
from engine.cli.policy_apply import policy_apply
from engine.cli.policy_list import policy_list
from engine.cli.policy_show import policy_show
from engine.cli.run_events import run_events
from engine.cli.run_show import run_show
from engine.cli.stats import stats
from engine.cli.template_list import template_list
from engine.cli.template_show import template_show
from engine.cli.tokens import tokens
from engine.cli.worker import worker
from publisher.cli.commands import mount

app = typer.Typer(
    name="glassbench",
    help="Evaluate language models and agents in private; publish evidence that a stranger can check.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich alone would take longer to import than `--help` may take
    context_settings={"help_option_names": ["-h", "--help"]},
)
GROUPS: dict[str, tuple[str, dict[str, Callable[..., None]]]] = {
    "db": (
        "The database: where it is and what schema it has.",
        {"status": db_status, "upgrade": db_upgrade, "stop": db_stop},
    ),
    "pack": ("Packs: banks of questions with their tools and fixtures.", {"check": pack_check, "import": pack_import}),
    "template": ("Templates: what a batch can be.", {"list": template_list, "show": template_show}),
    "model": ("Models: the registry of who can be asked.", {"list": model_list, "show": model_show}),
    "batch": (
        "Batches: create, run, look at.",
        {
            "create": batch_create,
            "run": batch_run,
            "pause": batch_pause,
            "resume": batch_resume,
            "cancel": batch_cancel,
            "retry": batch_retry,
            "status": batch_status,
            "stats": batch_stats,
            "list": batch_list,
        },
    ),
    "credential": (
        "Credentials: keys of models, stored encrypted.",
        {
            "set": credential_set,
            "rotate": credential_rotate,
            "remove": credential_remove,
            "list": credential_list,
        },
    ),
    "ledger": (
        "The ledger: every attempt, what it cost, and the audit trail.",
        {
            "show": ledger_show,
            "audit": ledger_audit,
            "export": ledger_export,
            "verify": ledger_verify,
            "archive": ledger_archive,
        },
    ),
    "policy": (
        "Policies: what may be used, in all and by each provider, model and batch.",
        {"show": policy_show, "list": policy_list, "apply": policy_apply},
    ),
    "run": ("Single runs: what happened and why.", {"show": run_show, "events": run_events}),
}


def _print_version(value: bool) -> None:
    if value:
        from dataset.version import installed_version

        print(f"glassbench {installed_version()}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Evaluate language models and agents in private; publish evidence that a stranger can check."""


app.command("doctor")(doctor)
app.command("worker")(worker)
app.command("stats")(stats)
app.command("tokens")(tokens)
for _name, (_help, _commands) in GROUPS.items():
    _group = typer.Typer(help=_help, no_args_is_help=True, rich_markup_mode=None)
    for _command, _function in _commands.items():
        _group.command(_command)(_function)
    app.add_typer(_group, name=_name)
mount(app, known_values=known_values)


def main() -> None:
    """The console entry point."""
    run_command(app)
