"""The finance pack in databases of its own: one import a test session and worker, one clone a test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy.engine import make_url

from dataset.artifacts.artifact import CodeIdentity
from dataset.artifacts.definition import planned_runs
from dataset.artifacts.digest import open_artifact
from dataset.measures.fixed_rules.rules import VERSION
from dataset.questions.pack import Pack
from dataset.record import BatchId, RunId, VariantId
from dataset.store.bank import load_pack
from dataset.store.batches import create_batch, get_batch
from dataset.store.policies import apply_policy
from dataset.store.runs import artifact_bytes, events
from dataset.store.session import Database
from engine.batches.batch_terms import COUNTED_INPUT, stored_terms
from engine.batches.foreground import run_to_the_end
from engine.batches.frozen_batch import freeze
from engine.batches.progress import BatchTally
from engine.batches.worker_process import Ground
from engine.ledger.policy import DEFAULT_POLICY, Policy
from engine.ledger.terms import BatchLimits, Terms
from engine.providers.credential import EnvironmentCredentials
from engine.providers.registry import ModelRegistry
from engine.telemetry.run_file import run_file
from tests.factories.finance import finance_pack

TINY_CASES = ("quote-latest-price", "order-kinds-explained")


@contextmanager
def cloned_database(server: str, template: str) -> Iterator[str]:
    """The URL of a copy of a database that nobody is connected to; dropped at the end."""
    name = f"test_{uuid.uuid4().hex}"
    _execute(server, sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        _execute(server, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _execute(server: str, statement: sql.Composable) -> None:
    libpq = make_url(server).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(libpq, autocommit=True) as connection:
        connection.execute(sql.Composed([statement]))


def bank_of_tests() -> Pack:
    """The finance pack with more templates: `tiny`, two cases in English; `chinese`, one of them in Chinese; `lenient`,
    which is published however few of its runs are valid."""
    pack = finance_pack()
    english = pack.templates["english"]
    tiny = english.model_copy(update={"id": "tiny", "cases": TINY_CASES})
    chinese = english.model_copy(
        update={"id": "chinese", "cases": TINY_CASES[:1], "variants": (VariantId("zh-scoped-full"),)}
    )
    lenient = english.model_copy(update={"id": "lenient", "valid_threshold": "0.01"})
    return replace(pack, templates={**pack.templates, **{made.id: made for made in (tiny, chinese, lenient)}})


def new_batch(
    database: Database,
    home: Path,
    batch_id: str,
    *,
    template: str,
    models: list[str],
    policy: Policy = DEFAULT_POLICY,
    limits: BatchLimits | None = None,
) -> BatchId:
    """A created batch, as `batch create` makes it; the policy becomes the active one."""
    pack, registry = load_pack(database, "finance"), ModelRegistry.load(home)
    definition = freeze(
        pack=pack,
        template=pack.templates[template],
        models=[registry.entry(key).freeze() for key in models],
        judge_version=VERSION,
        code=CodeIdentity(version="0.0.0", commit=None),
    )
    with database.transaction() as connection:
        apply_policy(connection, policy.content())
    terms = Terms(policy=policy, limits=limits or BatchLimits(), input_reservation=COUNTED_INPUT, rates=registry.fx)
    create_batch(database, BatchId(batch_id), definition, datetime.now(UTC), terms=stored_terms(terms))
    return BatchId(batch_id)


def ground(database: Database, home: Path, environ: Mapping[str, str] | None = None) -> Ground:
    """What a worker of a test stands on."""
    return Ground(
        database=database,
        registry=ModelRegistry.load(home),
        credentials=EnvironmentCredentials(environ or {}),
        home=home,
    )


def run_batch(database: Database, home: Path, batch_id: BatchId) -> None:
    """Runs what is missing, in this process."""
    row = get_batch(database, batch_id)
    run_to_the_end(ground(database, home), row, BatchTally(row.counts.planned, passed=row.counts.recorded))


def stored_artifacts(database: Database, batch_id: BatchId) -> dict[RunId, bytes]:
    """The artifact bytes of every planned run; AssertionError where one is missing."""
    found = {}
    for plan in planned_runs(get_batch(database, batch_id).definition, batch_id):
        data = artifact_bytes(database, plan.run_id)
        assert data is not None, f"{plan.run_id} has no artifact"
        found[plan.run_id] = data
    return found


def assert_every_run_exactly_once(
    database: Database, home: Path, batch_id: BatchId, *, files: bool = True
) -> dict[RunId, int]:
    """Checks a finished batch against its plan, its events and (`files`) its files; the winning attempt of each run."""
    row = get_batch(database, batch_id)
    assert row.finished_at is not None
    attempts = {}
    for run_id, data in stored_artifacts(database, batch_id).items():
        artifact = open_artifact(data, name=run_id)
        assert artifact.run_id == run_id
        assert artifact.provenance.definition_hash == row.definition_hash
        attempt = artifact.provenance.attempt
        told = events(database, run_id)
        assert [e.kind for e in told if e.kind == "run_finished" and e.attempt == attempt] == ["run_finished"]
        assert max(e.attempt for e in told) == attempt
        assert not files or run_file(home, run_id).read_bytes() == data
        attempts[run_id] = attempt
    own = {f"{run_id}.json" for run_id in attempts}
    assert not files or {path.name for path in (home / "runs").iterdir() if str(batch_id) in path.name} == own
    return attempts
