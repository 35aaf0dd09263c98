"""The log of a worker: JSON lines for machines, plain ones for a terminal, of allow-listed fields only."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, TextIO

import structlog

from engine.monitoring.log_fields import LIBRARIES, EventName, Level, allowed

REPEAT_SECONDS = 30.0
"""A server that is away is met every second; one line in this time says so."""
_MOST_REMEMBERED = 1000


class WorkerLog:
    """Tells events on a stream. A stream that can't be written any more ends no run: the line is lost."""

    def __init__(self, stream: TextIO, *, readable: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seldom: dict[tuple[object, ...], tuple[float | None, int]] = {}
        self._logger: Any = structlog.wrap_logger(
            structlog.PrintLogger(stream),
            processors=[
                _allow_listed,
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
                _readable if readable else structlog.processors.JSONRenderer(sort_keys=True),
            ],
            wrapper_class=structlog.BoundLogger,
            context_class=dict,
        )

    def tell(self, event: EventName, *, level: Level = "info", **fields: Any) -> None:
        """One line. Fields that aren't on the list, or whose value hasn't its form, are left out."""
        with suppress(OSError, ValueError):
            self._logger.msg(event, level=level, **fields)

    def tell_seldom(self, event: EventName, *, level: Level, **fields: Any) -> None:
        """A line that isn't told again within REPEAT_SECONDS; then it says how often it was held back."""
        key = (event, level, *sorted((name, str(value)) for name, value in fields.items()))
        now = self._clock()
        with self._lock:
            told_at, held_back = self._seldom.get(key, (None, 0))
            again = told_at is not None and now - told_at < REPEAT_SECONDS
            if not again and len(self._seldom) >= _MOST_REMEMBERED:
                self._seldom.clear()
            self._seldom[key] = (told_at, held_back + 1) if again else (now, 0)
        if not again:
            self.tell(event, level=level, **fields, repeated=held_back or None)

    def crash(self, error: BaseException | type[BaseException] | None, *, library: str = "other") -> None:
        """What broke where nobody caught it: its type, and nothing of what it says."""
        kind = error if isinstance(error, type) or error is None else type(error)
        name = kind.__name__ if kind else None
        self.tell("library_log", level="error", library=library, error_type=name)


class _Handler(logging.Handler):
    """Tells that a library had something to say, and nothing of what."""

    def __init__(self, log: WorkerLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        library = next((name for name in LIBRARIES if f"{record.name}.".startswith(f"{name}.")), "other")
        error = record.exc_info[0] if record.exc_info else None
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        name = error.__name__ if error else None
        self._log.tell_seldom("library_log", level=level, library=library, error_type=name)


@contextmanager
def nothing_else_speaks(log: WorkerLog) -> Iterator[None]:
    """Within it, what libraries log, warn of or let fall goes through the same list as everything else."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook
    own = {name: (logger.handlers[:], logger.propagate) for name, logger in _named_loggers()}
    for _, logger in _named_loggers():
        logger.handlers, logger.propagate = [], True
    root.handlers, root.level = [_Handler(log)], logging.WARNING
    logging.captureWarnings(True)

    def fell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.crash(kind)

    sys.excepthook = fell
    threading.excepthook = lambda told: log.crash(told.exc_type)
    sys.unraisablehook = lambda told: log.crash(told.exc_type)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.handlers, root.level, sys.excepthook, threading.excepthook, sys.unraisablehook = before
        for name, (handlers, propagate) in own.items():
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = handlers, propagate


@contextmanager
def silent_libraries() -> Iterator[None]:
    """Within it, what libraries log is dropped: a person reads, and what they say may quote text from outside."""
    root = logging.getLogger()
    before, root.handlers = root.handlers[:], [logging.NullHandler()]
    try:
        yield
    finally:
        root.handlers = before


def _named_loggers() -> list[tuple[str, logging.Logger]]:
    known = logging.Logger.manager.loggerDict
    return [(name, logger) for name, logger in known.items() if isinstance(logger, logging.Logger)]


def _allow_listed(logger: Any, method: str, told: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    fields = dict(told)
    return allowed(fields.pop("event", None), fields)


def _readable(logger: Any, method: str, told: MutableMapping[str, Any]) -> str:
    event, time, level = told.pop("event"), told.pop("time"), told.pop("level", "info")
    mark = "" if level == "info" else f" {level.upper()}"
    fields = "  ".join(f"{name}={_shown(value)}" for name, value in told.items())
    return f"{time[11:19]}{mark} {event.replace('_', ' ')}  {fields}".rstrip()


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
