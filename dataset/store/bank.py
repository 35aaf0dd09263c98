"""The bank in PostgreSQL: importing a pack in one transaction, and rebuilding it from rows alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from sqlalchemy import Connection, Row, Table, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.artifacts.artifact import VersionedHash
from dataset.canonical import canonical_bytes
from dataset.questions.pack import Pack
from dataset.record import reference
from dataset.store import tables
from dataset.store.entries import SHELVES, Entry, EntryKind, child_rows, pack_entries
from dataset.store.errors import StoreError
from dataset.store.rebuilt import BankHashError, manifest_of, read_manifest, rebuild_pack
from dataset.store.session import Database

_IMPORT_LOCK = 0x676C6173735F7061
"""Imports wait for each other on this advisory lock, so that each compares with what is there to stay."""
_Held = Mapping[tuple[EntryKind, str, int], str]


class BankConflictError(StoreError):
    """An entry is held at the same version with other content; `conflicts` names each with both hashes."""

    code = "BANK-CONFLICT-001"

    def __init__(self, pack: str, conflicts: Sequence[str]) -> None:
        super().__init__(
            f"pack {pack} holds other content than was imported under the same version:\n" + "\n".join(conflicts),
            hint="give every changed entry, and the pack, a new version; nothing was imported",
        )
        self.conflicts = tuple(conflicts)


class UnknownPackError(StoreError):
    """A pack, or a version of it, that was never imported."""

    code = "BANK-UNKNOWN-001"

    def __init__(self, wanted: str, known: Sequence[str]) -> None:
        there = f"there are: {', '.join(known)}" if known else "no pack has been imported yet"
        super().__init__(f"unknown pack {wanted}; {there}", hint="import it with `glassbench pack import DIR`")


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportOutcome:
    """Labels of the entries that were added (`question quote-basic@1`), and how many were there already."""

    added: list[str]
    unchanged: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PackRow:
    """One imported pack version with the number of its entries; `imported_at` is UTC."""

    reference: VersionedHash
    entries: int
    imported_at: datetime


def import_pack(database: Database, pack: Pack) -> ImportOutcome:
    """Stores every entry of a pack, all or nothing; what is held already with the same hash is left untouched.

    BankConflictError where the same version is held with other content.
    """
    entries = list(pack_entries(pack))
    with database.transaction() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(_IMPORT_LOCK)))
        held = _held(connection, pack.head.id)
        whole = _pack_hash(connection, pack)
        _refuse_conflicts(pack, entries, held, whole)
        added = [entry for entry in entries if (entry.kind, entry.id, entry.version) not in held]
        _write(connection, pack, added)
        if whole is None:
            row = {"hash": pack.reference.hash, "manifest": canonical_bytes(manifest_of(entries))}
            connection.execute(insert(tables.pack), {"id": pack.head.id, "version": pack.head.version} | row)
    return ImportOutcome(added=[entry.label for entry in added], unchanged=len(entries) - len(added))


def load_pack(database: Database, pack_id: str, version: int | None = None) -> Pack:
    """A pack from its rows alone, the latest version unless one is given.

    UnknownPackError, or BankHashError where any row isn't what was imported (fixtures excepted: their recorded hash
    goes with them).
    """
    with database.transaction() as connection:
        row = _pack_row(connection, pack_id, version)
        label = f"pack {reference(row.id, row.version)}"
        pack = rebuild_pack(connection, pack_id, read_manifest(row.manifest, label))
    if pack.reference != VersionedHash(id=row.id, version=row.version, hash=row.hash):
        raise BankHashError(label, f"recorded hash {row.hash}, computed {pack.reference.hash}")
    return pack


def list_packs(database: Database) -> list[PackRow]:
    """Every imported pack version, by id and version."""
    with database.transaction() as connection:
        rows = connection.execute(select(tables.pack).order_by(tables.pack.c.id, tables.pack.c.version)).all()
    return [
        PackRow(
            reference=VersionedHash(id=row.id, version=row.version, hash=row.hash),
            entries=len(read_manifest(row.manifest, f"pack {reference(row.id, row.version)}")),
            imported_at=row.imported_at.astimezone(UTC),
        )
        for row in rows
    ]


def _held(connection: Connection, pack_id: str) -> _Held:
    held: dict[tuple[EntryKind, str, int], str] = {}
    for kind, table in SHELVES.items():
        statement = select(table.c.id, table.c.version, table.c.hash).where(table.c.pack_id == pack_id)
        if table is tables.document:
            statement = statement.where(table.c.kind == kind)
        held |= {(kind, row.id, row.version): row.hash for row in connection.execute(statement)}
    return held


def _pack_hash(connection: Connection, pack: Pack) -> str | None:
    columns = tables.pack.c
    statement = select(columns.hash).where(columns.id == pack.head.id, columns.version == pack.head.version)
    return connection.execute(statement).scalar_one_or_none()


def _refuse_conflicts(pack: Pack, entries: Sequence[Entry], held: _Held, whole: str | None) -> None:
    """A pack that differs only in which entries it names conflicts as a whole."""
    compared = [(entry.label, held.get((entry.kind, entry.id, entry.version)), entry.hash) for entry in entries]
    name = reference(pack.head.id, pack.head.version)
    compared.append((f"the whole of pack {name}", whole, pack.reference.hash))
    conflicts = [f"{label}: held {old}, given {new}" for label, old, new in compared if old is not None and old != new]
    if conflicts:
        raise BankConflictError(name, conflicts)


def _write(connection: Connection, pack: Pack, added: Sequence[Entry]) -> None:
    pack_id = pack.head.id
    if tools := [{"pack_id": pack_id, "id": entry.id} for entry in added if entry.kind == "tool"]:
        connection.execute(upsert(tables.tool).on_conflict_do_nothing(), tools)
    for kind, group in groupby(added, key=lambda entry: entry.kind):
        _insert(connection, SHELVES[kind], [_row(pack_id, entry) for entry in group])
    for table, rows in child_rows(pack, added):
        _insert(connection, table, [{"pack_id": pack_id, **row} for row in rows])


def _insert(connection: Connection, table: Table, rows: list[dict[str, object]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _row(pack_id: str, entry: Entry) -> dict[str, object]:
    return {
        "pack_id": pack_id,
        "id": entry.id,
        "version": entry.version,
        "hash": entry.hash,
        "content": entry.content,
        **entry.columns,
    }


def _pack_row(connection: Connection, pack_id: str, version: int | None) -> Row[tuple[object, ...]]:
    columns = tables.pack.c
    statement = select(tables.pack).where(columns.id == pack_id).order_by(columns.version.desc()).limit(1)
    if version is not None:
        statement = statement.where(columns.version == version)
    row = connection.execute(statement).one_or_none()
    if row is None:
        known = connection.execute(select(columns.id, columns.version).order_by(columns.id, columns.version))
        wanted = pack_id if version is None else reference(pack_id, version)
        raise UnknownPackError(wanted, [reference(found.id, found.version) for found in known])
    return row
