"""`glassbench site serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def site_serve(
    directory: Annotated[Path, typer.Argument(help="A built site.")] = Path("_site"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
) -> None:
    """Serve a built site until Ctrl-C."""
    from publisher.rendering.site.serve import serve

    def announce(address: str) -> None:
        print(f"{directory.absolute()} at {address} (Ctrl-C ends)", flush=True)

    serve(directory, host=host, port=port, ready=announce)
