"""`glassbench template show ID`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json


def template_show(
    template_id: Annotated[str, typer.Argument(help="The template's id.")],
    pack_id: Annotated[str, typer.Option("--pack", help="Which imported pack.")] = "finance",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one batch template whole."""
    from dataset.store.bank import load_pack
    from dataset.store.session import open_database
    from engine.batches.template_choice import choose_template

    with open_database() as database:
        pack = load_pack(database, pack_id)
    template = choose_template(pack, template_id)
    if as_json:
        print_json(template.body())
        return
    cases = len(pack.questions) if template.cases == "all" else len(template.cases)
    print(f"{template.id} v{template.version}: {template.title.en}")
    print(template.description.en)
    print(f"cases      {cases}{' (all)' if template.cases == 'all' else ''}")
    print(f"variants   {', '.join(template.variants)}")
    print(f"repeats    {template.repeats}, order {template.order}")
    print(f"runs       {cases * len(template.variants) * template.repeats} per model")
    print(f"threshold  valid / planned ≥ {template.valid_threshold} in every group")
    print(f"metrics    {', '.join(template.metrics)}")
    for contrast in template.contrasts:
        arms = ", ".join(f"{baseline} → {treatment}" for baseline, treatment in contrast.pairs)
        print(f"contrast   {contrast.id}: {arms} ({contrast.title.en})")
    print(f"hash       {template.digest()}")
