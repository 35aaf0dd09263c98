"""A report after runs of it were withdrawn, made from the report alone."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.measures.run_facts import RunFacts, withdrawn_facts
from publisher.projection.report import Report, Withdrawal, recompiled


def with_withdrawals(report: Report, withdrawals: Sequence[Withdrawal]) -> Report:
    """The report with more withdrawals: their runs stay planned, count as invalid, and every number is made again.

    Times are those of all its runs, as before.
    """
    gone = {withdrawal.run_id for withdrawal in withdrawals}

    def lines(runs: Sequence[RunFacts]) -> list[RunFacts]:
        return [withdrawn_facts(line) if line.run_id in gone else line for line in runs]

    return recompiled(
        report,
        runs=lines(report.runs),
        superseded=lines(report.superseded),
        withdrawals=(*report.withdrawals, *withdrawals),
    )
