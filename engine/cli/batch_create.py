"""`glassbench batch create --template T --model KEY`, or `--replay BATCH`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import counted, print_json

if TYPE_CHECKING:
    from dataset.artifacts.definition import BatchDefinition
    from dataset.record import BatchId
    from dataset.store.session import Database
    from engine.batches.estimate import Estimate
    from engine.providers.registry import ModelRegistry


def batch_create(
    template_id: Annotated[
        str | None, typer.Option("--template", help="What the batch is; see `template list`.")
    ] = None,
    model_keys: Annotated[list[str] | None, typer.Option("--model", help="Who is asked; may be given again.")] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", help="Judge the recorded answers of this batch again; asks nobody, costs nothing."),
    ] = None,
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
    pack_id: Annotated[str | None, typer.Option("--pack", help="Which imported pack; finance, if not given.")] = None,
    estimate_only: Annotated[bool, typer.Option("--estimate", help="Show size and cost, create nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Freeze a batch by version and hash.

    Every case, variant, repeat and model is fixed here; running with other numbers is another batch.
    """
    _require_one_kind(template_id, model_keys, replay, pack_id)
    wanted = _Wanted(template_id=template_id, model_keys=model_keys, replay=replay, pack_id=pack_id)
    _create(wanted, (most_requests, most_tokens, most_cost), input_reservation, dry=estimate_only, as_json=as_json)


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What the batch is made from."""

    template_id: str | None
    model_keys: Sequence[str] | None
    replay: str | None
    pack_id: str | None


def _create(
    wanted: _Wanted,
    most: tuple[int | None, int | None, str | None],
    input_reservation: int,
    *,
    dry: bool,
    as_json: bool,
) -> None:
    """`most`: the most requests, tokens and cost. Where `dry`, nothing is created."""
    from dataset.home import state_directory
    from dataset.store.batches import create_batch
    from dataset.store.session import open_database
    from engine.batches.batch_id import new_batch_id
    from engine.batches.batch_terms import active_policy, batch_limits, new_terms, standing_policy, stored_terms
    from engine.cli.estimate_table import print_estimate
    from engine.cli.limits_table import print_limits
    from engine.cli.withheld_lines import withheld_lines
    from engine.preflight.bound import most_of_batch
    from engine.preflight.bounded import require_bounded
    from engine.providers.registry import ModelRegistry

    registry = ModelRegistry.load(state_directory())
    limits = batch_limits(requests=most[0], tokens=most[1], cost=most[2])
    with open_database() as database:
        definition, now = _definition(database, registry, wanted), database.now()
        batch_id = new_batch_id(definition.template, now)
        policy = standing_policy(database) if dry else active_policy(database)
        terms = new_terms(policy, limits, input_reservation=input_reservation, rates=registry.fx)
        bounds = most_of_batch(database, registry, definition, batch_id, terms.policy)
        if not dry:
            require_bounded(definition, batch_id, terms)
            create_batch(database, batch_id, definition, now, terms=stored_terms(terms))
    if as_json:
        _tell_json(definition, None if dry else batch_id, bounds)
        return
    if definition.replay_of is None:
        print_estimate(bounds, {model.key: registry.entry(model.key) for model in definition.models})
        print_limits(batch_id, definition.models, terms)
    else:
        recorded = counted(definition.run_count, "recorded run")
        print(f"judges {recorded} of {definition.replay_of} again: nobody is asked")
    for line in withheld_lines({case.id: case.withheld for case in definition.cases}):
        print(line)
    if not dry:
        _tell_created(batch_id, definition)


def _tell_created(batch_id: BatchId, definition: BatchDefinition) -> None:
    print(f"created {batch_id}")
    print(f"definition hash {definition.digest()}")
    print(f"→ run it with `glassbench batch run {batch_id}`")


def _tell_json(definition: BatchDefinition, created: BatchId | None, bounds: Sequence[Estimate]) -> None:
    from engine.cli.estimate_table import estimate_json
    from engine.cli.withheld_lines import withheld_json

    source = {} if definition.replay_of is None else {"replay_of": definition.replay_of}
    facts = {"batch_id": created, "definition_hash": definition.digest()}
    withheld = withheld_json({case.id: case.withheld for case in definition.cases})
    print_json({**facts, **source, **withheld, "estimate": estimate_json(bounds)})


def _require_one_kind(
    template_id: str | None, model_keys: Sequence[str] | None, replay: str | None, pack_id: str | None
) -> None:
    if replay is None:
        for name, given in (("--template", template_id), ("--model", model_keys)):
            if not given:
                raise typer.BadParameter(f"Missing option '{name}' (or '--replay').")
        return
    for name, given in (("--template", template_id), ("--model", model_keys), ("--pack", pack_id)):
        if given:
            raise typer.BadParameter(f"'{name}' can't stand beside '--replay': a replay has what {replay} had.")


def _definition(database: Database, registry: ModelRegistry, wanted: _Wanted) -> BatchDefinition:
    from dataset.measures.fixed_rules.rules import VERSION
    from dataset.record import BatchId
    from dataset.store.bank import load_pack
    from engine.batches.frozen_batch import freeze
    from engine.batches.replayed_batch import replayed_definition
    from engine.batches.template_choice import choose_template
    from engine.telemetry.code_identity import code_identity

    if wanted.replay is not None:
        return replayed_definition(database, BatchId(wanted.replay), judge_version=VERSION, code=code_identity())
    models = [registry.candidate(key).freeze() for key in dict.fromkeys(wanted.model_keys or ())]
    pack = load_pack(database, wanted.pack_id or "finance")
    template = choose_template(pack, wanted.template_id or "")
    return freeze(pack=pack, template=template, models=models, judge_version=VERSION, code=code_identity())
