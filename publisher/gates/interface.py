"""What a gate is: a pure check of a batch or of one run, which tells every fault it sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import BatchDefinition, PlannedRun
from dataset.artifacts.revision import split_revision
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.questions.withholding import Withheld
from dataset.record import UtcTime
from publisher.gates.concealed import WITHHELD_VALUES, quotes_withheld, shown_opening_fault, shown_place
from publisher.intake.interface import BatchHead, StoredRun
from publisher.scanning.finding import printable
from publisher.verification.agreement import Promise
from publisher.verification.answers import answers_digest
from publisher.verification.difference import Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One reason not to publish. `code` is stable; `place` is a pointer into the artifact, or names a part."""

    code: str
    batch_id: str | None
    run_id: str | None
    place: str
    message: str

    def as_json(self) -> dict[str, str | None]:
        """The fault as a JSON object, for `refusal.json`."""
        return asdict(self)

    def __str__(self) -> str:
        where = " ".join(part for part in (self.run_id or self.batch_id, self.place) if part)
        return printable(f"{self.code} {where}: {self.message}")

    def without_text(self, reason: str) -> Fault:
        """The fault where its own words must not be shown."""
        return replace(self, place="", message=reason)


@dataclass(frozen=True, kw_only=True, slots=True)
class Exhibit:
    """A batch under examination. `promise` is None where the store can't give the definition."""

    batch_id: str
    head: BatchHead
    promise: Promise | None
    planned: Mapping[str, PlannedRun]
    withheld: Mapping[str, tuple[Withheld, ...]] = field(default_factory=dict)
    """The parts of its runs that aren't published, by case id."""

    @property
    def definition(self) -> BatchDefinition | None:
        """The frozen definition, if there is one."""
        return self.head.definition

    @property
    def withholding_cases(self) -> frozenset[str]:
        """The cases of which something is withheld, or was before it was revealed: a reveal may yet be refused."""
        frozen = self.definition.cases if self.definition else ()
        return frozenset(str(case.id) for case in frozen if case.withheld)

    def fault(self, code: str, message: str, *, place: str = "") -> Fault:
        """A fault of the whole batch."""
        return Fault(code=code, batch_id=self.batch_id, run_id=None, place=place, message=message)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunExhibit:
    """One run under examination. `artifact` is None where the bytes can't be believed, for `opening_faults`."""

    batch: Exhibit
    stored: StoredRun
    artifact: Artifact | None
    opening_faults: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    """The parts that aren't published of it."""
    public: bytes = field(repr=False)
    """The bytes that would be published; those that are stored, where they can't be believed."""

    @property
    def planned(self) -> PlannedRun | None:
        """The planned run that this one is, or is a later revision of; None where the batch planned no such."""
        return self.batch.planned.get(split_revision(self.stored.run_id)[0])

    @property
    def conceals(self) -> bool:
        """Whether something of this run is withheld, by the case that it names or the one it was planned for."""
        cases, planned = self.batch.withholding_cases, self.planned
        if planned is None:
            return bool(cases)
        named = planned.case_id if self.artifact is None else self.artifact.case.case_id
        return not cases.isdisjoint((str(planned.case_id), str(named)))

    def fault(self, code: str, message: str, *, place: str = "", quoted: str = "") -> Fault:
        """A fault of this run. `quoted` is what stands in the run or should: it is told, behind the message, where
        nothing of it is withheld."""
        if quoted and self.conceals and quotes_withheld(place):
            place, quoted = shown_place(place), WITHHELD_VALUES
        return Fault(
            code=code,
            batch_id=self.batch.batch_id,
            run_id=self.stored.run_id,
            place=place,
            message=f"{message} ({quoted})" if quoted else message,
        )

    def differ(self, code: str, differences: Iterable[Difference]) -> Iterator[Fault]:
        """Differences of this run, as faults under one code."""
        for found in differences:
            quoted = f"expected {found.expected}, found {found.observed}" if found.expected or found.observed else ""
            yield self.fault(code, found.message, place=found.place, quoted=quoted)

    def unbelieved(self, code: str) -> Iterator[Fault]:
        """The reasons why its bytes can't be believed, as faults under one code."""
        for message in self.opening_faults:
            yield self.fault(code, shown_opening_fault(message) if self.conceals else message)


@dataclass(kw_only=True, slots=True)
class Account:
    """What is kept of a batch's runs once they have passed by: a line each, never the artifacts."""

    seen: Counter[str] = field(default_factory=Counter)
    facts: dict[str, RunFacts] = field(default_factory=dict)
    bytes_by_run: dict[str, str] = field(default_factory=dict)
    """sha256 of the raw bytes, by run id."""
    size: int = 0
    answers: dict[str, bytes] = field(default_factory=dict)
    """What each run's model answered, as `publisher.verification.answers` sums it up, by run id."""
    started: list[UtcTime] = field(default_factory=list)
    finished: list[UtcTime] = field(default_factory=list)

    def add(self, run: RunExhibit, sha256: str) -> None:
        """Takes note of one run."""
        self.seen[run.stored.run_id] += 1
        self.bytes_by_run[run.stored.run_id] = sha256
        self.size += len(run.stored.data)
        if run.artifact is not None:
            self.facts[run.stored.run_id] = facts_of(run.artifact)
            self.answers[run.stored.run_id] = answers_digest(run.artifact.steps)
            self.started.append(run.artifact.provenance.started_at)
            self.finished.append(run.artifact.provenance.finished_at)


class RunGate(Protocol):
    """A check of one run."""

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """Everything that is wrong with the run by this gate's rule."""
        ...


class BatchGate(Protocol):
    """A check of a whole batch, once all its runs have passed by."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """Everything that is wrong with the batch by this gate's rule."""
        ...
