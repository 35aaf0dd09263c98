"""The entries of a pack as rows: what each kind is stored in, and the columns that repeat its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Table

from dataset.canonical import canonical_bytes
from dataset.fixtures.frozen_set import FixtureSet, FrozenFixture
from dataset.questions.pack import Pack
from dataset.record import Record, reference
from dataset.store import tables
from dataset.tools.scene import LOGIN_STATES, Scene
from dataset.tools.tool import Tool

EntryKind = Literal[
    "permission",
    "tool",
    "scene",
    "question",
    "gold",
    "variant",
    "fixture_set",
    "fixture",
    "prompt",
    "guardrails",
    "template",
    "transcript",
    "pack",
]

SHELVES: Mapping[EntryKind, Table] = {
    "permission": tables.permission,
    "tool": tables.tool_version,
    "scene": tables.scene,
    "question": tables.question,
    "gold": tables.gold,
    "variant": tables.variant,
    "fixture_set": tables.fixture_set,
    "fixture": tables.fixture,
    "prompt": tables.document,
    "guardrails": tables.document,
    "template": tables.document,
    "transcript": tables.document,
    "pack": tables.document,
}
"""Where each kind is kept, in an order in which foreign keys hold."""


_QUESTION_COLUMNS = ("category", "scene", "login_state")
_VARIANT_COLUMNS = ("locale", "tool_delivery", "context_strategy", "prompt", "prompt_version")
_TOOL_COLUMNS = ("access", "semantics", "requires_login", "permission", "untrusted_output")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One versioned entry: its canonical bytes, the hash over them, and the columns that repeat what is queried."""

    kind: EntryKind
    id: str
    version: int
    hash: str
    content: bytes
    columns: Mapping[str, Any]

    @property
    def label(self) -> str:
        """How messages name it: `question quote-basic@1`."""
        return entry_label(self.kind, self.id, self.version)


def entry_label(kind: str, identifier: str, version: int) -> str:
    """How messages name an entry: `question quote-basic@1`."""
    return f"{kind} {reference(identifier, version)}"


def pack_entries(pack: Pack) -> Iterator[Entry]:
    """Every entry of a pack; those of one kind by id, the kinds in the order of SHELVES."""
    held: dict[EntryKind, Iterable[Entry]] = {
        "permission": (
            _entry("permission", p.id, p.version, p, granted_to=list(p.granted_to))
            for p in pack.catalogue.permissions.values()
        ),
        "tool": (
            _entry("tool", t.name, t.version, t, **_repeated(t, *_TOOL_COLUMNS)) for t in pack.catalogue.tools.values()
        ),
        "scene": (_entry("scene", s.id, s.version, s) for s in pack.catalogue.scenes.values()),
        "question": (
            _entry("question", q.id, q.version, q, **_repeated(q, *_QUESTION_COLUMNS)) for q in pack.questions.values()
        ),
        "gold": (
            _entry("gold", g.case_id, g.version, g, question_version=g.question_version) for g in pack.golds.values()
        ),
        "variant": (
            _entry("variant", v.id, v.version, v, **_repeated(v, *_VARIANT_COLUMNS)) for v in pack.variants.values()
        ),
        "fixture_set": (_fixture_set(pack.fixtures),),
        "fixture": (_fixture(pack.fixtures, key, frozen) for key, frozen in pack.fixtures.fixtures.items()),
        "prompt": (_entry("prompt", p.id, p.version, p) for p in pack.prompts.values()),
        "guardrails": (_entry("guardrails", pack.guardrails.id, pack.guardrails.version, pack.guardrails),),
        "template": (_entry("template", t.id, t.version, t) for t in pack.templates.values()),
        "transcript": (_entry("transcript", f"{t.style}/{t.case_id}", t.version, t) for t in pack.transcripts.values()),
        "pack": (_entry("pack", pack.head.id, pack.head.version, pack.head),),
    }
    for kind in SHELVES:
        yield from sorted(held[kind], key=lambda entry: (entry.id, entry.version))


def child_rows(pack: Pack, added: Iterable[Entry]) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """The rows of the catalogue's dependent tables that belong to newly added tools and scenes."""
    new = {(entry.kind, entry.id) for entry in added}
    for tool in pack.catalogue.tools.values():
        if ("tool", tool.name) in new:
            yield tables.tool_parameter, _parameters(tool)
    for scene in pack.catalogue.scenes.values():
        if ("scene", scene.id) in new:
            yield tables.scene_tool, _scene_tools(scene)


def fixture_set_content(fixtures: FixtureSet) -> bytes:
    """The canonical bytes that `FixtureSet.content_hash` covers."""
    hashes = {key: frozen.recorded_hash for key, frozen in fixtures.fixtures.items()}
    return canonical_bytes({"id": fixtures.id, "version": fixtures.version, "fixtures": hashes})


def fixture_entry_id(fixture_set: str, key: str) -> str:
    """The id of a fixture's entry: its set and where it is found there."""
    return f"{fixture_set}/{key}"


def _entry(kind: EntryKind, identifier: str, version: int, record: Record, **columns: Any) -> Entry:
    if SHELVES[kind] is tables.document:
        columns = {"kind": kind}
    content = canonical_bytes(record.body(), allow_floats=True)
    return Entry(kind=kind, id=identifier, version=version, hash=record.digest(), content=content, columns=columns)


def _fixture_set(fixtures: FixtureSet) -> Entry:
    return Entry(
        kind="fixture_set",
        id=fixtures.id,
        version=fixtures.version,
        hash=fixtures.content_hash,
        content=fixture_set_content(fixtures),
        columns={},
    )


def _fixture(fixtures: FixtureSet, key: str, frozen: FrozenFixture) -> Entry:
    """The hash that was recorded when the pack was read, not the one of the content, is what the bank keeps."""
    found = frozen.fixture
    entry = _entry(
        "fixture",
        fixture_entry_id(fixtures.id, key),
        fixtures.version,
        found,
        fixture_set=fixtures.id,
        call_key=key,
        **_repeated(found, "tool", "tool_version", "status", "hostile"),
    )
    return replace(entry, hash=frozen.recorded_hash)


def _repeated(record: Record, *names: str) -> dict[str, Any]:
    return record.model_dump(include=set(names))


def _parameters(tool: Tool) -> list[dict[str, Any]]:
    required = tool.parameters.get("required", ())
    return [
        {
            "tool": tool.name,
            "tool_version": tool.version,
            "name": name,
            "position": position,
            "required": name in required,
            "schema": canonical_bytes(schema, allow_floats=True),
        }
        for position, (name, schema) in enumerate(tool.parameters.get("properties", {}).items(), start=1)
    ]


def _scene_tools(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "scene": scene.id,
            "scene_version": scene.version,
            "login_state": login_state,
            "position": position,
            "tool": tool,
        }
        for login_state in LOGIN_STATES
        for position, tool in enumerate(scene.tools.to(login_state), start=1)
    ]
