"""An artifact as it is published: whole, or without the sections that are withheld.

A withheld section is left out with its salt. Its digest stays, so the artifact's hash still holds, and nobody can find
the section by trying; the file that shows it later is held to the same digest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from dataset.artifacts.artifact import SECTION_NAMES, Artifact, Sections
from dataset.artifacts.digest import digest_faults, read_document, validated
from dataset.canonical import Json, canonical_plain, read_canonical
from dataset.record import SLUG, Record, RunId, Salt, Sha256

ALWAYS_PUBLIC = ("provenance",)


@dataclass(frozen=True, kw_only=True, slots=True)
class Disclosed:
    """An opened artifact. A section in `withheld` is no attribute of `artifact`: reading it raises AttributeError, so
    whoever looks at sections asks first which there are."""

    artifact: Artifact
    withheld: frozenset[str]

    def shows(self, *sections: str) -> bool:
        """Whether all these sections are there."""
        return self.withheld.isdisjoint(sections)

    @property
    def whole(self) -> Artifact | None:
        """The artifact, where nothing of it is withheld."""
        return None if self.withheld else self.artifact


class _PartHead(Record):
    schema_: Annotated[Literal["glassbench.run/1"], Field(alias="schema")]
    run_id: Annotated[RunId, SLUG]
    salts: dict[str, Salt]
    digests: dict[str, Sha256]
    artifact_hash: Sha256


def _part() -> type[_PartHead]:
    # A default isn't validated: a section may be left out, and null is no section.
    sections: dict[str, Any] = {
        name: (field.annotation, ... if name in ALWAYS_PUBLIC else None)
        for name, field in Sections.model_fields.items()
    }
    return create_model("_Part", __base__=_PartHead, **sections)


_Part = _part()


def open_disclosed(data: bytes, *, name: str = "?") -> Disclosed:
    """The artifact in canonical bytes, every digest of what is there recomputed; ArtifactError lists all that is wrong.

    A section is withheld where neither it nor its salt is there.
    """
    document, members = read_document(data, name)
    withheld = _withheld(document)
    faults = [*digest_faults(document, withheld, members=members), *_lost_faults(document, withheld)]
    run_id = str(document.get("run_id", name))
    if not withheld:
        return Disclosed(artifact=validated(Artifact, data, run_id, faults), withheld=frozenset())
    record = validated(_Part, data, run_id, faults)
    shown = {name: getattr(record, name) for name in SECTION_NAMES if name not in withheld}
    head = {name: getattr(record, name) for name in ("schema_", "run_id", "salts", "digests", "artifact_hash")}
    return Disclosed(artifact=Artifact.model_construct(**head, **shown), withheld=frozenset(withheld))


def withhold(data: bytes, sections: Collection[str]) -> bytes:
    """The canonical bytes of an artifact without some sections and their salts; without any named, its bytes as they
    are. Of one that lacks a section already nothing more is taken; what isn't the name of a section (the gold) isn't
    in an artifact."""
    if not sections:
        return data
    document: dict[str, Json] = read_canonical(data)
    for name in sections:
        if name in SECTION_NAMES:
            document.pop(name, None)
            document["salts"].pop(name, None)
    return canonical_plain(document)


def _lost_faults(document: Mapping[str, Json], withheld: Collection[str]) -> list[str]:
    """Sections that are gone while their salt is there, which is all that one needs to find what they held."""
    lost = [name for name in SECTION_NAMES if name not in document and name not in withheld]
    return [f"section {name}: missing, and its salt isn't" for name in lost if withheld]


def _withheld(document: Mapping[str, Json]) -> tuple[str, ...]:
    salts = document.get("salts")
    if not isinstance(salts, dict):
        return ()
    return tuple(name for name in SECTION_NAMES if name not in document and name not in salts)
