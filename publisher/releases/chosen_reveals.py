"""What a person asks to reveal, against what is withheld: nothing may give away what stays withheld."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dataset.console import named
from dataset.questions.withholding import WITHHELD, Withheld, closed, in_order
from publisher.projection.report import Report, Reveal
from publisher.releases.errors import RevealError
from publisher.releases.named_runs import nearest


def chosen_reveals(report: Report, *, cases: Sequence[str], parts: Sequence[str], release: int) -> tuple[Reveal, ...]:
    """A reveal for each case that has something to reveal, in the order of the definition. No cases or no parts named
    are all of them; what is public already is passed over.

    RevealError for a case or part that there isn't, for parts that would give away what stays withheld, and for a
    case whose every run was withdrawn, where it is named or there is no other to reveal.
    """
    _require_known(report, cases, parts)
    standing = {line.case_id for line in report.every_run if line.run_id not in report.withdrawn}
    found: list[Reveal] = []
    gone: list[str] = []
    for case in report.definition.cases:
        withheld = report.withheld(case.id)
        chosen = tuple(part for part in withheld if not parts or part in parts)
        if (cases and case.id not in cases) or not chosen:
            continue
        if case.id in standing:
            found.append(Reveal(case_id=case.id, parts=chosen, release=release))
        else:
            gone.append(case.id)
    if gone and (cases or not found):
        raise RevealError(
            f"every run of case {gone[0]} was withdrawn, and nothing of it can be revealed",
            code="REVEAL-RUN-001",
            hint="name cases that still have a run; what such a case withholds stays withheld",
        )
    _require_nothing_given_away(report, found)
    return tuple(found)


def _require_known(report: Report, cases: Sequence[str], parts: Sequence[str]) -> None:
    known = [str(case.id) for case in report.definition.cases]
    for case_id in cases:
        if case_id not in known:
            raise RevealError(
                f"batch {report.batch_id} has no case {case_id!r}",
                code="REVEAL-CASE-001",
                hint=nearest(case_id, known, instead=f"its cases: {named(known, most=10)}; its page lists all"),
            )
    for part in parts:
        if part not in WITHHELD:
            raise RevealError(
                f"{part!r} is no part of a run that can be withheld",
                code="REVEAL-PART-001",
                hint=f"the parts: {', '.join(WITHHELD)}",
            )


def _require_nothing_given_away(report: Report, chosen: Sequence[Reveal]) -> None:
    """The parts are those of all cases together: naming one more for a case may ask for others in the next."""
    named: set[Withheld] = {part for reveal in chosen for part in reveal.parts}
    wanted = set(named)
    withheld = {reveal.case_id: report.withheld(reveal.case_id) for reveal in chosen}
    while step := {part for parts in withheld.values() for part in _given_away(parts, wanted)}:
        wanted |= step
    if wanted == named:
        return
    case_id = next(reveal.case_id for reveal in chosen if _given_away(withheld[reveal.case_id], set(reveal.parts)))
    more = ", ".join(in_order(wanted - named))
    staying = ", ".join(in_order({part for parts in withheld.values() for part in parts} - wanted)) or "nothing"
    raise RevealError(
        f"case {case_id}: revealing {', '.join(in_order(named))} would give away {more}, which stays withheld; "
        f"revealed together, {staying} would stay withheld",
        code="REVEAL-PART-002",
        hint="reveal them together: " + " ".join(f"--part {part}" for part in in_order(wanted)),
    )


def _given_away(withheld: Collection[Withheld], revealed: Collection[Withheld]) -> set[Withheld]:
    """The parts of a case that stay withheld and that its revealed parts give away, at the first step."""
    public = [part for part in withheld if part in revealed]
    return {part for part in withheld if part not in public and not set(closed((part,))).isdisjoint(public)}
