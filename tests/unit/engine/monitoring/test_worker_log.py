"""The log of a worker, as it is written."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import sys
import threading
import warnings
from typing import Any

import pytest

from engine.monitoring.worker_log import WorkerLog, nothing_else_speaks, silent_libraries

MARKER = "-".join(("sk", "live", "Qx7" * 8))


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(stream: io.StringIO) -> WorkerLog:
    return WorkerLog(stream, readable=False)


def test_a_line_is_one_json_object_with_its_time(log: WorkerLog, stream: io.StringIO) -> None:
    log.tell("slice_served", batch_id="one", outcome="done", runs=64)
    (line,) = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {"event": "slice_served", "level": "info", "batch_id": "one", "outcome": "done", "runs": 64}


def test_on_a_terminal_a_line_is_made_for_reading(stream: io.StringIO) -> None:
    WorkerLog(stream, readable=True).tell("fault", level="error", code="DB-CONN-002", batch_ids=["one", "two"])
    assert stream.getvalue()[8:] == " ERROR fault  code=DB-CONN-002  batch_ids=one,two\n"


@pytest.mark.parametrize("readable", [True, False])
def test_no_text_from_outside_is_told_whatever_field_it_is_put_in(stream: io.StringIO, readable: bool) -> None:
    WorkerLog(stream, readable=readable).tell("fault", code=MARKER, message=MARKER, batch_id=MARKER, error=Exception())
    assert MARKER not in stream.getvalue()
    assert "fault" in stream.getvalue()


def test_a_stream_that_was_closed_breaks_nothing(log: WorkerLog, stream: io.StringIO) -> None:
    stream.close()
    log.tell("worker_stopped")


@pytest.mark.parametrize("name", ["procrastinate.worker", "asyncio", "aiohttp.client", "sqlalchemy.pool.impl", "new"])
def test_what_a_library_logs_is_told_by_its_name_alone(log: WorkerLog, stream: io.StringIO, name: str) -> None:
    with nothing_else_speaks(log):
        try:
            int(MARKER)
        except ValueError:
            logging.getLogger(name).exception("while asking with %s", MARKER)
    (line,) = lines(stream)
    expected = name.partition(".")[0] if name != "new" else "other"
    assert (line["event"], line["library"], line["error_type"]) == ("library_log", expected, "ValueError")
    assert MARKER not in stream.getvalue()


def test_handlers_that_a_library_set_up_are_silent_meanwhile_and_back_afterwards(
    log: WorkerLog, stream: io.StringIO
) -> None:
    own = io.StringIO()
    logger, handler = logging.getLogger("sqlalchemy.engine"), logging.StreamHandler(own)
    logger.addHandler(handler)
    try:
        with nothing_else_speaks(log):
            logger.error(MARKER)
        assert own.getvalue() == ""
        assert logger.handlers == [handler]
    finally:
        logger.removeHandler(handler)


def test_what_is_not_even_a_warning_is_not_told(log: WorkerLog, stream: io.StringIO) -> None:
    with nothing_else_speaks(log):
        logging.getLogger("procrastinate.worker").info(MARKER)
    assert stream.getvalue() == ""


def test_a_warning_is_told_without_its_text(log: WorkerLog, stream: io.StringIO) -> None:
    with nothing_else_speaks(log), warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn(MARKER, stacklevel=1)
    assert MARKER not in stream.getvalue()


def test_an_exception_that_nobody_catches_in_a_thread_is_told_by_its_type(log: WorkerLog, stream: io.StringIO) -> None:
    def break_down() -> None:
        raise LookupError(MARKER)

    with nothing_else_speaks(log):
        thread = threading.Thread(target=break_down)
        thread.start()
        thread.join()
    assert [(line["level"], line["error_type"]) for line in lines(stream)] == [("error", "LookupError")]


def test_a_task_that_nobody_awaits_breaks_without_a_traceback(
    log: WorkerLog, stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work() -> None:
        async def break_down() -> None:
            raise LookupError(MARKER)

        task = asyncio.create_task(break_down())
        await asyncio.wait({task})
        del task

    with nothing_else_speaks(log):
        asyncio.run(work())
    assert [line["library"] for line in lines(stream)] == ["asyncio"]
    assert MARKER not in stream.getvalue() + "".join(capsys.readouterr())


def test_the_hooks_of_the_process_are_put_back(log: WorkerLog) -> None:
    before = sys.excepthook, threading.excepthook, sys.unraisablehook, logging.getLogger().handlers[:]
    with nothing_else_speaks(log):
        assert sys.excepthook is not before[0]
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook, logging.getLogger().handlers[:]) == before


def test_beside_a_person_libraries_are_silent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    with silent_libraries():
        logging.getLogger("procrastinate.manager").error("listener error: %s", MARKER)
    assert "".join(capsys.readouterr()) == ""
    logging.getLogger("procrastinate.manager").error("afterwards")
    assert "afterwards" in capsys.readouterr().err


def test_a_fault_that_goes_on_is_told_now_and_then_with_how_often_it_was_met(stream: io.StringIO) -> None:
    now = [0.0]
    log = WorkerLog(stream, readable=False, clock=lambda: now[0])
    for _ in range(31):
        log.tell_seldom("fault", level="error", code="DB-CONN-001")
        now[0] += 1
    log.tell_seldom("fault", level="error", code="DB-CONN-002")
    told = [(line["code"], line.get("repeated")) for line in lines(stream)]
    assert told == [("DB-CONN-001", None), ("DB-CONN-001", 29), ("DB-CONN-002", None)]
