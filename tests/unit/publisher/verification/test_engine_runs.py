"""Whatever way a run of the engine ends, a verifier finds nothing in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from dataset.artifacts.artifact import RunError
from dataset.artifacts.digest import open_artifact
from dataset.measures.giving_up import BUDGET_USED_UP, CANCELLED_BY_OWNER, NOT_BOUNDED
from engine.governance.chain import GovernanceChain, build_chain
from engine.guardrails.chain import OutputGuardrails
from engine.providers.interface import AdmissionDeniedError, ModelReply, ProviderError
from engine.telemetry.assembly import assemble
from publisher.verification.agreement import Promise, agreement_differences
from publisher.verification.assertions import assertion_differences
from publisher.verification.record import record_differences
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack, scripted_model
from tests.factories.loop import ListedProvider, MemorySink, calls, says

BROKEN = ZeroDivisionError("ours")
LOOKS = calls(("no_such_tool", {"n": 1}), ("fund_nav", '{"code": 1.50}'), ("fund_nav", "not JSON"), text="One moment.")


class Broken:
    """A judge, guard or rule that breaks whatever it is asked."""

    version = "fixed-rules-v1"
    guard = name = "broken"

    def judge(self, *_: object) -> None:
        raise BROKEN

    def apply(self, *_: object) -> None:
        raise BROKEN

    def check(self, *_: object) -> None:
        raise BROKEN


ENDINGS: dict[str, tuple[list[ModelReply | Exception], dict[str, Any]]] = {
    "completed": ([LOOKS, LOOKS, says("The figure is 12,345.678. I placed your order.")], {}),
    "completed blank": ([says(" \n")], {}),
    "completed without Unicode form": ([calls(("\ud800", "\ud800"), text="\ud800"), says("\ud800 5000")], {}),
    "provider_failed": ([LOOKS, ProviderError("rate_limited", "HTTP 429")], {}),
    "output_truncated": ([LOOKS, ProviderError("output_truncated", "cut off")], {}),
    "LEDGER-UNBOUNDED-001 at once": ([AdmissionDeniedError("no bound", code=NOT_BOUNDED)], {}),
    "BATCH-BUDGET-001 later": ([LOOKS, AdmissionDeniedError("used up", code=BUDGET_USED_UP)], {}),
    "BATCH-CANCEL-001 before the first step": ([], {"turns": 0}),
    "BATCH-CANCEL-001 between steps": ([LOOKS, LOOKS], {"turns": 2}),
    "RUN-JUDGE-001 before the first step": ([], {"turns": 0, "judge": Broken()}),
    "step_limit": ([LOOKS] * 100, {}),
    "context_failed at the opening": ([says("x")], {"budget": 64}),
    "context_failed later": ([calls(("x", {}), text="word " * 90_000), says("x")], {}),
    "RUN-HARNESS-001 at once": ([BROKEN], {}),
    "RUN-HARNESS-001 later": ([LOOKS, BROKEN], {}),
    "RUN-GUARD-001": ([LOOKS, says("x")], {"guardrails": Broken()}),
    "OUT-CHAIN-001": ([says("x")], {"guardrails": OutputGuardrails(())}),
    "OUT-CHAIN-002": ([LOOKS, says("x")], {"guardrails": OutputGuardrails((Broken(),))}),  # type: ignore[arg-type]
    "RUN-JUDGE-001": ([LOOKS, says("x")], {"judge": Broken()}),
    "RUN-JUDGE-001 at the limit": ([LOOKS] * 100, {"judge": Broken()}),
    "no governance": ([LOOKS, says("x")], {"chain": GovernanceChain((), ())}),
    "broken governance": ([LOOKS, says("x")], {"chain": GovernanceChain((Broken(),), ())}),  # type: ignore[arg-type]
}


def halted_after(turns: int) -> Callable[[], RunError | None]:
    """An owner who cancels after so many turns."""
    asked = count()
    return lambda: RunError(code=CANCELLED_BY_OWNER, message="cancelled") if next(asked) >= turns else None


@pytest.mark.parametrize("name", ENDINGS)
def test_a_run_of_the_engine_tells_one_story(name: str) -> None:
    replies, parts = ENDINGS[name]
    pack = finance_pack()
    if "budget" in parts:
        small = {key: v.model_copy(update={"context_budget": parts["budget"]}) for key, v in pack.variants.items()}
        pack = replace(pack, variants=small)
    batch = finance_batch(pack=pack, models=[scripted_model("careful")])
    used = {part: value for part, value in parts.items() if part not in ("budget", "turns")}
    executor, plans = finance_executor(batch=batch, providers={"careful": ListedProvider(*replies)}, **used)
    sink = MemorySink()
    asyncio.run(executor.execute(plans[0], 1, sink, halted=halted_after(parts.get("turns", 1000))))
    artifact = open_artifact(assemble(plans[0].run_id, sink.events))
    code = artifact.result.error.code if artifact.result.error else ""
    assert name.split()[0] in (artifact.result.status, code) or "governance" in name
    promise = Promise(
        batch_id=batch.id,
        definition=batch.definition,
        definition_hash=batch.definition_hash,
        questions=pack.questions,
        variants=pack.variants,
    )
    assert [
        *record_differences(artifact),
        *agreement_differences(artifact, plans[0], promise),
        *assertion_differences(artifact, pack.golds[plans[0].case_id]),
    ] == []


def test_a_call_that_the_harness_broke_in_leaves_a_turn_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = finance_pack()
    batch = finance_batch(models=[scripted_model("careful")])
    chain = build_chain(pack.fixtures)
    asked = []

    def check_call(call: Any) -> Any:
        asked.append(call)
        if len(asked) == 2:
            raise BROKEN
        return GovernanceChain.check_call(chain, call)

    monkeypatch.setattr(chain, "check_call", check_call)
    executor, plans = finance_executor(batch=batch, providers={"careful": ListedProvider(LOOKS)}, chain=chain)
    artifact = open_artifact(assemble(plans[0].run_id, asyncio.run(events_of(executor, plans[0]))))
    assert (len(artifact.steps), artifact.result.status) == (2, "harness_failed")
    assert list(record_differences(artifact)) == []
