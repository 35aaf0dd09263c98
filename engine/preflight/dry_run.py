"""A batch with scripted answers instead of its models', in memory: it shows that everything of ours works, no more."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dataset.artifacts.artifact import Verdict
from dataset.artifacts.definition import FrozenModel, PlannedRun
from dataset.canonical import Json
from dataset.context.token_counter import count_tokens
from dataset.questions.pack import Pack
from dataset.record import Record
from engine.batches.composition import executor_of
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.run_executor import RunExecutor
from engine.providers.scripted import ScriptedProvider
from engine.telemetry.assembly import assemble_sealed
from engine.telemetry.clock import SystemClock
from engine.telemetry.event import Event, EventKind, event_body


@dataclass(frozen=True, kw_only=True, slots=True)
class DryModel:
    """What became of a model's runs under scripted answers. `faults` counts what made runs invalid, by its code."""

    model_key: str
    style: str
    verdicts: Counter[Verdict]
    faults: Counter[str]


class _Memory:
    """An event sink that writes nowhere."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, kind: EventKind, body: Record | Json) -> None:
        self.events.append(Event(seq=len(self.events) + 1, kind=kind, body=event_body(body)))

    async def flush(self) -> None:
        """Nothing to make durable."""


def dry_run(batch: FrozenBatch, runs: Sequence[PlannedRun]) -> list[DryModel]:
    """Every given run, from its context to its sealed artifact, which is then let go; model by model."""
    styles = {model.key: _style(model, batch.pack, {run.case_id for run in runs}) for model in batch.definition.models}
    found = {
        key: DryModel(model_key=key, style=style, verdicts=Counter(), faults=Counter()) for key, style in styles.items()
    }
    asyncio.run(_run(_executor(_synthetic(batch), styles), runs, found))
    return list(found.values())


async def _run(executor: RunExecutor, runs: Iterable[PlannedRun], found: dict[str, DryModel]) -> None:
    for plan in runs:
        memory = _Memory()
        await executor.execute(plan, 1, memory)
        sealed = assemble_sealed(plan.run_id, memory.events)
        found[plan.model_key].verdicts[sealed.verdict] += 1
        if sealed.verdict == "invalid" and sealed.result.error is not None:
            found[plan.model_key].faults[sealed.result.error.code] += 1


def _style(model: FrozenModel, pack: Pack, case_ids: set[str]) -> str:
    """The model's own style where it is scripted, else the one that has an answer to most of the cases."""
    if model.synthetic:
        return model.model_id
    known = Counter(style for style, case_id in sorted(pack.transcripts) if case_id in case_ids)
    return known.most_common(1)[0][0] if known else "none"


def _synthetic(batch: FrozenBatch) -> FrozenBatch:
    """The batch with every model marked as scripted, so that nothing of it could ever pass for a measurement."""
    models = tuple(model.model_copy(update={"synthetic": True}) for model in batch.definition.models)
    return replace(batch, definition=batch.definition.model_copy(update={"models": models, "replay_of": None}))


def _executor(batch: FrozenBatch, styles: dict[str, str]) -> RunExecutor:
    transcripts = batch.pack.transcripts
    providers = {key: ScriptedProvider(style, transcripts, count_tokens) for key, style in styles.items()}
    return executor_of(batch, providers, SystemClock())
