"""One batch of a snapshot: its report against its run files, and every number made again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import PlannedRun, planned_runs
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.canonical import Json
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.measures.threshold import enough_valid
from dataset.record import UtcTime
from publisher.projection.report import Report, compile_report
from publisher.verification.agreement import Promise, agreement_differences
from publisher.verification.assertions import assertion_differences
from publisher.verification.bank import bank_differences
from publisher.verification.chain import Chain, chains_of
from publisher.verification.difference import Difference, compare, fault, short
from publisher.verification.files import run_name
from publisher.verification.record import record_differences

Read = Callable[[str], bytes | None]


class BatchCheck:
    """Walks the runs of one report one at a time; holds the facts of each, never the artifacts.

    After `differences` is exhausted, `runs` and `assertions` say how much was checked. `sealed` is added to: the salted
    digest of each run's steps, which no two runs of a snapshot share unless one is a copy.
    """

    def __init__(self, report: Report, file: str, read: Read, sealed: set[bytes]) -> None:
        self._report = report
        self._file = file
        self._read = read
        self._sealed = sealed
        self._facts: list[RunFacts] = []
        self._superseded: list[RunFacts] = []
        self._golds = {case_id: case.gold for case_id, case in report.cases_by_id.items()}
        self._started: list[UtcTime] = []
        self._finished: list[UtcTime] = []
        self.runs = 0
        self.assertions = 0

    def differences(self) -> Iterator[Difference]:
        """Everything in which the report, its runs and the definition disagree."""
        promised = list(bank_differences(self._report, self._file))
        yield from promised
        if promised:
            return
        chains = self._chains()
        if chains is None:
            yield self._fault(
                "/runs", "not one line for each planned run and each that it superseded, in planned order"
            )
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
        file = run_name(line.run_id)
        data = self._read(file)
        try:
            artifact = open_artifact(data, name=line.run_id) if data is not None else None
        except ArtifactError as error:
            artifact = None
            yield from (Difference(place=file, expected="", observed="", message=fault) for fault in error.faults)
        if artifact is None:
            return line
        self._account(artifact)
        yield from self._copy_differences(artifact, file)
        if self._report.catalogue is None and artifact.context.opening_budget is not None:
            yield fault(f"{file}#/context/opening_budget", "came with catalogues, and the report has none")
        if artifact.run_id != line.run_id:
            yield Difference(
                place=f"{file}#/run_id",
                expected=line.run_id,
                observed=short(artifact.run_id),
                message="another run's artifact",
            )
        for difference in (
            *compare("the report says otherwise", line.body(), facts_of(artifact).body()),
            *agreement_differences(artifact, planned, promise),
            *record_differences(artifact),
            *self._assertion_differences(artifact),
        ):
            yield difference.within(file)
        return facts_of(artifact)

    def _copy_differences(self, artifact: Artifact, file: str) -> Iterator[Difference]:
        digest = bytes.fromhex(artifact.digests["steps"])
        if digest in self._sealed:
            yield fault(f"{file}#/digests/steps", "another run of the snapshot has the same steps under the same salt")
        self._sealed.add(digest)

    def _account(self, artifact: Artifact) -> None:
        self.runs += 1
        self.assertions += len(artifact.output_checks)
        self._started.append(artifact.provenance.started_at)
        self._finished.append(artifact.provenance.finished_at)

    def _assertion_differences(self, artifact: Artifact) -> Iterator[Difference]:
        gold = self._golds.get(artifact.case.case_id)
        # a case that the batch doesn't have is told by its disagreement with the plan
        return iter(()) if gold is None else assertion_differences(artifact, gold)

    def _number_differences(self) -> Iterator[Difference]:
        report = self._report
        made = compile_report(
            batch_id=report.batch_id,
            definition=report.definition,
            cases=report.cases,
            variants=report.variants,
            runs=self._facts,
            superseded=self._superseded,
            catalogue=report.catalogue,
            started_at=min(self._started, default=report.started_at),
            finished_at=max(self._finished, default=report.finished_at),
            with_statistics=report.statistics is not None,
        )
        expected: Mapping[str, Json] = made.body()
        for difference in compare("does not follow from the runs", expected, report.body()):
            yield difference.within(self._file)
        for position, group in enumerate(made.groups):
            if not enough_valid(group.measures.valid, group.measures.planned, report.definition.template):
                yield self._fault(
                    f"/groups/{position}", "fewer valid runs than the template wants of what is published"
                )

    def _fault(self, pointer: str, message: str) -> Difference:
        return Difference(place=f"{self._file}#{pointer}", expected="", observed="", message=message)
