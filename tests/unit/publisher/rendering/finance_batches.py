"""Finished batches of the finance pack's scripted models: four strategies under three budgets, and searched tools."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from dataset.artifacts.digest import seal
from dataset.record import BatchId
from engine.batches.frozen_batch import FrozenBatch
from tests.factories.bank import BankCase
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack, scripted_model
from tests.factories.runs import make_salts
from tests.factories.sections import sections_of
from tests.factories.snapshot import SampleBatch

LONGEST = "long-account-handover"
"""The session of about 24,000 tokens."""
SHORTEST = "long-savings-plan"
"""The session of about 6,000 tokens."""


def strategies_batch(case_id: str = LONGEST) -> SampleBatch:
    """One long session under every strategy and budget, in both languages."""
    return _finished("strategies", "context", cases=(case_id,))


def delivery_batch() -> SampleBatch:
    """Ten short cases with tools of their scene and with searched tools, in both languages: just enough for tests."""
    cases = finance_pack().templates["contrast"].cases[:10]
    return _finished("delivery", "contrast", cases=cases)


def _finished(batch_id: str, template_id: str, **changes: Any) -> SampleBatch:
    pack = finance_pack()
    # In the order of the template, so that a run's id says which arm it is of.
    template = pack.templates[template_id].model_copy(update={"order": "by-case", **changes})
    pack = replace(pack, templates={**pack.templates, template_id: template})
    batch = finance_batch(template_id, pack=pack, models=[scripted_model("careful")])
    batch = FrozenBatch(id=BatchId(batch_id), definition=batch.definition, pack=pack)
    # In a thread of its own: where a test drives a browser, this one has a loop running already.
    with ThreadPoolExecutor(1) as thread:
        artifacts = thread.submit(asyncio.run, _artifacts(template_id, batch)).result()
    definition = batch.definition
    return SampleBatch(
        batch_id=batch.id,
        definition=definition,
        pack=pack,
        cases=tuple(BankCase(question=pack.questions[c.id], gold=pack.golds[c.id]) for c in definition.cases),
        variants=tuple(pack.variants[variant_id] for variant_id in template.variants),
        artifacts=artifacts,
    )


async def _artifacts(template_id: str, batch: FrozenBatch) -> dict[Any, bytes]:
    executor, plans = finance_executor(template_id, batch=batch)
    return {
        plan.run_id: seal(plan.run_id, sections_of(await events_of(executor, plan)), make_salts(plan.run_id))
        for plan in plans
    }
