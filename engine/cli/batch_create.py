"""`glassbench batch create --template T --model KEY`."""

from __future__ import annotations

from typing import Annotated

import typer

from dataset.console import print_json


def batch_create(
    template_id: Annotated[str, typer.Option("--template", help="What the batch is; see `template list`.")],
    model_keys: Annotated[list[str], typer.Option("--model", help="Who is asked; may be given again.")],
    most_cost: Annotated[
        str | None, typer.Option("--max-cost", help="The most it may cost, in the policy's currency.")
    ] = None,
    most_requests: Annotated[
        int | None, typer.Option("--max-requests", min=0, help="The most calls, tries included.")
    ] = None,
    most_tokens: Annotated[int | None, typer.Option("--max-tokens", min=0, help="The most tokens, both ways.")] = None,
    input_reservation: Annotated[
        int,
        typer.Option(min=0, help="Input tokens that each call reserves at least; what is counted, if more."),
    ] = 0,
    pack_id: Annotated[str, typer.Option("--pack", help="Which imported pack.")] = "finance",
    estimate_only: Annotated[bool, typer.Option("--estimate", help="Show size and cost, create nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Freeze a batch by version and hash.

    Every case, variant, repeat and model is fixed here; running with other numbers is another batch.
    """
    from datetime import UTC, datetime

    from dataset.artifacts.definition import planned_runs
    from dataset.home import state_directory
    from dataset.measures.fixed_rules.rules import VERSION
    from dataset.record import BatchId
    from dataset.store.bank import load_pack
    from dataset.store.batches import create_batch
    from dataset.store.session import open_database
    from engine.batches.batch_id import new_batch_id
    from engine.batches.batch_terms import batch_limits, new_terms, stored_terms
    from engine.batches.estimate import estimate
    from engine.batches.frozen_batch import FrozenBatch, freeze
    from engine.batches.template_choice import choose_template
    from engine.cli.estimate_table import estimate_json, print_estimate
    from engine.providers.registry import ModelRegistry
    from engine.telemetry.code_identity import code_identity

    registry = ModelRegistry.load(state_directory())
    limits = batch_limits(requests=most_requests, tokens=most_tokens, cost=most_cost)
    models = [registry.candidate(key).freeze() for key in dict.fromkeys(model_keys)]
    now = datetime.now(UTC)
    with open_database() as database:
        pack = load_pack(database, pack_id)
        template = choose_template(pack, template_id)
        definition = freeze(pack=pack, template=template, models=models, judge_version=VERSION, code=code_identity())
        batch_id: BatchId = new_batch_id(template, now)
        batch = FrozenBatch(id=batch_id, definition=definition, pack=pack)
        bounds = estimate(batch, list(planned_runs(definition, batch_id)), registry.tries())
        if not estimate_only:
            terms = new_terms(database, limits, input_reservation=input_reservation, rates=registry.fx)
            create_batch(database, batch_id, definition, now, terms=stored_terms(terms))
    created = None if estimate_only else batch_id
    if as_json:
        print_json({"batch_id": created, "definition_hash": definition.digest(), "estimate": estimate_json(bounds)})
        return
    print_estimate(bounds)
    if created:
        print(f"created {created}")
        print(f"definition hash {definition.digest()}")
        print(f"→ run it with `glassbench batch run {created}`")
