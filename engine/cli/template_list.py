"""`glassbench template list`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json, print_table


def template_list(
    pack_id: Annotated[str, typer.Option("--pack", help="Which imported pack.")] = "finance",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the batch templates of an imported pack."""
    from dataset.store.bank import load_pack
    from dataset.store.session import open_database

    with open_database() as database:
        pack = load_pack(database, pack_id)
    if as_json:
        print_json([template.body() for template in pack.templates.values()])
        return
    print_table(
        f"Templates of {pack.head.id} v{pack.head.version}",
        ("id", "#version", "title", "#cases", "#variants", "#repeats", "#runs per model"),
        [
            (t.id, t.version, t.title.en, cases, len(t.variants), t.repeats, cases * len(t.variants) * t.repeats)
            for t in pack.templates.values()
            for cases in [len(pack.questions) if t.cases == "all" else len(t.cases)]
        ],
    )
