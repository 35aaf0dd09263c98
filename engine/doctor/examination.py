"""The examination behind `glassbench doctor`: each finding is ok, blocked or unknown, with what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Literal

from dataset.artifacts.artifact import VersionedHash
from dataset.errors import GlassbenchError
from dataset.home import state_directory
from dataset.record import Record
from dataset.store.bank import list_packs
from dataset.store.schema import SchemaStatus
from dataset.store.session import DATABASE_URL_VARIABLE, Database, open_database, schema_status
from engine.credentials.keyring_file import keyring_path
from engine.credentials.stored_credentials import StoredCredentials
from engine.providers.registry import ModelRegistry

MINIMUM_PYTHON = (3, 11)


class Finding(Record):
    """One thing that was looked at."""

    subject: str
    state: Literal["ok", "blocked", "unknown"]
    detail: str
    mend: str = ""


def examine(environ: Mapping[str, str]) -> list[Finding]:
    """Every finding, in the order in which things depend on each other."""
    return [_python(), _home(), *_database(environ), *_models(environ)]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < MINIMUM_PYTHON:
        return Finding(subject="python", state="blocked", detail=version, mend="install Python 3.11 or newer")
    return Finding(subject="python", state="ok", detail=f"{version} at {sys.executable}")


def _home() -> Finding:
    try:
        return Finding(subject="home", state="ok", detail=str(state_directory()))
    except GlassbenchError as error:
        return _blocked("home", error)


def _database(environ: Mapping[str, str]) -> Iterator[Finding]:
    which = f"server of {DATABASE_URL_VARIABLE}" if environ.get(DATABASE_URL_VARIABLE) else "embedded server"
    try:
        database = open_database(check_schema=False)
    except GlassbenchError as error:
        yield _blocked("postgresql", error)
        yield Finding(subject="schema", state="unknown", detail="no database to look at")
        yield Finding(subject="packs", state="unknown", detail="no database to look at")
        return
    with database:
        yield Finding(subject="postgresql", state="ok", detail=f"{which} {database.server_version} at {database.place}")
        yield from _schema(database, environ)


def _schema(database: Database, environ: Mapping[str, str]) -> Iterator[Finding]:
    try:
        status = schema_status(database)
        if status.state != "current":
            mend = "upgrade Glassbench" if status.state == "newer" else "glassbench db upgrade"
            yield Finding(subject="schema", state="blocked", detail=_schema_text(status), mend=mend)
            yield Finding(subject="packs", state="unknown", detail="the schema must be current first")
            return
        yield Finding(subject="schema", state="ok", detail=f"head {status.head}")
        packs = list_packs(database)
    except GlassbenchError as error:
        yield _blocked("schema", error)
        return
    if not packs:
        yield Finding(subject="packs", state="blocked", detail="none imported", mend="glassbench pack import DIRECTORY")
    for pack in packs:
        yield Finding(subject="packs", state="ok", detail=_pack_text(pack.reference))
    yield from _stored_keys(database, environ)


def _stored_keys(database: Database, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Whether the key of each model that takes a stored one is there, and opens with the key ring here."""
    try:
        home = state_directory()
        stored = StoredCredentials(database=database, keyring=keyring_path(environ, home))
        states = stored.states(ModelRegistry.load(home).entries)
    except GlassbenchError as error:
        yield _blocked("stored keys", error)
        return
    for state in states:
        if state.fault is None:
            yield Finding(subject="stored keys", state="ok", detail=f"{state.model_key}: opens with the key ring here")
        else:
            yield _blocked("stored keys", state.fault)


def _schema_text(status: SchemaStatus) -> str:
    if status.current is None:
        return "no schema yet"
    return f"{status.state}: at {status.current}, this program works with {status.head}"


def _pack_text(pack: VersionedHash) -> str:
    return f"{pack.id} v{pack.version} ({pack.hash[:12]})"


def _models(environ: Mapping[str, str]) -> Iterator[Finding]:
    try:
        registry = ModelRegistry.load(state_directory())
    except GlassbenchError as error:
        yield _blocked("models", error)
        return
    for entry in registry.entries:
        yield _model(entry.key, entry.credential_env, entry.base_url, environ)


def _model(key: str, variable: str | None, base_url: str | None, environ: Mapping[str, str]) -> Finding:
    if variable is not None and not environ.get(variable):
        return Finding(
            subject="provider",
            state="blocked",
            detail=f"{key}: {variable} is not set",
            mend=f"export {variable}=… before you run a batch with this model",
        )
    if base_url is None:
        return Finding(subject="provider", state="ok", detail=f"{key}: offline, needs nothing")
    return Finding(
        subject="provider",
        state="unknown",
        detail=f"{key}: configured for {base_url}, not asked whether it answers",
        mend="a batch with this model will tell",
    )


def _blocked(subject: str, error: GlassbenchError) -> Finding:
    return Finding(subject=subject, state="blocked", detail=error.message, mend=error.hint)
