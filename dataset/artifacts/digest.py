"""Sealing and opening artifacts: a salted digest for each section, one hash for the whole.

`digests[s] = sha256(salt ‖ canonical section)`, the salt as its 16 raw bytes; `artifact_hash` is the sha256 of the
canonical `{schema, run_id, digests}`. A withheld section can keep its digest without being guessable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from pydantic import ValidationError

from dataset.artifacts.artifact import ARTIFACT_SCHEMA, SECTION_NAMES, Artifact, Sections
from dataset.canonical import (
    CanonicalError,
    Json,
    canonical_bytes,
    canonical_object,
    canonical_plain,
    content_hash,
    read_canonical,
    read_canonical_members,
    sha256_hex,
)
from dataset.errors import GlassbenchError
from dataset.record import Record, RunId

R = TypeVar("R", bound=Record)
_UNKNOWN: Mapping[str, bytes] = MappingProxyType({})


class ArtifactError(GlassbenchError):
    """An artifact that can't be believed; `faults` lists every reason with its section."""

    code = "ARTIFACT-001"

    def __init__(self, run_id: str, faults: list[str]) -> None:
        super().__init__(f"artifact {run_id}: " + "; ".join(faults))
        self.run_id = run_id
        self.faults = faults


def section_digest(salt: str, section: Json) -> str:
    """sha256 over the 16 bytes of the hexadecimal salt and the canonical bytes of a section."""
    return _salted(salt, canonical_bytes(section))


def artifact_hash(run_id: str, digests: Mapping[str, str]) -> str:
    """The hash of the whole: it covers every section through its digest."""
    return content_hash({"schema": ARTIFACT_SCHEMA, "run_id": run_id, "digests": dict(digests)})


def seal(run_id: RunId, sections: Sections, salts: Mapping[str, str]) -> bytes:
    """The canonical bytes of a finished artifact. `salts` holds 16 random bytes in hexadecimal for each section."""
    content = sections.model_dump(mode="json")
    return seal_sections(run_id, {name: canonical_bytes(content[name]) for name in SECTION_NAMES}, salts)[0]


def seal_sections(run_id: RunId, sections: Mapping[str, bytes], salts: Mapping[str, str]) -> tuple[bytes, str]:
    """The canonical bytes of a finished artifact and its hash, from the canonical bytes of each section."""
    head = {
        "schema": canonical_plain(ARTIFACT_SCHEMA),
        "run_id": canonical_plain(run_id),
        "digests": canonical_plain({name: _salted(salts[name], sections[name]) for name in SECTION_NAMES}),
    }
    whole = sha256_hex(canonical_object(head))  # as `artifact_hash` has it
    own_salts = canonical_plain({name: salts[name] for name in SECTION_NAMES})
    sealed = {**sections, **head, "salts": own_salts, "artifact_hash": canonical_plain(whole)}
    return canonical_object(sealed), whole


def _salted(salt: str, section: bytes) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + section).hexdigest()


def open_artifact(data: bytes, *, name: str = "?") -> Artifact:
    """The artifact in canonical bytes, every digest recomputed; ArtifactError lists all that is wrong."""
    document, members = read_document(data, name)
    return validated(Artifact, data, str(document.get("run_id", name)), digest_faults(document, members=members))


def read_document(data: bytes, name: str) -> tuple[dict[str, Json], Mapping[str, bytes]]:
    """The JSON object in canonical bytes, and the canonical bytes of its members as far as they are known;
    ArtifactError, under this name, for anything else."""
    found = read_canonical_members(data)
    if found is not None:
        return found
    try:
        document = read_canonical(data)
    except CanonicalError as error:
        raise ArtifactError(name, [error.message]) from error
    if not isinstance(document, dict):
        raise ArtifactError(name, ["not a JSON object"])
    return document, {}


def validated(model: type[R], data: bytes, run_id: str, faults: Sequence[str]) -> R:
    """The record in canonical bytes; ArtifactError with the faults known so far and those of its form, if any."""
    try:
        record = model.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise ArtifactError(run_id, [*faults, *_validation_faults(error)]) from error
    if faults:
        raise ArtifactError(run_id, list(faults))
    return record


def _validation_faults(error: ValidationError) -> list[str]:
    """What is wrong with the form of a document, by place; the first twenty."""
    found = error.errors(include_url=False)[:20]
    return [f"{'/'.join(str(part) for part in fault['loc'][:6])}: {fault['msg']}" for fault in found]


def digest_faults(
    document: Mapping[str, Json], withheld: Collection[str] = (), *, members: Mapping[str, bytes] = _UNKNOWN
) -> list[str]:
    """Every section that isn't what its digest says, and a hash that isn't that of the digests. Of a withheld section
    there is the digest alone. `members` are the canonical bytes of sections, where they are known."""
    salts, digests = document.get("salts"), document.get("digests")
    shown = [name for name in SECTION_NAMES if name not in withheld]
    if not isinstance(salts, dict) or not isinstance(digests, dict):
        return ["salts or digests missing"]
    faults = []
    if set(salts) != set(shown):
        faults.append("salts: not exactly those of the sections")
    if set(digests) != set(SECTION_NAMES):
        faults.append("digests: not exactly the nine sections")
    faults += [
        f"section {name}: digest differs"
        for name in shown
        if name in document and not _digest_holds(salts.get(name), document[name], members.get(name), digests.get(name))
    ]
    if document.get("artifact_hash") != artifact_hash(str(document.get("run_id")), digests):
        faults.append("artifact_hash differs")
    return faults


def _digest_holds(salt: Json, section: Json, data: bytes | None, digest: Json) -> bool:
    try:
        return _salted(str(salt), canonical_bytes(section) if data is None else data) == str(digest)
    except (ValueError, CanonicalError):
        return False
