"""The list of the publisher's commands, and how a root mounts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import typer

from publisher.cli.key_new import key_new
from publisher.cli.key_show import key_show
from publisher.cli.preview import preview_command
from publisher.cli.publish import publish_command
from publisher.cli.release_list import release_list
from publisher.cli.reveal import reveal_command
from publisher.cli.scan import scan_command
from publisher.cli.site_build import site_build
from publisher.cli.site_serve import site_serve
from publisher.cli.verify import verify
from publisher.cli.withdraw import withdraw_command

KnownValues = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the secret values that a scan must find nowhere, by name, for a release with the models of these keys."""


def mount(app: typer.Typer, *, known_values: KnownValues) -> None:
    """Adds every command of the publisher; `known_values` is asked only by those that scan."""
    app.command("preview")(preview_command(known_values))
    app.command("publish")(publish_command(known_values))
    app.command("withdraw")(withdraw_command(known_values))
    app.command("reveal")(reveal_command(known_values))
    app.command("verify")(verify)
    app.command("scan")(scan_command(known_values))
    site = typer.Typer(
        help="The static site: built from a snapshot alone.", no_args_is_help=True, rich_markup_mode=None
    )
    site.command("build")(site_build)
    site.command("serve")(site_serve)
    app.add_typer(site, name="site")
    key = typer.Typer(help="Keys that releases are signed with.", no_args_is_help=True, rich_markup_mode=None)
    key.command("new")(key_new)
    key.command("show")(key_show)
    app.add_typer(key, name="key")
    release = typer.Typer(help="Releases: what was published.", no_args_is_help=True, rich_markup_mode=None)
    release.command("list")(release_list)
    app.add_typer(release, name="release")
