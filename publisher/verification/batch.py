"""One batch of a snapshot: its report against its run files, and every number made again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Mapping

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.definition import PlannedRun, planned_runs
from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import Disclosed, open_disclosed
from dataset.canonical import Json
from dataset.measures.run_facts import RunFacts
from dataset.measures.threshold import enough_valid
from dataset.record import UtcTime
from publisher.projection.report import Report, Withdrawal, recompiled
from publisher.verification.agreement import AGREEMENT_CHECKS, Promise
from publisher.verification.assertions import ASSERTION_CHECKS
from publisher.verification.bank import bank_differences
from publisher.verification.chain import Chain, chains_of
from publisher.verification.difference import Difference, compare, fault, short
from publisher.verification.files import run_name
from publisher.verification.line import claim_differences, remake_line
from publisher.verification.observation import unobservable
from publisher.verification.record import RECORD_CHECKS
from publisher.verification.run_check import made, shows
from publisher.verification.withdrawal import (
    is_withdrawn,
    tombstone_differences,
    withdrawal_differences,
    withdrawn_line,
)

Read = Callable[[str], bytes | None]


class BatchCheck:
    """Walks the runs of one report one at a time; holds the line of each, never the artifacts.

    After `differences` is exhausted, the counts say how much was checked and how much could not be. `sealed` is added
    to: the salted digest of each run's steps, which no two runs of a snapshot share unless one is a copy.
    """

    def __init__(self, report: Report, file: str, read: Read, sealed: set[bytes]) -> None:
        self._report = report
        self._file = file
        self._read = read
        self._sealed = sealed
        self._facts: list[RunFacts] = []
        self._superseded: list[RunFacts] = []
        self._golds = {case_id: case.gold for case_id, case in report.cases_by_id.items()}
        self._started: UtcTime | None = None
        self._finished: UtcTime | None = None
        self.runs = 0
        """Artifacts that were opened, whole or in part."""
        self.assertions = 0
        """Assertions that were observed again."""
        self.unobserved = 0
        """Assertions that are shown and couldn't be observed again: what they are of is withheld."""
        self.withdrawn = 0
        self.withheld: Counter[str] = Counter()
        """Runs by the part that is withheld of them: a section, or the gold."""
        self.claimed: Counter[str] = Counter()
        """Runs by the field of their line that follows from withheld sections alone, and was taken as it is told."""

    def differences(self) -> Iterator[Difference]:
        """Everything in which the report, its runs and the definition disagree."""
        promised = list(bank_differences(self._report, self._file))
        promised += [found.within(self._file) for found in withdrawal_differences(self._report)]
        yield from promised
        if promised:
            return
        chains = self._chains()
        if chains is None:
            message = "not one line for each planned run and each that it superseded, in planned order"
            yield fault(f"{self._file}#/runs", message)
            return
        promise = self._promise()
        lines = {line.run_id: line for line in self._report.every_run}
        for chain in chains:
            for run_id in chain.superseded:
                self._superseded.append((yield from self._run_differences(lines[run_id], chain.planned, promise)))
                yield from self._retry_differences(self._superseded[-1])
            for run_id in chain.run_ids[-1:]:
                self._facts.append((yield from self._run_differences(lines[run_id], chain.planned, promise)))
        yield from self._number_differences()

    def _chains(self) -> list[Chain] | None:
        """The runs of each position, where the report has exactly their lines; counted before they are laid out."""
        report = self._report
        if report.definition.run_count != len(report.runs):
            return None
        known = {line.run_id for line in report.every_run}
        chains = list(chains_of(planned_runs(report.definition, report.batch_id), known))
        same = [line.run_id for line in report.runs] == [chain.counts for chain in chains]
        superseded = [run_id for chain in chains for run_id in chain.superseded]
        return chains if same and [line.run_id for line in report.superseded] == superseded else None

    def _retry_differences(self, facts: RunFacts) -> Iterator[Difference]:
        """Only an invalid run may be tried again: to try another one until it passes would be to choose."""
        if facts.verdict != "invalid":
            yield Difference(
                place=f"{run_name(facts.run_id)}#/judgment/verdict",
                expected="invalid",
                observed=facts.verdict,
                message="a run that isn't invalid was superseded",
            )

    def _promise(self) -> Promise:
        report = self._report
        return Promise(
            batch_id=report.batch_id,
            definition=report.definition,
            definition_hash=report.definition_hash,
            questions={name: case.question for name, case in report.cases_by_id.items() if case.question is not None},
            variants={variant.id: variant for variant in report.variants},
            catalogue=report.catalogue.catalogue if report.catalogue else None,
        )

    def _run_differences(
        self, line: RunFacts, planned: PlannedRun, promise: Promise
    ) -> Generator[Difference, None, RunFacts]:
        """The differences of one run; returns its facts, or what the report says of a run that can't be read."""
        data = self._read(run_name(line.run_id))
        withdrawal = self._report.withdrawn.get(line.run_id)
        if withdrawal is not None:
            return (yield from self._withdrawn_differences(data, line, planned, withdrawal))
        disclosed = (yield from self._opened(data, line.run_id)) if data is not None else None
        if disclosed is None:
            return line
        return (yield from self._shown_differences(disclosed, line, planned, promise))

    def _withdrawn_differences(
        self, data: bytes | None, line: RunFacts, planned: PlannedRun, withdrawal: Withdrawal
    ) -> Generator[Difference, None, RunFacts]:
        self.withdrawn += 1
        file, expected = run_name(line.run_id), withdrawn_line(line, planned)
        if data is not None:
            yield from tombstone_differences(data, file, line, withdrawal, self._report)
        if line != expected:
            for difference in compare("is not how a withdrawn run is told", expected.body(), line.body()):
                yield difference.within(file)
            return expected
        return line

    def _opened(self, data: bytes, run_id: str) -> Generator[Difference, None, Disclosed | None]:
        try:
            return open_disclosed(data, name=run_id)
        except ArtifactError as error:
            withdrawn = is_withdrawn(data)
            faults = ["is withdrawn, which its report doesn't say"] if withdrawn else error.faults
            yield from (fault(run_name(run_id), message) for message in faults)
        return None

    def _shown_differences(
        self, disclosed: Disclosed, line: RunFacts, planned: PlannedRun, promise: Promise
    ) -> Generator[Difference, None, RunFacts]:
        """The differences of a run as far as it is shown; returns its facts."""
        artifact, file, parts = disclosed.artifact, run_name(line.run_id), self._report.withheld(planned.case_id)
        self._account(artifact)
        self.withheld.update(parts)
        yield from self._copy_differences(artifact, file)
        for difference in _section_differences(disclosed, parts):
            yield difference.within(file)
        if (
            self._report.catalogue is None
            and shows(artifact, "context")
            and artifact.context.opening_budget is not None
        ):
            yield fault(f"{file}#/context/opening_budget", "came with catalogues, and the report has none")
        if artifact.run_id != line.run_id:
            yield Difference(
                place=f"{file}#/run_id",
                expected=line.run_id,
                observed=short(artifact.run_id),
                message="another run's artifact",
            )
        remade = remake_line(artifact, line, planned, parts)
        self.claimed.update(remade.claimed)
        replayed = self._report.replay_of is not None
        for difference in (
            *compare("the report says otherwise", line.body(), remade.facts.body()),
            *(claim_differences(line, promise.model_of(planned), replayed=replayed) if remade.claimed else ()),
            *made(AGREEMENT_CHECKS, artifact, planned, promise),
            *made(RECORD_CHECKS, artifact),
            *self._assertion_differences(artifact),
        ):
            yield difference.within(file)
        return remade.facts

    def _copy_differences(self, artifact: Artifact, file: str) -> Iterator[Difference]:
        digest = bytes.fromhex(artifact.digests["steps"])
        if digest in self._sealed:
            yield fault(f"{file}#/digests/steps", "another run of the snapshot has the same steps under the same salt")
        self._sealed.add(digest)

    def _account(self, artifact: Artifact) -> None:
        self.runs += 1
        if shows(artifact, "output_checks"):
            unobserved = unobservable(artifact)
            self.unobserved += unobserved
            self.assertions += len(artifact.output_checks) - unobserved
        start, end = artifact.provenance.started_at, artifact.provenance.finished_at
        self._started = min(self._started or start, start)
        self._finished = max(self._finished or end, end)

    def _assertion_differences(self, artifact: Artifact) -> Iterator[Difference]:
        gold = self._golds.get(artifact.case.case_id) if shows(artifact, "case") else None
        # a case that the batch doesn't have is told by its disagreement with the plan
        return iter(()) if gold is None else made(ASSERTION_CHECKS, artifact, gold)

    def _times(self) -> tuple[UtcTime, UtcTime]:
        """The first start and last end of all runs. What was withdrawn may have begun earlier and ended later: when is
        as the report tells it."""
        report = self._report
        start, end = self._started or report.started_at, self._finished or report.finished_at
        if report.withdrawals:
            return min(start, report.started_at), max(end, report.finished_at)
        return start, end

    def _number_differences(self) -> Iterator[Difference]:
        report, (started_at, finished_at) = self._report, self._times()
        remade = recompiled(
            report, runs=self._facts, superseded=self._superseded, started_at=started_at, finished_at=finished_at
        )
        expected: Mapping[str, Json] = remade.body()
        for difference in compare("does not follow from the runs", expected, report.body()):
            yield difference.within(self._file)
        lost = Counter((run.model_key, run.variant_id) for run in report.runs if run.run_id in report.withdrawn)
        for position, group in enumerate(remade.groups):
            # a group that was published with enough stays published when some are withdrawn
            counted = group.measures.valid + lost[group.model_key, group.variant_id]
            if not enough_valid(counted, group.measures.planned, report.definition.template):
                message = "fewer valid runs than the template wants of what is published"
                yield fault(f"{self._file}#/groups/{position}", message)


def _section_differences(disclosed: Disclosed, parts: Collection[str]) -> Iterator[Difference]:
    """Every section that is withheld where the batch doesn't say so, or shown where it does."""
    for name in SECTION_NAMES:
        if name in disclosed.withheld and name not in parts:
            yield fault(f"/{name}", f"section {name} is missing: its batch doesn't withhold it")
        if name not in disclosed.withheld and name in parts:
            yield fault(f"/{name}", f"section {name} is shown, though withheld")
