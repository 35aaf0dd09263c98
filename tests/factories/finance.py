"""The finance pack with its scripted models, ready to run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dataset
from dataset.artifacts.artifact import Artifact, CodeIdentity
from dataset.artifacts.definition import FrozenModel, PlannedRun, planned_runs
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.price import Price
from dataset.context.token_counter import count_tokens
from dataset.measures.metric import METRIC_BY_ID
from dataset.questions.pack import Pack
from dataset.questions.pack_reader import read_pack
from dataset.record import BatchId
from engine.batches.frozen_batch import FrozenBatch, freeze
from engine.batches.run_executor import RunExecutor
from engine.governance.chain import build_chain
from engine.guardrails.chain import build_guardrails
from engine.judges.fixed_rules import FixedRules
from engine.providers.interface import Provider
from engine.providers.scripted import ScriptedProvider
from engine.telemetry.assembly import assemble
from engine.telemetry.clock import SystemClock
from engine.telemetry.event import Event
from tests.factories.loop import MemorySink

FINANCE = Path(dataset.__file__).parent / "packs" / "finance"
STYLES = ("careful", "careless")


def finance_pack() -> Pack:
    """The built-in pack as its files say."""
    pack = read_pack(FINANCE, known_metrics=METRIC_BY_ID).pack
    assert pack is not None
    return pack


def scripted_model(style: str, price: Price | None = None) -> FrozenModel:
    """A scripted candidate whose key is its style."""
    return FrozenModel(
        key=style,
        display_name=style,
        family="scripted",
        provider="scripted",
        wire_api="scripted",
        model_id=style,
        parameters={},
        synthetic=True,
        price=price,
    )


def finance_batch(
    template: str = "english", *, pack: Pack | None = None, models: Sequence[FrozenModel] | None = None
) -> FrozenBatch:
    """A frozen batch `b1` over the pack, of both styles unless told otherwise."""
    held = pack or finance_pack()
    definition = freeze(
        pack=held,
        template=held.templates[template],
        models=models or [scripted_model(style) for style in STYLES],
        judge_version=FixedRules.version,
        code=CodeIdentity(version="0.0.0", commit=None),
    )
    return FrozenBatch(id=BatchId("b1"), definition=definition, pack=held)


def finance_executor(
    template: str = "english",
    *,
    batch: FrozenBatch | None = None,
    providers: Mapping[str, Provider] | None = None,
    **parts: Any,
) -> tuple[RunExecutor, list[PlannedRun]]:
    """An executor over a batch with scripted providers, and the runs it promises; `parts` replaces any of its parts."""
    held = batch or finance_batch(template)
    scripted = {
        model.key: ScriptedProvider(model.model_id, held.pack.transcripts, count_tokens)
        for model in held.definition.models
    }
    built: dict[str, Any] = {
        "batch": held,
        "providers": providers or scripted,
        "chain": build_chain(held.pack.fixtures),
        "guardrails": build_guardrails(held.pack.guardrails),
        "judge": FixedRules(),
        "clock": SystemClock(),
        "code": held.definition.code,
    }
    return RunExecutor(**{**built, **parts}), list(planned_runs(held.definition, held.id))


async def events_of(executor: RunExecutor, plan: PlannedRun, attempt: int = 1) -> list[Event]:
    """The events of one executed run."""
    sink = MemorySink()
    await executor.execute(plan, attempt, sink)
    return sink.events


def finance_artifact(pack: Pack, template: str, *, case_id: str, variant_id: str, style: str = "careful") -> Artifact:
    """What one run of a template leaves, opened as a verifier opens it."""
    executor, plans = finance_executor(batch=finance_batch(template, pack=pack))
    wanted = (case_id, variant_id, style)
    plan = next(plan for plan in plans if (plan.case_id, plan.variant_id, plan.model_key) == wanted)
    return open_artifact(assemble(plan.run_id, asyncio.run(events_of(executor, plan))))
