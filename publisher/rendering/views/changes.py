"""What a second judgement of the same answers changed, and what in judge or gold that may come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dataset.artifacts.artifact import OutputCheck, VersionedHash
from dataset.artifacts.definition import BatchDefinition, FrozenModel
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.group import GroupMeasures
from dataset.measures.run_facts import RunFacts
from publisher.rendering.bars import Bar, pass_rate_bar
from publisher.rendering.compare.assertions import by_id
from publisher.rendering.language.message import Message, Sayable, marked
from publisher.rendering.snapshot.rejudgment import RUNS_A_PAGE, Rejudgment, RunPair
from publisher.rendering.snapshot.snapshot import PublishedBatch

ReadRun = Callable[[PublishedBatch, RunFacts], Disclosed | Withdrawn]
"""Opens the file behind one line of a report."""
_RATES_A_PAGE = 60
Outcome = Literal["changed", "assertions", "unchanged", "apart"]
"""Another verdict · the same one by other assertions · nothing differs · one side is withdrawn or missing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionChange:
    """A part of the definition that differs: its value or version and hash, before and after. `label` is a message
    id. `judges` says whether verdicts follow from it; `case_id` is the case that it is of, None where it is of all."""

    label: str
    before: str | Sayable
    after: str | Sayable
    judges: bool
    case_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AssertionChange:
    """One assertion that differs; null on the side that doesn't make it."""

    id: str
    before: OutputCheck | None
    after: OutputCheck | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunChange:
    """One run before and after. `causes` are the parts of the definition that may have changed its verdict, `hidden`
    the batches that withhold its assertions."""

    pair: RunPair
    outcome: Outcome
    assertions: tuple[AssertionChange, ...]
    causes: tuple[DefinitionChange, ...]
    hidden: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """One model's numbers on both sides; null where the earlier batch doesn't have the model."""

    model: FrozenModel
    before: GroupMeasures | None
    before_bar: Bar | None
    after: GroupMeasures
    after_bar: Bar | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What became of runs, and of models' rates."""

    rates: tuple[Rates, ...]
    runs: tuple[RunChange, ...]

    def of(self, *outcomes: Outcome) -> tuple[RunChange, ...]:
        """The runs with these outcomes, in their order."""
        return tuple(run for run in self.runs if run.outcome in outcomes)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangesPart(Changes):
    """One of the pages that tell of a second judgement: some of the runs, and some of the models' rates."""

    name: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangesView(Changes):
    """The page of one second judgement: all of it."""

    again: Rejudgment
    definition: tuple[DefinitionChange, ...]

    @property
    def judged_otherwise(self) -> bool:
        """Whether judge or golds differ."""
        return any(change.judges for change in self.definition)


def changes_view(again: Rejudgment, read: ReadRun) -> ChangesView:
    """The view of a second judgement; two artifacts are in memory at a time."""
    before, after = again.before.report, again.after.report
    definition = tuple(_definition_changes(before.definition, after.definition))
    return ChangesView(
        again=again,
        definition=definition,
        rates=tuple(
            _rates(model, before.models.get(model.key), after.models[model.key]) for model in after.definition.models
        ),
        runs=tuple(_run_change(again, pair, definition, read) for pair in again.pairs),
    )


def changes_parts(view: ChangesView) -> tuple[ChangesPart, ...]:
    """The pages of a second judgement, at least one; runs stand in their order, so that links know where."""
    count = max(1, -(-len(view.runs) // RUNS_A_PAGE), -(-len(view.rates) // _RATES_A_PAGE))
    return tuple(
        ChangesPart(
            name=view.again.part(number),
            number=number + 1,
            rates=view.rates[_RATES_A_PAGE * number : _RATES_A_PAGE * (number + 1)],
            runs=view.runs[RUNS_A_PAGE * number : RUNS_A_PAGE * (number + 1)],
        )
        for number in range(count)
    )


def _rates(model: FrozenModel, before: GroupMeasures | None, after: GroupMeasures) -> Rates:
    return Rates(
        model=model,
        before=before,
        before_bar=pass_rate_bar(before) if before is not None else None,
        after=after,
        after_bar=pass_rate_bar(after),
    )


def _definition_changes(before: BatchDefinition, after: BatchDefinition) -> Iterator[DefinitionChange]:
    """What judges first: the judge, then golds by case; then whatever else the two definitions don't share."""
    if before.judge_version != after.judge_version:
        yield DefinitionChange(
            label=marked("Judge"), before=before.judge_version, after=after.judge_version, judges=True
        )
    earlier = {case.id: case for case in before.cases}
    for case in after.cases:
        old = earlier.get(case.id)
        if old is not None and (old.gold_version, old.gold_hash) != (case.gold_version, case.gold_hash):
            one, other = (_version(c.gold_version, c.gold_hash) for c in (old, case))
            yield DefinitionChange(label=marked("Gold"), before=one, after=other, judges=True, case_id=case.id)
    for case in after.cases:
        old = earlier.get(case.id)
        if old is not None and (old.version, old.hash) != (case.version, case.hash):
            one, other = (_version(c.version, c.hash) for c in (old, case))
            yield DefinitionChange(label=marked("Question"), before=one, after=other, judges=False, case_id=case.id)
    for label, was, now in _shared_parts(before, after):
        if was != now:
            yield DefinitionChange(label=label, before=was, after=now, judges=False)


def _version(version: int, digest: str) -> Message:
    return Message("version %(version)s, %(hash)s", version=str(version), hash=digest)


def _shared_parts(before: BatchDefinition, after: BatchDefinition) -> Iterator[tuple[str, str, str]]:
    yield marked("Code"), _code(before), _code(after)
    yield marked("Bank hash"), before.bank_hash, after.bank_hash
    yield marked("Guardrails"), before.guardrails.hash, after.guardrails.hash
    yield marked("Catalogue hash"), before.catalogue_hash, after.catalogue_hash
    yield marked("Fixture set"), before.fixture_set.hash, after.fixture_set.hash
    yield marked("Template"), before.template_hash, after.template_hash
    yield marked("Variants"), _hashes(before.variants), _hashes(after.variants)
    yield marked("Prompts"), _hashes(before.prompts), _hashes(after.prompts)


def _hashes(entries: Sequence[VersionedHash]) -> str:
    return ", ".join(entry.hash for entry in entries)


def _code(definition: BatchDefinition) -> str:
    code = definition.code
    return f"Glassbench {code.version}{f', {code.commit}' if code.commit is not None else ''}"


def _run_change(again: Rejudgment, pair: RunPair, definition: Sequence[DefinitionChange], read: ReadRun) -> RunChange:
    if pair.before is None:
        return _apart(pair)
    before, after = read(again.before, pair.before), read(again.after, pair.after)
    if isinstance(before, Withdrawn) or isinstance(after, Withdrawn):
        return _apart(pair)
    sides = ((again.before, before), (again.after, after))
    hidden = tuple(str(batch.report.batch_id) for batch, side in sides if not side.shows("output_checks"))
    assertions = () if hidden else _assertion_changes(before.artifact.output_checks, after.artifact.output_checks)
    return RunChange(
        pair=pair,
        outcome="changed" if pair.before.verdict != pair.after.verdict else "assertions" if assertions else "unchanged",
        assertions=assertions,
        causes=tuple(c for c in definition if c.judges and c.case_id in (None, pair.after.case_id)),
        hidden=hidden,
    )


def _apart(pair: RunPair) -> RunChange:
    return RunChange(pair=pair, outcome="apart", assertions=(), causes=(), hidden=())


def _assertion_changes(before: Sequence[OutputCheck], after: Sequence[OutputCheck]) -> tuple[AssertionChange, ...]:
    """The assertions that one side makes alone, or that came out otherwise; the later side's order, then what it
    dropped."""
    old, new = by_id(before), by_id(after)
    return tuple(
        AssertionChange(id=key[0], before=old.get(key), after=new.get(key))
        for key in dict.fromkeys((*new, *old))
        if _measured(old.get(key)) != _measured(new.get(key))
    )


def _measured(check: OutputCheck | None) -> tuple[str, ...] | None:
    if check is None:
        return None
    return check.subject, check.relation, check.expected, check.observed, str(check.passed)
