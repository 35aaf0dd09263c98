"""Reads and checks one pack directory: every fault it has, or the pack."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from dataset.fixtures.frozen_set import FixtureSet, FrozenFixture
from dataset.questions.guardrail_policy import GuardrailPolicy
from dataset.questions.pack import Pack, PackHead
from dataset.questions.pack_document import read_document
from dataset.questions.pack_draft import PackDraft, add_file
from dataset.questions.pack_entry import Entry
from dataset.questions.pack_fault import PackFault, in_reading_order
from dataset.questions.pack_files import PackFile, read_files
from dataset.questions.pack_references import reference_faults
from dataset.tools.catalogue import Catalogue

R = TypeVar("R", bound=BaseModel)
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class PackReading:
    """A whole pack and no faults, or no pack and every fault, in reading order."""

    pack: Pack | None
    faults: tuple[PackFault, ...]


def read_pack(directory: Path, *, known_metrics: Collection[str] | None = None) -> PackReading:
    """Reads every file of a pack directory and checks each by itself and all together.

    `known_metrics` are the metric ids that templates may name; None leaves them unchecked.
    Nothing is raised for what a pack holds: each fault has its code, file, line and path inside the document.
    """
    files, faults = read_files(directory)
    draft = PackDraft(faults=list(faults))
    for fault in faults:
        draft.note_unread(fault.file)
    for file in files:
        _add(draft, file)
    draft.faults += reference_faults(draft, known_metrics)
    if draft.faults or draft.head is None:
        return PackReading(pack=None, faults=in_reading_order(draft.faults))
    return PackReading(pack=_pack(draft, draft.head.record), faults=())


def _add(draft: PackDraft, file: PackFile) -> None:
    if file.kind == "prompt":
        add_file(draft, file, None)
        return
    document = read_document(file.text, file.file)
    draft.faults += document.faults
    if document.value is None and not document.faults:
        draft.faults.append(document.fault("PACK-FILE-004", (), "the file holds no value"))
    if document.value is None:
        draft.note_unread(file.file)
    else:
        add_file(draft, file, document)


def _pack(draft: PackDraft, head: PackHead) -> Pack:
    """The pack of a draft without faults; the digest of each fixture is recorded as it is read."""
    frozen = {
        key: FrozenFixture(fixture=entry.record, recorded_hash=entry.record.digest())
        for key, entry in draft.fixtures.items()
    }
    return Pack(
        head=head,
        questions=_records(draft.questions),
        golds=_records(draft.golds),
        variants=_records(draft.variants),
        catalogue=Catalogue(
            tools=_records(draft.tools), scenes=_records(draft.scenes), permissions=_records(draft.permissions)
        ),
        fixtures=FixtureSet(id=head.fixture_set, version=head.fixture_set_version, fixtures=frozen),
        prompts=draft.prompts(),
        guardrails=GuardrailPolicy.model_validate({"version": head.guardrails_version, **_records(draft.guardrails)}),
        templates=_records(draft.templates),
        transcripts=_records(draft.transcripts),
    )


def _records(entries: Mapping[K, Entry[R]]) -> dict[K, R]:
    return {key: entry.record for key, entry in entries.items()}
