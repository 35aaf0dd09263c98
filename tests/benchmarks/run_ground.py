"""What the benchmark of runs stands on: a server that answers at once, a PostgreSQL of its own, a bank of like cases.

PostgreSQL is the embedded one with the settings that an owner gets, so a commit is on disk when it is told.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from dataset.canonical import canonical_bytes
from dataset.questions.pack import Pack
from dataset.questions.transcript import ScriptedTurn
from dataset.store.bank import import_pack
from dataset.store.embedded import ensure_running, stop
from dataset.store.session import connect, upgrade
from tests.benchmarks.instant_server import Answers, Serving, call_turn, serving, text_turn
from tests.factories.finance import finance_pack
from tests.factories.model_server import model_entry
from tests.factories.stored import new_batch

Shape = Literal["single_turn", "three_steps"]
SHAPES: dict[Shape, str] = {"single_turn": "order-kinds-explained", "three_steps": "nav-then-value"}
"""A case with its scripted answer: one without a tool, one with two calls in two steps and then an answer."""
REPEATS = 100
"""The most that a template may ask for; more runs than that need more cases."""
CONCURRENCY = 64
_PRICE = """
[[prices]]
id = "of-the-bench"
currency = "USD"
input_per_million = 3
output_per_million = 15
as_of = 2026-01-31
source = "https://prices.example"
"""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Where the measured processes find everything."""

    url: str
    home: Path
    server: Serving


def template_of(shape: Shape, runs: int) -> str:
    """The template that promises so many runs of a shape."""
    return f"{shape.replace('_', '-')}-{runs}"


def bank(sizes: dict[Shape, set[int]]) -> Pack:
    """The finance pack, in which the case of each shape stands as often as its runs need, each time under its own id.

    The runs are alike, so a trial says what one costs, and a longer trial differs in nothing but its length.
    """
    pack = finance_pack()
    questions, golds, templates = dict(pack.questions), dict(pack.golds), dict(pack.templates)
    for shape, runs in ((shape, runs) for shape, all_runs in sizes.items() for runs in all_runs):
        case = SHAPES[shape]
        cases = [f"{case}-{number:04d}" for number in range(max(1, runs // REPEATS))]
        for name in cases:
            questions[name] = pack.questions[case].model_copy(update={"id": name})
            golds[name] = pack.golds[case].model_copy(update={"case_id": name})
        changes = {"id": template_of(shape, runs), "cases": tuple(cases), "repeats": min(runs, REPEATS)}
        templates[template_of(shape, runs)] = pack.templates["english"].model_copy(update=changes)
    return replace(pack, questions=questions, golds=golds, templates=templates)


def canned_answers() -> Answers:
    """What the careful script says to each shape's case, turn by turn."""
    transcripts = finance_pack().transcripts
    return {
        shape.encode(): [_answer(turn, number) for number, turn in enumerate(transcripts[("careful", case)].turns)]
        for shape, case in SHAPES.items()
    }


def _answer(turn: ScriptedTurn, number: int) -> bytes:
    if turn.text is not None:
        return text_turn(turn.text.to("en"))
    (call,) = turn.calls
    assert not isinstance(call.arguments, str)
    return call_turn(call.tool, canonical_bytes(call.arguments).decode(), number=number)


@contextmanager
def prepared_ground(sizes: dict[Shape, set[int]]) -> Iterator[Ground]:
    """Server, database and state directory for as long as the block lasts. PostgreSQL runs as an owner gets it."""
    with tempfile.TemporaryDirectory(prefix="gb-bench-") as made, serving(canned_answers()) as server:
        place = Path(made)
        place.chmod(0o755)  # the server's own account passes through it
        home = place / "home"
        try:
            url = ensure_running(home, site_directory=place / "site")
            (home / "models.toml").write_text(
                _PRICE + "".join(model_entry(_key(shape), server.url(shape), **_SETTINGS) for shape in SHAPES)
            )
            with connect(url, check_schema=False) as database:
                upgrade(database)
                import_pack(database, bank(sizes))
            yield Ground(url=url, home=home, server=server)
        finally:
            stop(home, site_directory=place / "site")


def new_batches(ground: Ground, shape: Shape, sizes: Sequence[int]) -> list[str]:
    """Created batches of so many runs, ready to be run."""
    with connect(ground.url) as database:
        return [
            new_batch(
                database,
                ground.home,
                f"b{secrets.token_hex(4)}",
                template=template_of(shape, runs),
                models=[model_of(shape)],
            )
            for runs in sizes
        ]


def model_of(shape: Shape) -> str:
    """The key of the model that answers a shape."""
    return _key(shape)


def _key(shape: Shape) -> str:
    return shape.replace("_", "-")


_SETTINGS = {"concurrency": CONCURRENCY, "price": "of-the-bench"}
