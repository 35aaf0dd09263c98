"""A slice in a worker's hands: asked under the ledger, recorded under the lease, and what becomes of it when things
break."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from dataset.artifacts.digest import open_artifact
from dataset.measures.giving_up import BUDGET_USED_UP
from dataset.record import BatchId, RunId
from dataset.store.batches import get_batch
from dataset.store.leases import take_away_expired
from dataset.store.ledger_drift import drift
from dataset.store.lifecycle import cancel_batch, pause_batch, retry_invalid, standing_of
from dataset.store.planned import missing_runs
from dataset.store.runs import artifact_bytes, events
from dataset.store.serving import sweep
from dataset.store.session import Database
from engine.batches.batch_session import BatchSession
from engine.batches.observer import Outcome
from engine.ledger.policy import Policy
from engine.ledger.terms import BatchLimits
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError
from tests.factories.loop import calls
from tests.factories.recording import record_artifact
from tests.factories.stored import assert_every_run_exactly_once, new_batch, stored_artifacts
from tests.integration.engine.serving import (
    Desk,
    GatedProvider,
    at_once,
    cannot_say,
    codes,
    make_due,
    one_value,
    open_desk,
    start,
)

OPEN_TRIES = "SELECT count(*) FROM provider_attempt WHERE ended_at IS NULL"


def small(*, quantum: int = 4, **policy: Any) -> Policy:
    return Policy.model_validate({"quantum": quantum, **policy})


@pytest.fixture
def batch_id(bank: Database, home: Path) -> BatchId:
    """Twenty runs in slices of four, wanted to run."""
    made = new_batch(bank, home, "b1", template="english", models=["scripted-careful"], policy=small())
    start(bank, made)
    return made


def attempts(database: Database, batch_id: BatchId) -> dict[RunId, int]:
    return {
        run_id: open_artifact(data).provenance.attempt for run_id, data in stored_artifacts(database, batch_id).items()
    }


def test_what_led_to_a_question_is_durable_once_it_is_admitted_and_the_try_before_the_first_byte(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    told: list[tuple[list[str], str, str]] = []

    class Watching(GatedProvider):
        async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
            state = "SELECT state FROM provider_attempt WHERE run_id = :run_id"
            run_id = RunId(request.origin.run_id)
            await gate.admit()
            kinds = [e.kind for e in events(bank, run_id)]
            admitted = one_value(bank, state, run_id=run_id)
            await gate.sending()
            told.append((kinds, admitted, one_value(bank, state, run_id=run_id)))
            gate.settle(None)
            return cannot_say(request)

    async def work() -> None:
        async with open_desk(bank, home, Watching()) as desk:
            assert await desk.serve(batch_id) == "done"

    asyncio.run(work())
    led = ["run_started", "check", "check", "check", "tools_loaded"]
    assert told == [(led, "reserved", "send_started")] * 4


def test_slices_are_served_until_the_batch_has_ended_with_every_run_once(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as desk:
            assert await desk.serve_all(batch_id) == ["done"] * 5
            assert desk.told.over == [batch_id]

    asyncio.run(work())
    assert set(assert_every_run_exactly_once(bank, home, batch_id, files=False).values()) == {1}
    assert sorted(provider.asked) == sorted(stored_artifacts(bank, batch_id))
    assert one_value(bank, OPEN_TRIES) == 0
    with bank.transaction() as connection:
        assert drift(connection) == []


def test_two_workers_share_a_batch_and_ask_each_question_once(bank: Database, home: Path, batch_id: BatchId) -> None:
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as one, open_desk(bank, home, provider, owner="w2") as other:
            first, second = await asyncio.gather(one.serve_all(batch_id), other.serve_all(batch_id))
            assert len(first) + len(second) == 5
            assert min(len(first), len(second)) > 0

    asyncio.run(work())
    assert len(provider.asked) == len(set(provider.asked)) == 20
    assert_every_run_exactly_once(bank, home, batch_id, files=False)


def test_a_worker_that_lost_its_lease_abandons_its_runs_and_another_finishes_them(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    slow, quick = GatedProvider(), GatedProvider()

    async def work() -> None:
        slow.open.clear()
        async with open_desk(bank, home, slow) as late, open_desk(bank, home, quick, owner="w2") as other:
            held = await late.take(batch_id)
            assert held is not None
            task = late.begin(held)
            await slow.until_asked(4)
            await asyncio.to_thread(take_over, bank)
            assert set(await other.serve_all(batch_id)) == {"done"}
            slow.open.set()
            await task
            assert late.told.outcomes == [(batch_id, "lost")]
            assert (late.told.faults, late.told.runs) == ([], [])

    asyncio.run(work())
    assert sorted(attempts(bank, batch_id).values()) == [1] * 16 + [2] * 4
    assert_every_run_exactly_once(bank, home, batch_id, files=False)
    # What was sent is paid for, whoever has the slice now.
    assert one_value(bank, "SELECT count(*) FROM provider_attempt WHERE state = 'settled_actual'") == 24


def take_over(database: Database) -> None:
    with database.transaction() as connection:
        assert len(take_away_expired(connection, ["w1"])) == 1
    make_due(database)


def test_a_lost_connection_puts_the_slice_back_under_its_own_name_and_the_runs_are_done_again(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    """Not as the loss of an earlier write, which says nothing to anybody."""
    provider = GatedProvider()

    async def work() -> None:
        provider.open.clear()
        async with open_desk(bank, home, provider) as desk:
            held = await desk.take(batch_id)
            assert held is not None
            task = desk.begin(held)
            await provider.until_asked(4)
            await lose_the_next_group(bank, provider)
            await task
            assert [fault.code for fault in desk.told.faults] == ["DB-CONN-002"]
            assert desk.told.outcomes == [(batch_id, "failed")]
            await asyncio.to_thread(make_due, bank)
            assert set(await desk.serve_all(batch_id)) == {"done"}

    asyncio.run(work())
    assert_every_run_exactly_once(bank, home, batch_id, files=False)


async def lose_the_next_group(database: Database, provider: GatedProvider) -> None:
    """Lets the answers come, and kills whoever then writes artifacts."""
    kill = text(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'"
    )

    def kill_the_writer() -> None:
        while True:
            with database.transaction() as connection:
                if list(connection.execute(kill).scalars()):
                    return

    with database.transaction() as connection:
        connection.execute(text("LOCK TABLE event IN EXCLUSIVE MODE"))
        provider.open.set()
        await asyncio.to_thread(kill_the_writer)


def test_work_ended_at_once_goes_back_and_what_was_sent_counts_as_all_it_had_reserved(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    provider = GatedProvider()

    async def work() -> None:
        provider.open.clear()
        async with open_desk(bank, home, provider) as desk:
            held = await desk.take(batch_id)
            assert held is not None
            task = desk.begin(held)
            await provider.until_asked(4)
            held.cancel()
            await task
            assert desk.told.outcomes == [(batch_id, "yielded")]

    asyncio.run(work())
    assert len(missing_runs(bank, batch_id)) == 20
    assert one_value(bank, "SELECT count(*) FROM provider_attempt WHERE state = 'settled_conservative'") == 4
    assert one_value(bank, OPEN_TRIES) == 0
    assert one_value(bank, "SELECT sum(failures) FROM slice") == 0


@pytest.mark.parametrize("why", ["stop", "pause"])
def test_a_draining_slice_ends_the_runs_in_flight_and_begins_no_other(
    bank: Database, home: Path, batch_id: BatchId, why: str
) -> None:
    provider, stop = GatedProvider(), asyncio.Event()

    async def work() -> None:
        provider.open.clear()
        async with open_desk(bank, home, provider, change=lambda session: at_once(session, 1)) as desk:
            helds = [await desk.take(batch_id) for _ in range(2)]
            tasks = [desk.begin(held, stop) for held in helds if held is not None]
            await provider.until_asked(1)
            if why == "stop":
                stop.set()
            for held in helds:
                assert held is not None
                held.wish = "pause" if why == "pause" else held.wish
            provider.open.set()
            await asyncio.gather(*tasks)
            assert [outcome for _, outcome in desk.told.outcomes] == ["yielded", "yielded"]

    asyncio.run(work())
    assert len(provider.asked) == 1
    assert len(missing_runs(bank, batch_id)) == 19
    assert one_value(bank, "SELECT count(*) FROM slice WHERE state = 'open' AND failures = 0") == 5


def test_tasks_in_flight_are_bounded_by_the_models_concurrency_not_by_the_slice(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="contrast", models=["scripted-careful"], policy=small(quantum=80))
    start(bank, made)
    counted: list[int] = []

    def count(request: ModelRequest) -> ModelReply:
        counted.append(len(asyncio.all_tasks()))
        return cannot_say(request)

    async def work() -> int:
        async with open_desk(bank, home, GatedProvider(count), change=lambda session: at_once(session, 3)) as desk:
            before = len(asyncio.all_tasks())
            assert await desk.serve(made) == "done"
            return before

    before = asyncio.run(work())
    assert len(counted) == 80
    assert max(counted) <= before + 1 + 3


def test_a_batch_whose_runs_are_all_recorded_is_completed_without_another_call(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    start(bank, made)
    for run in missing_runs(bank, made):
        record_artifact(bank, run.run_id)
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as desk:
            assert await desk.serve(made) == "done"

    asyncio.run(work())
    assert provider.asked == []
    assert standing_of(bank, made)[1] is True


def test_a_cancelled_batch_records_what_is_missing_as_given_up_and_asks_nobody(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as desk:
            assert await desk.serve(batch_id) == "done"
            await asyncio.to_thread(cancel_batch, bank, batch_id, quantum=4)
            assert await desk.serve_all(batch_id) == ["done"] * 4
            assert codes(desk.told.runs) == [None] * 4 + ["BATCH-CANCEL-001"] * 16

    asyncio.run(work())
    assert len(provider.asked) == 4
    row = get_batch(bank, batch_id)
    assert row.finished_at is not None
    assert (row.counts.recorded, row.counts.invalid) == (20, 16)


def test_a_batch_cancelled_under_way_gives_up_between_two_steps_of_a_run(
    bank: Database, home: Path, batch_id: BatchId
) -> None:
    provider = GatedProvider(lambda request: calls(("no_such_tool", {})))

    async def work() -> None:
        provider.open.clear()
        async with open_desk(bank, home, provider, change=lambda session: at_once(session, 1)) as desk:
            held = await desk.take(batch_id)
            assert held is not None
            task = desk.begin(held)
            await provider.until_asked(1)
            held.wish, held.reason = "cancel", BUDGET_USED_UP
            provider.open.set()
            await task
            assert codes(desk.told.runs) == [BUDGET_USED_UP] * 4
            assert [run.result.model_steps for run in desk.told.runs] == [1, 0, 0, 0]

    asyncio.run(work())
    assert len(provider.asked) == 1


def test_a_budget_used_up_in_the_middle_ends_the_batch_with_what_it_has(bank: Database, home: Path) -> None:
    made = new_batch(
        bank,
        home,
        "b1",
        template="english",
        models=["scripted-careful"],
        policy=small(),
        limits=BatchLimits(requests=6),
    )
    start(bank, made)
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as desk:
            await desk.serve_all(made)
            assert sorted(map(str, codes(desk.told.runs))) == [BUDGET_USED_UP] * 14 + ["None"] * 6

    asyncio.run(work())
    assert len(provider.asked) == 6
    control, ended = standing_of(bank, made)
    assert (control.wish, control.reason, ended) == ("rest", BUDGET_USED_UP, True)
    with bank.transaction() as connection:
        assert drift(connection) == []


def test_a_policy_that_admits_nothing_pauses_the_batch_and_records_nothing(bank: Database, home: Path) -> None:
    closed = Policy.model_validate({"global": {"requests": 0}})
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"], policy=closed)
    start(bank, made)
    provider = GatedProvider()

    async def work() -> None:
        async with open_desk(bank, home, provider) as desk:
            assert await desk.serve_all(made) == ["paused"]
            assert [fault.code for fault in desk.told.faults] == ["LEDGER-DENY-001"]

    asyncio.run(work())
    control, _ = standing_of(bank, made)
    assert (control.wish, control.reason) == ("pause", "LEDGER-DENY-001")
    assert (provider.asked, len(missing_runs(bank, made))) == ([], 2)


def test_a_ledger_that_disagrees_with_its_totals_pauses_the_batch(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="english", models=["scripted-careful"], policy=small())
    start(bank, made)

    async def work() -> None:
        async with open_desk(bank, home, GatedProvider()) as desk:
            assert await desk.serve(made) == "done"
            with bank.transaction() as connection:
                connection.execute(text("UPDATE ledger_scope SET active = active + 1 WHERE kind = 'global'"))
            assert await desk.serve_all(made) == ["paused"]
            assert desk.told.faults[0].code == standing_of(bank, made)[0].reason == "LEDGER-DRIFT-001"

    asyncio.run(work())
    assert len(missing_runs(bank, made)) == 16


class Breaking:
    """An executor that breaks unless the run is to be given up."""

    def __init__(self, real: Any) -> None:
        self._real = real

    async def execute(self, *args: Any, halted: Any, **given: Any) -> None:
        if halted() is None:
            raise ZeroDivisionError
        await self._real.execute(*args, halted=halted, **given)


def breaking(session: BatchSession) -> BatchSession:
    return replace(session, executor=Breaking(session.executor))  # type: ignore[arg-type]


def test_a_slice_that_breaks_each_time_is_given_up_after_its_last_attempt_with_the_reason(
    bank: Database, home: Path
) -> None:
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"], policy=small(slice_attempts=2))
    start(bank, made)

    async def work() -> None:
        async with open_desk(bank, home, GatedProvider(), change=breaking) as desk:
            assert await desk.serve_all(made) == ["failed", "failed", "gave_up"]
            assert {fault.code for fault in desk.told.faults} == {"RUN-HARNESS-002"}
            assert codes(desk.told.runs) == ["RUN-DEAD-001"] * 2
            error = desk.told.runs[0].result.error
            assert error is not None
            assert "RUN-HARNESS-002" in error.message

    asyncio.run(work())
    assert one_value(bank, "SELECT state FROM slice") == "dead"
    assert set(assert_every_run_exactly_once(bank, home, made, files=False).values()) == {3}


class BreakingAt:
    """An executor that breaks at one run, unless that is given up."""

    def __init__(self, real: Any, run_id: str) -> None:
        self._real, self._run_id = real, run_id

    async def execute(self, plan: Any, *args: Any, halted: Any, **given: Any) -> None:
        if plan.run_id == self._run_id and halted() is None:
            raise ZeroDivisionError
        await self._real.execute(plan, *args, halted=halted, **given)


def test_only_the_run_that_breaks_its_slice_each_time_is_given_up(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="english", models=["scripted-careful"], policy=small(slice_attempts=2))
    start(bank, made)

    def breaking_at_the_first(session: BatchSession) -> BatchSession:
        return replace(session, executor=BreakingAt(session.executor, "b1-0001"))  # type: ignore[arg-type]

    async def work() -> list[str | None]:
        async with open_desk(bank, home, GatedProvider(), change=breaking_at_the_first) as desk:
            await desk.serve_all(made)
            return codes(desk.told.runs)

    assert [code for code in asyncio.run(work()) if code] == ["RUN-DEAD-001"]
    counts = get_batch(bank, made).counts
    assert (counts.recorded, counts.invalid) == (20, 1)


class Useless:
    """An executor that can't even give a run up."""

    async def execute(self, *args: Any, **given: Any) -> None:
        raise ZeroDivisionError


def test_a_slice_that_can_not_even_be_given_up_pauses_its_batch(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"], policy=small(slice_attempts=2))
    start(bank, made)

    async def work() -> list[Outcome]:
        async with open_desk(
            bank,
            home,
            GatedProvider(),
            change=lambda session: replace(session, executor=Useless()),  # type: ignore[arg-type]
        ) as desk:
            return await desk.serve_all(made)

    assert asyncio.run(work()) == ["failed"] * 3 + ["paused"]
    control, ended = standing_of(bank, made)
    assert (control.wish, control.reason, ended) == ("pause", "RUN-HARNESS-002", False)


def test_a_model_that_says_later_is_tried_again_and_pauses_the_batch_when_it_never_gives_in(
    bank: Database, home: Path
) -> None:
    made = new_batch(bank, home, "b1", template="english", models=["scripted-careful"], policy=small(quantum=20))
    start(bank, made)

    async def work() -> None:
        provider = GatedProvider(lambda request: ProviderError("rate_limited", "HTTP 429"))
        async with open_desk(bank, home, provider) as desk:
            assert await desk.serve_all(made) == ["failed", "failed", "paused"]
            assert {fault.code for fault in desk.told.faults} == {"BATCH-MODEL-002"}
            start(bank, made)
        async with open_desk(bank, home, GatedProvider()) as desk:
            assert await desk.serve_all(made) == ["done"]

    asyncio.run(work())
    assert max(assert_every_run_exactly_once(bank, home, made, files=False).values()) == 4


def test_retried_runs_are_run_under_their_own_names_and_supersede(bank: Database, home: Path) -> None:
    made = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    failing = iter([ProviderError("provider_5xx", "HTTP 500")])

    def once(request: ModelRequest) -> ModelReply | Exception:
        return next(failing, cannot_say(request))

    async def serve_all(desk: Desk) -> None:
        start(bank, made)
        assert await desk.serve_all(made) == ["done"]

    async def work() -> None:
        async with open_desk(bank, home, GatedProvider(once), change=lambda session: at_once(session, 1)) as desk:
            await serve_all(desk)
            assert get_batch(bank, made).counts.invalid == 1
            assert retry_invalid(bank, made) == 1
            await serve_all(desk)

    asyncio.run(work())
    counts = get_batch(bank, made).counts
    assert (counts.planned, counts.recorded, counts.invalid) == (2, 2, 0)
    data = artifact_bytes(bank, RunId("b1-0001-r2"))
    assert data is not None
    again = open_artifact(data)
    assert (again.run_id, again.provenance.supersedes) == ("b1-0001-r2", "b1-0001")
    assert standing_of(bank, made)[1] is True


def test_a_batch_that_cannot_be_opened_here_is_left_to_others(bank: Database, home: Path, batch_id: BatchId) -> None:
    (home / "models.toml").write_text("")

    def refuse(session: BatchSession) -> BatchSession:
        raise ProviderError("authentication_error", "no key")

    async def work() -> None:
        async with open_desk(bank, home, GatedProvider(), change=refuse) as desk:
            assert await desk.serve(batch_id) == "yielded"
            assert not desk.service.can_serve(batch_id)
            assert len(desk.told.faults) == 1
        async with open_desk(bank, home, GatedProvider(), owner="w2") as other:
            assert set(await other.serve_all(batch_id)) == {"done"}

    asyncio.run(work())


def test_a_paused_batch_stays_as_it_is_whatever_a_sweep_finds(bank: Database, home: Path, batch_id: BatchId) -> None:
    pause_batch(bank, batch_id)
    sweep(bank)

    async def work() -> None:
        async with open_desk(bank, home, GatedProvider()) as desk:
            assert await desk.serve(batch_id) is None

    asyncio.run(work())
