"""What was read so far: the entries that are sound by themselves, every id that was declared, every fault found."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, Field

from dataset.fixtures.fixture import Fixture
from dataset.questions.gold import Gold
from dataset.questions.guardrail_policy import DOCUMENTS, GuardrailPolicy
from dataset.questions.pack import PackHead
from dataset.questions.pack_document import Document
from dataset.questions.pack_entry import Entry, list_paths, read_entry, value_at
from dataset.questions.pack_fault import DocumentPath, PackFault
from dataset.questions.pack_files import FileKind, PackFile, kind_of
from dataset.questions.prompt import PROMPT_HEADER, Prompt
from dataset.questions.question import Question
from dataset.questions.template import Template
from dataset.questions.transcript import Transcript
from dataset.questions.variant import Variant
from dataset.record import Identifier, Localised, Record, Version
from dataset.tools.permission import Permission
from dataset.tools.scene import Scene
from dataset.tools.tool import FORBIDDEN_NAME, FORBIDDEN_SEMANTICS, ForbiddenToolError, Tool
from dataset.tools.tool_search import TOOL_SEARCH

R = TypeVar("R", bound=BaseModel)
K = TypeVar("K", bound=Hashable)
_GUARDRAIL_MODELS: Mapping[str, type[Record]] = {
    name: hint for name, hint in get_type_hints(GuardrailPolicy).items() if name in DOCUMENTS
}
_REFERRING = ("$ref", "$dynamicRef", "$recursiveRef", "$schema", "$id")
_TOOL_CODES = {"parameters": "PACK-TOOL-001"}


class FrozenReply(Record):
    """One reply in `fixtures/<tool>.yaml`; `also` lists other spellings of the same call that get the same reply."""

    arguments: dict[str, Any]
    also: tuple[dict[str, Any], ...] = ()
    status: Literal["ok", "error"] = "ok"
    hostile: bool = False
    reply: str


class FixtureFile(Record):
    """A whole `fixtures/<tool>.yaml`: every frozen reply of one tool version."""

    tool: Identifier
    tool_version: Version
    replies: tuple[FrozenReply, ...] = Field(min_length=1)


@dataclass(kw_only=True)
class PackDraft:
    """Filled file by file; `declared` also knows the ids of entries that are faulty themselves."""

    head: Entry[PackHead] | None = None
    tools: dict[str, Entry[Tool]] = field(default_factory=dict)
    scenes: dict[str, Entry[Scene]] = field(default_factory=dict)
    permissions: dict[str, Entry[Permission]] = field(default_factory=dict)
    fixtures: dict[str, Entry[Fixture]] = field(default_factory=dict)
    questions: dict[str, Entry[Question]] = field(default_factory=dict)
    golds: dict[str, Entry[Gold]] = field(default_factory=dict)
    variants: dict[str, Entry[Variant]] = field(default_factory=dict)
    prompt_texts: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)
    templates: dict[str, Entry[Template]] = field(default_factory=dict)
    transcripts: dict[tuple[str, str], Entry[Transcript]] = field(default_factory=dict)
    guardrails: dict[str, Entry[Record]] = field(default_factory=dict)
    declared: dict[FileKind, dict[str, str]] = field(default_factory=dict)
    unread: set[FileKind] = field(default_factory=set)
    faults: list[PackFault] = field(default_factory=list)

    def knows(self, kind: FileKind, identifier: str) -> bool:
        """Whether an id was declared, in a sound entry or in a faulty one, or may stand in a file that wasn't read."""
        return kind in self.unread or identifier in self.declared.get(kind, {})

    def note_unread(self, file: str) -> None:
        """Notes what a file that can't be read would have declared, so that one fault doesn't bring forth others."""
        kind, parts = kind_of(file)
        if kind == "prompt":
            self.prompt_texts.setdefault((parts["id"], int(parts["version"])), {})[parts["locale"]] = ""
        elif kind in ("tool", "case", "template"):
            self.declared.setdefault(kind, {})[parts["id"]] = file
        elif kind is not None:
            self.unread.add(kind)

    def prompts(self) -> dict[tuple[str, int], Prompt]:
        """Every prompt; only to be asked once each has its text in every locale."""
        return {
            (name, version): Prompt(id=name, version=version, text=Localised(**texts))
            for (name, version), texts in self.prompt_texts.items()
        }


def add_file(draft: PackDraft, file: PackFile, document: Document | None) -> None:
    """Adds the entries of one file to the draft; `document` is None for a prompt, which is no YAML."""
    if document is None:
        _add_prompt(draft, file)
    elif file.kind == "head":
        draft.head = _kept(draft, read_entry(PackHead, document, ()))
    elif file.kind == "tool":
        _add_tool(draft, file, document)
    elif file.kind == "scenes":
        _add_list(draft, "scenes", Scene, document, draft.scenes)
    elif file.kind == "permissions":
        _add_list(draft, "permissions", Permission, document, draft.permissions)
    elif file.kind == "variants":
        _add_list(draft, "variants", Variant, document, draft.variants)
    elif file.kind == "fixtures":
        _add_fixtures(draft, file, document)
    elif file.kind == "case":
        _add_case(draft, file, document)
    elif file.kind == "template":
        _declare(draft, "template", file.parts["id"], document, ())
        template = _kept(draft, read_entry(Template, document, ()))
        if template and _named_as_file(draft, template, ("id",), file.parts["id"]):
            draft.templates[template.record.id] = template
    elif file.kind == "transcript":
        _add_transcript(draft, file, document)
    elif file.kind == "guardrails":
        _add_guardrail(draft, file, document)


def _kept(draft: PackDraft, read: Entry[R] | tuple[PackFault, ...]) -> Entry[R] | None:
    if isinstance(read, Entry):
        return read
    draft.faults += read
    return None


def _declare(draft: PackDraft, kind: FileKind, identifier: Any, document: Document, path: DocumentPath) -> bool:
    """Notes an id; False and a fault where it was taken."""
    if not isinstance(identifier, str):
        return False
    taken = draft.declared.setdefault(kind, {})
    if identifier in taken:
        draft.faults.append(
            document.fault("PACK-DUP-002", path, f"duplicate id {identifier!r}, first in {taken[identifier]}")
        )
        return False
    taken[identifier] = document.fault("", path, "").file
    return True


def _named_as_file(draft: PackDraft, entry: Entry[R], path: DocumentPath, expected: str) -> bool:
    """Whether a field says what the file name says; a fault where it doesn't."""
    given = value_at(entry.document.value, (*entry.path, *path))
    if given != expected:
        draft.faults.append(
            entry.fault("PACK-FILE-008", f"{given!r} must be {expected!r}, as the file is named", *path)
        )
    return bool(given == expected)


def _add_list(
    draft: PackDraft, kind: FileKind, model: type[R], document: Document, found: MutableMapping[str, Entry[R]]
) -> None:
    paths, faults = list_paths(document)
    draft.faults += faults
    if faults:
        draft.unread.add(kind)
    for path in paths:
        identifier = value_at(document.value, (*path, "id"))
        fresh = _declare(draft, kind, identifier, document, (*path, "id"))
        entry = _kept(draft, read_entry(model, document, path))
        if entry and fresh:
            found[identifier] = entry


def _add_tool(draft: PackDraft, file: PackFile, document: Document) -> None:
    name = file.parts["id"]
    _declare(draft, "tool", name, document, ())
    forbidden = {
        "semantics": value_at(document.value, ("semantics",)) in FORBIDDEN_SEMANTICS,
        "name": bool(re.search(FORBIDDEN_NAME, str(value_at(document.value, ("name",))))),
    }
    codes = _TOOL_CODES | {key: ForbiddenToolError.code for key, found in forbidden.items() if found}
    entry = _kept(draft, read_entry(Tool, document, (), codes))
    if entry is None or not _named_as_file(draft, entry, ("name",), name):
        return
    if entry.record.name == TOOL_SEARCH.name:
        message = f"{TOOL_SEARCH.name!r} finds the other tools; no tool of a pack may have its name"
        draft.faults.append(entry.fault("PACK-TOOL-002", message, "name"))
        return
    references = list(_leading_elsewhere(entry.record.parameters, ("parameters",)))
    draft.faults += [
        entry.fault("PACK-TOOL-001", "a tool's schema must stand alone, without references", *path)
        for path in references
    ]
    if not references:
        draft.tools[name] = entry


def _leading_elsewhere(schema: Any, path: DocumentPath) -> Iterator[DocumentPath]:
    """Where a schema refers to another place: a reference may lead nowhere, in circles, or onto the network."""
    if isinstance(schema, list):
        for i, part in enumerate(schema):
            yield from _leading_elsewhere(part, (*path, i))
    elif isinstance(schema, dict):
        for key, part in schema.items():
            if key in _REFERRING:
                yield (*path, key)
            yield from _leading_elsewhere(part, (*path, key))


def _add_fixtures(draft: PackDraft, file: PackFile, document: Document) -> None:
    entry = _kept(draft, read_entry(FixtureFile, document, ()))
    if entry is None or not _named_as_file(draft, entry, ("tool",), file.parts["id"]):
        return
    frozen = entry.record
    for i, reply in enumerate(frozen.replies):
        spellings = [(reply.arguments, "arguments"), *((other, ("also", j)) for j, other in enumerate(reply.also))]
        for arguments, below in spellings:
            fixture = Fixture(
                tool=frozen.tool,
                tool_version=frozen.tool_version,
                arguments=arguments,
                status=reply.status,
                hostile=reply.hostile,
                reply=reply.reply,
            )
            path = ("replies", i, *((below,) if isinstance(below, str) else below))
            _add_fixture(draft, Entry(record=fixture, document=document, path=path))


def _add_fixture(draft: PackDraft, entry: Entry[Fixture]) -> None:
    first = draft.fixtures.setdefault(entry.record.key, entry)
    if first is not entry:
        line = first.document.lines[first.path]
        draft.faults.append(entry.fault("PACK-DUP-003", f"these arguments already have a reply, on line {line}"))


def _add_case(draft: PackDraft, file: PackFile, document: Document) -> None:
    name = file.parts["id"]
    _declare(draft, "case", name, document, ())
    value = document.value if isinstance(document.value, Mapping) else {}
    for key in value:
        if key not in ("question", "gold"):
            draft.faults.append(document.fault("PACK-FIELD-001", (key,), f"unknown key {key!r}"))
    if "question" in value:
        question = _kept(draft, read_entry(Question, document, ("question",)))
        if question and _named_as_file(draft, question, ("id",), name):
            draft.questions[name] = question
    else:
        draft.faults.append(document.fault("PACK-GOLD-002", (), "a gold without a question"))
    if "gold" in value:
        gold = _kept(draft, read_entry(Gold, document, ("gold",)))
        if gold and _named_as_file(draft, gold, ("case_id",), name):
            draft.golds[name] = gold
    else:
        draft.faults.append(document.fault("PACK-GOLD-001", (), "a question without a gold"))


def _add_prompt(draft: PackDraft, file: PackFile) -> None:
    version, locale = int(file.parts["version"]), file.parts["locale"]
    header = PROMPT_HEADER.format(id=file.parts["id"], version=version, locale=locale)
    first, _, rest = file.text.partition("\n")
    if first != header or not rest.strip():
        message = f"the first line must be `{header}`, and the prompt must follow"
        draft.faults.append(PackFault(code="PACK-PROMPT-001", file=file.file, line=1, path="", message=message))
    draft.prompt_texts.setdefault((file.parts["id"], version), {})[locale] = file.text


def _add_guardrail(draft: PackDraft, file: PackFile, document: Document) -> None:
    name = file.parts["id"]
    entry = _kept(draft, read_entry(_GUARDRAIL_MODELS[name], document, ()))
    if entry is not None:
        draft.guardrails[name] = entry


def _add_transcript(draft: PackDraft, file: PackFile, document: Document) -> None:
    entry = _kept(draft, read_entry(Transcript, document, ()))
    if entry is None:
        return
    named = _named_as_file(draft, entry, ("style",), file.parts["style"])
    if _named_as_file(draft, entry, ("case_id",), file.parts["id"]) and named:
        draft.transcripts[file.parts["style"], file.parts["id"]] = entry
