"""A run that breaks for a reason of ours is invalid with its name, never a score and never the end of the batch."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Sections
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.revision import revision_id
from dataset.store.errors import StoreError
from engine.batches.run_executor import SHORT, random_salts
from engine.governance.chain import GovernanceChain
from engine.guardrails.chain import GuardedAnswer
from engine.guardrails.interface import AnswerContext
from engine.judges.fixed_rules import FixedRules
from engine.judges.interface import Judged
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError
from engine.telemetry.assembly import assemble
from engine.telemetry.event import Event
from tests.factories.finance import events_of, finance_batch, finance_executor, scripted_model
from tests.factories.loop import ListedProvider, MemorySink, calls, says
from tests.factories.sections import sections_of

SECRET_TEXT = "something that must not be repeated"


class BrokenJudge:
    version = FixedRules.version

    def judge(self, gold: object, evidence: object) -> Judged:
        raise ZeroDivisionError(SECRET_TEXT)


class BrokenGuardrails:
    def apply(self, *_: object) -> None:
        raise ZeroDivisionError(SECRET_TEXT)


class BrokenProvider:
    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        raise ZeroDivisionError(SECRET_TEXT)

    async def close(self) -> None:
        pass


def run(*replies: ModelReply | Exception, **parts: Any) -> Sections:
    return sections_of(run_events(*replies, **parts))


def run_events(*replies: ModelReply | Exception, **parts: Any) -> list[Event]:
    batch = finance_batch(models=[scripted_model("careful")])
    providers = parts.pop("providers", {"careful": ListedProvider(*replies)})
    executor, plans = finance_executor(batch=batch, providers=providers, **parts)
    return asyncio.run(events_of(executor, plans[0]))


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"judge": BrokenJudge()}, "RUN-JUDGE-001"),
        ({"guardrails": BrokenGuardrails()}, "RUN-GUARD-001"),
        ({"providers": {"careful": BrokenProvider()}}, "RUN-HARNESS-001"),
    ],
)
def test_a_part_of_ours_that_breaks_makes_the_run_invalid_with_its_name(parts: dict[str, Any], code: str) -> None:
    found = run(says("It is 12."), **parts)
    assert (found.judgment.verdict, found.judgment.invalid_reason) == ("invalid", code)
    assert found.result.status == "harness_failed"
    assert found.result.error is not None
    assert found.result.error.message.endswith("broke: ZeroDivisionError")
    assert SECRET_TEXT not in found.model_dump_json()


def test_an_answer_that_no_guardrail_has_seen_is_not_shown() -> None:
    found = run(says("Buy it now."), guardrails=BrokenGuardrails())
    assert found.result.final_output == ""


def test_a_provider_that_fails_makes_the_run_invalid_with_its_code() -> None:
    found = run(ProviderError("rate_limited", "HTTP 429"))
    assert (found.judgment.verdict, found.judgment.invalid_reason) == ("invalid", "rate_limited")
    assert (found.result.status, found.result.answer_outcome) == ("provider_failed", "none")
    assert (found.result.cost, found.result.latency_ms) == (None, 0)


@pytest.mark.parametrize(("text", "outcome"), [("", "empty"), (" \n", "empty"), ("x", "answered")])
def test_an_empty_answer_is_a_valid_failure(text: str, outcome: str) -> None:
    found = run(says(text))
    assert (found.result.answer_outcome, found.judgment.verdict) == (outcome, "fail")


def test_a_model_that_only_calls_tools_ends_at_its_limit_as_a_failure() -> None:
    found = run(*[calls(("no_such_tool", {"n": n})) for n in range(100)])
    assert (found.result.status, found.result.answer_outcome) == ("step_limit", "none")
    assert found.judgment.verdict == "fail"


def test_an_empty_chain_denies_every_call() -> None:
    found = run(calls(("quote_latest", {})), says("x"), chain=GovernanceChain((), ()))
    assert (found.result.tool_calls, found.result.refused_calls) == (1, 1)


def test_a_database_that_fails_is_not_made_into_an_artifact() -> None:
    class FailingSink(MemorySink):
        async def flush(self) -> None:
            raise StoreError("the connection was lost")

    batch = finance_batch(models=[scripted_model("careful")])
    executor, plans = finance_executor(batch=batch, providers={"careful": ListedProvider(says("x"))})
    with pytest.raises(StoreError):
        asyncio.run(executor.execute(plans[0], 1, FailingSink()))


@pytest.mark.parametrize("text", ["\ud800 half a character", "nul \x00 and \x1b[31m", "\U0001f600" * 3, "é\u0301" * 50])
def test_any_text_of_a_model_survives_sealing(text: str) -> None:
    events = run_events(calls((text, text), text=text), says(text))
    batch = finance_batch(models=[scripted_model("careful")])
    run_id = finance_executor(batch=batch)[1][0].run_id
    artifact = open_artifact(assemble(run_id, events))
    assert artifact.judgment.verdict in ("pass", "fail")
    assert artifact.steps[1].kind == "tool"


def test_salts_are_fresh_for_every_section_of_every_run() -> None:
    found = [salt for _ in range(3) for salt in random_salts().values()]
    assert len(set(found)) == 3 * len(SECTION_NAMES)
    assert all(len(bytes.fromhex(salt)) == 16 for salt in found)


def test_runs_of_one_variant_and_model_share_their_provenance_but_for_what_is_their_own() -> None:
    batch = finance_batch(models=[scripted_model("careful")])
    executor, plans = finance_executor(batch=batch)
    again = replace(plans[0], run_id=revision_id(plans[0].run_id, 2))
    first = sections_of(asyncio.run(events_of(executor, plans[0]))).provenance
    second = sections_of(asyncio.run(events_of(executor, again, attempt=3))).provenance
    own = ("attempt", "supersedes", "started_at", "finished_at")
    assert first.model_dump(exclude=set(own)) == second.model_dump(exclude=set(own))
    assert (first.attempt, first.supersedes) == (1, None)
    assert (second.attempt, second.supersedes) == (3, plans[0].run_id)
    assert second.started_at >= first.finished_at


def test_a_long_answer_is_guarded_off_the_event_loop_and_a_short_one_in_place() -> None:
    class WatchedGuardrails:
        threads: ClassVar[list[str]] = []

        def apply(self, answer: str, context: AnswerContext) -> GuardedAnswer:
            self.threads.append(threading.current_thread().name)
            return GuardedAnswer(text=answer, raw_sha256="", outcomes=())

    here = threading.current_thread().name
    for text in ("x" * SHORT, "x" * (SHORT + 1)):
        run(says(text), guardrails=WatchedGuardrails())
    assert [name == here for name in WatchedGuardrails.threads] == [True, False]
