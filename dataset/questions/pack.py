"""A pack: one versioned bank with its catalogue, fixtures, prompts, guardrails, templates and transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import StringConstraints

from dataset.artifacts.artifact import VersionedHash
from dataset.canonical import content_hash
from dataset.fixtures.frozen_set import FixtureSet
from dataset.questions.gold import Gold
from dataset.questions.guardrail_policy import GuardrailPolicy
from dataset.questions.prompt import Prompt
from dataset.questions.question import Limits, Question
from dataset.questions.template import Template
from dataset.questions.transcript import Transcript
from dataset.questions.variant import Variant
from dataset.questions.withholding import Withheld, closed
from dataset.record import ABSENT, ABSENT_EMPTY, Localised, Record, Slug, Version
from dataset.tools.catalogue import Catalogue

Canary = Annotated[str, StringConstraints(min_length=8, max_length=256, strip_whitespace=True)]


class PackHead(Record):
    """What `pack.yaml` says: its own id and version, limits, the versions of its fixture set and guardrails."""

    id: Slug
    version: Version
    title: Localised
    limits: Limits
    fixture_set: Slug
    fixture_set_version: Version
    guardrails_version: Version
    withheld: Annotated[tuple[Withheld, ...], ABSENT_EMPTY] = ()
    """Parts that aren't published of the runs of any case."""
    canaries: Annotated[tuple[Canary, ...], ABSENT_EMPTY] = ()
    """Strings planted in private material: one that turns up in a release shows that the material leaked."""
    scan_contacts: Annotated[Literal[True] | None, ABSENT] = None
    """Whether e-mail addresses and phone numbers are looked for before publishing."""


@dataclass(frozen=True, kw_only=True)
class Pack:
    """A whole pack in memory, every entry at one version; prompts are keyed by (id, version)."""

    head: PackHead
    questions: Mapping[str, Question]
    golds: Mapping[str, Gold]
    variants: Mapping[str, Variant]
    catalogue: Catalogue
    fixtures: FixtureSet
    prompts: Mapping[tuple[str, int], Prompt]
    guardrails: GuardrailPolicy
    templates: Mapping[str, Template]
    transcripts: Mapping[tuple[str, str], Transcript]
    """By (style, case id)."""

    def withheld(self, case_id: str) -> tuple[Withheld, ...]:
        """The parts of a case's runs that aren't published, with those that would give them away."""
        return closed((*self.head.withheld, *self.questions[case_id].withheld))

    @cached_property
    def bank_hash(self) -> str:
        """sha256 over the hashes of every question, gold and variant, by id."""
        entries: dict[str, Mapping[str, Record]] = {
            "questions": self.questions,
            "golds": self.golds,
            "variants": self.variants,
        }
        return content_hash(
            {kind: {name: entry.digest() for name, entry in sorted(found.items())} for kind, found in entries.items()}
        )

    @cached_property
    def reference(self) -> VersionedHash:
        """The pack's id, version and the hash over everything it holds."""
        prompts = {f"{name}@{version}": prompt.digest() for (name, version), prompt in sorted(self.prompts.items())}
        transcripts = {f"{style}/{case}": entry.digest() for (style, case), entry in sorted(self.transcripts.items())}
        whole = {
            "head": self.head.digest(),
            "bank": self.bank_hash,
            "catalogue": self.catalogue.content_hash,
            "fixtures": self.fixtures.content_hash,
            "prompts": prompts,
            "guardrails": self.guardrails.digest(),
            "templates": {name: entry.digest() for name, entry in sorted(self.templates.items())},
            "transcripts": transcripts,
        }
        return VersionedHash(id=self.head.id, version=self.head.version, hash=content_hash(whole))
