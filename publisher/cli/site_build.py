"""`glassbench site build`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dataset.console import counted, print_json


def site_build(
    snapshot: Annotated[Path, typer.Option("--from", help="The snapshot to render.", exists=True, file_okay=False)],
    target: Annotated[Path, typer.Option("--to", help="Where the site goes.")],
    url: Annotated[
        str | None,
        typer.Option(
            help="Where it will stand (https://…/): gives a sitemap, and whole addresses in feed and citations."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Render the static site from a snapshot."""
    from publisher.exports.address import site_address
    from publisher.rendering.site.build import build_site

    built = build_site(snapshot, target, site_address(url) if url is not None else None)
    if as_json:
        print_json({"pages": built.pages, "bytes": built.bytes, "target": str(target.absolute())})
        return
    place = target.absolute()
    print(f"{counted(built.pages, 'page')}, {counted(built.bytes, 'byte')} in {place}")
    print(f"→ open {place / 'index.html'}, or run `glassbench site serve {place}`")
    if url is not None:
        print(f"→ upload the whole folder to {url}, deleting there what isn't in it any more")
