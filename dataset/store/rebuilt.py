"""A pack rebuilt from its rows, every hash computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, select, tuple_

from dataset.canonical import sha256_hex
from dataset.fixtures.fixture import Fixture
from dataset.fixtures.frozen_set import FixtureSet, FrozenFixture
from dataset.questions.gold import Gold
from dataset.questions.guardrail_policy import GuardrailPolicy
from dataset.questions.pack import Pack, PackHead
from dataset.questions.prompt import Prompt
from dataset.questions.question import Question
from dataset.questions.template import Template
from dataset.questions.transcript import Transcript
from dataset.questions.variant import Variant
from dataset.record import Record
from dataset.store import tables
from dataset.store.entries import SHELVES, Entry, EntryKind, entry_label, fixture_entry_id
from dataset.store.errors import StoreError
from dataset.tools.catalogue import Catalogue
from dataset.tools.permission import Permission
from dataset.tools.scene import Scene
from dataset.tools.tool import Tool

R = TypeVar("R", bound=Record)


class BankHashError(StoreError):
    """A row of the bank doesn't hold what its hash says; the message names the entry."""

    code = "BANK-HASH-001"

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(
            f"{label}: {reason}",
            hint="the rows were changed behind Glassbench's back: restore the database, or import into a new one",
        )


class ManifestItem(NamedTuple):
    """One entry that a pack version pins."""

    kind: EntryKind
    id: str
    version: int
    hash: str

    @property
    def label(self) -> str:
        """How messages name it."""
        return entry_label(self.kind, self.id, self.version)


_MANIFEST = TypeAdapter(list[ManifestItem])


def manifest_of(entries: Iterable[Entry]) -> list[list[str | int]]:
    """What a pack version pins, as the JSON value that its row keeps."""
    return [[entry.kind, entry.id, entry.version, entry.hash] for entry in entries]


def read_manifest(data: bytes, label: str) -> list[ManifestItem]:
    """The entries that a pack's row pins; BankHashError where it can't be read."""
    try:
        return _MANIFEST.validate_json(data)
    except ValidationError:
        raise BankHashError(label, "its list of entries can't be read") from None


def rebuild_pack(connection: Connection, pack_id: str, manifest: Iterable[ManifestItem]) -> Pack:
    """The pack whose entries a manifest pins; BankHashError where a row is missing or its hash doesn't hold.

    The content of a fixture is the exception: it is handed on with the hash it was imported with, for the engine's
    rule on differing digests to meet.
    """
    shelves = _Shelves(connection, pack_id, manifest)
    questions, golds = shelves.read("question", Question), shelves.read("gold", Gold)
    tools, scenes = shelves.read("tool", Tool), shelves.read("scene", Scene)
    head = shelves.one("pack", PackHead)
    return Pack(
        head=head,
        questions={question.id: question for question in questions},
        golds={gold.case_id: gold for gold in golds},
        variants={variant.id: variant for variant in shelves.read("variant", Variant)},
        catalogue=Catalogue(
            tools={tool.name: tool for tool in tools},
            scenes={scene.id: scene for scene in scenes},
            permissions={permission.id: permission for permission in shelves.read("permission", Permission)},
        ),
        fixtures=shelves.fixtures(head),
        prompts={(prompt.id, prompt.version): prompt for prompt in shelves.read("prompt", Prompt)},
        guardrails=shelves.one("guardrails", GuardrailPolicy),
        templates={template.id: template for template in shelves.read("template", Template)},
        transcripts={(t.style, t.case_id): t for t in shelves.read("transcript", Transcript)},
    )


@dataclass(frozen=True, slots=True)
class _Held:
    item: ManifestItem
    content: bytes


class _Shelves:
    """The rows of one pack version, each with the hash that its manifest pins."""

    def __init__(self, connection: Connection, pack_id: str, manifest: Iterable[ManifestItem]) -> None:
        self._held: dict[EntryKind, list[_Held]] = {}
        pinned: dict[EntryKind, list[ManifestItem]] = defaultdict(list)
        for item in manifest:
            pinned[item.kind].append(item)
        for kind, items in pinned.items():
            found = _contents(connection, pack_id, kind, items)
            self._held[kind] = [_Held(item, _pinned_content(item, found)) for item in items]

    def read(self, kind: EntryKind, model: type[R]) -> list[R]:
        """Every record of a kind, its hash computed again."""
        return [_verified(held, model) for held in self._held.get(kind, [])]

    def one(self, kind: EntryKind, model: type[R]) -> R:
        """The only record of a kind."""
        found = self.read(kind, model)
        if len(found) != 1:
            raise BankHashError(f"the pack's {kind}", f"{len(found)} entries where there must be one")
        return found[0]

    def fixtures(self, head: PackHead) -> FixtureSet:
        """The fixture set that the head names, with the hashes recorded at import."""
        frozen = {
            held.item.id.removeprefix(fixture_entry_id(head.fixture_set, "")): FrozenFixture(
                fixture=_parsed(held, Fixture), recorded_hash=held.item.hash
            )
            for held in self._held.get("fixture", [])
        }
        found = FixtureSet(id=head.fixture_set, version=head.fixture_set_version, fixtures=frozen)
        pinned = [(held.item.id, held.item.version, held.item.hash) for held in self._held.get("fixture_set", [])]
        if pinned != [(found.id, found.version, found.content_hash)]:
            raise BankHashError(
                entry_label("fixture_set", found.id, found.version), "its hash doesn't cover its fixtures"
            )
        return found


def _contents(
    connection: Connection, pack_id: str, kind: EntryKind, items: list[ManifestItem]
) -> dict[tuple[str, int], tuple[str, bytes]]:
    columns = SHELVES[kind].c
    wanted = tuple_(columns.id, columns.version).in_([(item.id, item.version) for item in items])
    statement = select(columns.id, columns.version, columns.hash, columns.content).where(
        columns.pack_id == pack_id, wanted
    )
    if SHELVES[kind] is tables.document:
        statement = statement.where(columns.kind == kind)
    return {(row.id, row.version): (row.hash, row.content) for row in connection.execute(statement)}


def _pinned_content(item: ManifestItem, found: dict[tuple[str, int], tuple[str, bytes]]) -> bytes:
    row = found.get((item.id, item.version))
    if row is None:
        raise BankHashError(item.label, "its row is missing")
    recorded, content = row
    if recorded != item.hash:
        raise BankHashError(item.label, f"its row says {recorded}, the pack says {item.hash}")
    return content


def _verified(held: _Held, model: type[R]) -> R:
    computed = sha256_hex(held.content)
    if computed != held.item.hash:
        raise BankHashError(held.item.label, f"recorded hash {held.item.hash}, computed {computed}")
    record = _parsed(held, model)
    if record.digest() != held.item.hash:
        raise BankHashError(held.item.label, "its content means something else to this version of Glassbench")
    return record


def _parsed(held: _Held, model: type[R]) -> R:
    try:
        return model.model_validate_json(held.content)
    except ValidationError:
        raise BankHashError(held.item.label, f"its content is no {model.__name__.lower()} any more") from None
