"""`GATE-WITHHELD`: what a batch withholds is withheld whole, can't be guessed, and stands in nothing that is public."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.questions.pack import Pack
from dataset.questions.withholding import closed, hides_gold, hides_question
from publisher.gates.concealed import shown_place
from publisher.gates.interface import Account, Exhibit, Fault, RunExhibit
from publisher.gates.leak import LeakSearch

LEAKED = "GATE-WITHHELD-001"
NOT_CLOSED = "GATE-WITHHELD-002"
GUESSABLE = "GATE-WITHHELD-003"


class Withholding:
    """`-001` a withheld text stands in a public part of its run or in the report, `-002` what would give a withheld
    part away isn't withheld with it, `-003` a withheld question or gold has no salt."""

    def __init__(self) -> None:
        self._search: tuple[Pack, LeakSearch] | None = None

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The leaks of one run into its own public file."""
        pack, parts = run.batch.head.pack, run.withheld
        if run.artifact is None or pack is None or not parts:
            return
        case_id = run.artifact.case.case_id
        for leak in self._over(pack).in_run(run.stored.data, run.public, case_id=case_id, parts=parts):
            yield run.fault(LEAKED, str(leak), place=shown_place(leak.place))

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """What is wrong with the withholding as the definition froze it, and the leaks into the report."""
        definition, pack = batch.definition, batch.head.pack
        if definition is None or not any(case.withheld for case in definition.cases):
            return
        for at, case in enumerate(definition.cases):
            if missing := [part for part in closed(case.withheld) if part not in case.withheld]:
                message = f"leaves {', '.join(missing)} public, which would give away what is withheld"
                yield batch.fault(NOT_CLOSED, message, place=f"definition/cases/{at}/withheld")
        if pack is None:
            return
        yield from _guessable(batch, pack)
        for leak in self._over(pack).in_report(definition, batch.withheld):
            yield batch.fault(LEAKED, str(leak), place=leak.place)

    def _over(self, pack: Pack) -> LeakSearch:
        if self._search is None or self._search[0] is not pack:
            self._search = (pack, LeakSearch(pack))
        return self._search[1]


def _guessable(batch: Exhibit, pack: Pack) -> Iterator[Fault]:
    for at, case in enumerate(batch.definition.cases if batch.definition else ()):
        question, gold = pack.questions.get(case.id), pack.golds.get(case.id)
        for noun, entry, hidden in (
            ("question", question, hides_question(case.withheld)),
            ("gold", gold, hides_gold(case.withheld)),
        ):
            if hidden and entry is not None and entry.salt is None:
                message = f"the {noun} is withheld and has no salt: anyone can try texts against its hash"
                yield batch.fault(GUESSABLE, message, place=f"definition/cases/{at}")
