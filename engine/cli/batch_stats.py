"""`glassbench batch stats ID`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import counted, print_json, print_table

if TYPE_CHECKING:
    from dataset.measures.run_facts import RunFacts
    from dataset.measures.statistics.batch import BatchStatistics, ModelStatistics
    from dataset.measures.statistics.contrast import ContrastStatistics
    from dataset.measures.statistics.evidence import Withheld
    from dataset.measures.statistics.ranking import Ranking
    from dataset.measures.statistics.rate import RateStatistics
    from dataset.store.batches import BatchRow


def batch_stats(
    batch_id: Annotated[str, typer.Argument(help="The batch; see `batch list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a batch's runs say, and how far to trust it: intervals, contrasts, tie groups."""
    from dataset.measures.statistics.batch import measure_batch

    row, counting = _recorded(batch_id)
    found = measure_batch(row.definition, counting)
    if as_json:
        print_json(
            {
                "batch_id": row.id,
                "planned": row.definition.run_count,
                "recorded": len(counting),
                "finished": row.finished_at is not None,
                "statistics": found.body(),
            }
        )
        return
    _print_head(row, len(counting))
    for model in found.models:
        rates = _rates(model, found)
        _print_rates(model.model_key, rates)
        _print_repeats(model.model_key, rates)
        own = [contrast for contrast in found.contrasts if contrast.model_key == model.model_key]
        _print_contrasts(model.model_key, own, len(found.contrasts))
    for ranking in found.rankings:
        _print_ranking(ranking)
    print("docs/reference/statistics.md: what each number is, and when it is withheld")


def _recorded(batch_id: str) -> tuple[BatchRow, list[RunFacts]]:
    """The batch, and the facts of those of its recorded runs that count."""
    from dataset.artifacts.digest import open_artifact
    from dataset.measures.run_facts import facts_of
    from dataset.record import BatchId
    from dataset.store.batch_figures import batch_figures
    from dataset.store.batches import get_batch
    from dataset.store.runs import iterate_artifacts
    from dataset.store.service_state import frozen_moment
    from dataset.store.session import open_database

    with open_database() as database:
        row = get_batch(database, BatchId(batch_id))
        with frozen_moment(database, seconds=60) as connection:
            superseded = batch_figures(connection, row.id).superseded
        facts = [facts_of(open_artifact(s.data, name=s.run_id)) for s in iterate_artifacts(database, row.id)]
    return row, [fact for fact in facts if fact.run_id not in superseded]


def _print_head(row: BatchRow, recorded: int) -> None:
    planned = row.definition.run_count
    state = "all" if recorded == planned else f"{recorded:,} of"
    print(f"{row.id}: {state} {planned:,} planned runs are recorded")
    if row.finished_at is None:
        print("  it isn't finished: every number below is of the runs that are there")


def _rates(model: ModelStatistics, found: BatchStatistics) -> dict[str, RateStatistics]:
    """By variant, and before them the model over all of them."""
    own = {group.variant_id: group.rate for group in found.groups if group.model_key == model.model_key}
    return {"(all variants)": model.rate, **own} if len(own) > 1 else own


def _print_rates(model: str, rates: Mapping[str, RateStatistics]) -> None:
    print_table(
        f"{model}: pass rates of runs, each as if independent",
        ("variant", "#valid / planned", "#pass rate", "#95 % (Wilson)", "#std error"),
        [
            (
                variant,
                f"{rate.valid} / {rate.planned}",
                rate.pass_rate or _said(rate.withheld, "pass_rate"),
                _span(rate.wilson_low, rate.wilson_high),
                rate.stderr or _said(rate.withheld, "stderr"),
            )
            for variant, rate in rates.items()
        ],
    )
    print_table(
        f"{model}: the same by case, whose runs belong together",
        ("variant", "#cases", "#mean of cases", "#95 % (bootstrap)", "#std error"),
        [
            (
                variant,
                rate.cases,
                rate.case_mean.mean,
                _span(rate.bootstrap_low, rate.bootstrap_high) or _said(rate.withheld, "bootstrap_low"),
                rate.clustered_stderr,
            )
            for variant, rate in rates.items()
        ],
    )


def _print_repeats(model: str, rates: Mapping[str, RateStatistics]) -> None:
    """pass@k and pass^k where there is something to repeat; of many k the first and the last."""
    repeats = max(len(rate.repeats) for rate in rates.values())
    if repeats < 2:
        return
    shown = sorted({1, 2, repeats})
    print_table(
        f"{model}: of k tries of a case at least one passes (pass@k), all pass (pass^k)",
        ("variant", *(f"#{name}{k}" for k in shown for name in ("pass@", "pass^"))),
        [
            (
                variant,
                *(value for k in shown for value in (rate.repeats[k - 1].pass_at_k, rate.repeats[k - 1].pass_hat_k)),
            )
            for variant, rate in rates.items()
        ],
    )


def _print_contrasts(model: str, contrasts: Sequence[ContrastStatistics], family: int) -> None:
    if not contrasts:
        return
    print_table(
        f"{model}: differences over pairs; p for {counted(family, 'contrast')} (Holm)",
        ("contrast", "#pairs", "#difference", "#95 %", "#p (McNemar)"),
        [
            (
                c.id,
                c.pairs,
                c.difference or _said(c.withheld, "difference"),
                _span(c.difference_low, c.difference_high),
                _p(c.mcnemar_p_holm),
            )
            for c in contrasts
        ],
    )
    print_table(
        f"{model}: the same by case; detectable with a power of 80 %",
        ("contrast", "#cases", "#95 % (bootstrap)", "#p (sign flip)", "#detectable"),
        [
            (
                c.id,
                c.cases,
                _span(c.bootstrap_low, c.bootstrap_high) or _said(c.withheld, "bootstrap_low"),
                _p(c.permutation_p_holm),
                c.minimum_detectable,
            )
            for c in contrasts
        ],
    )


def _print_ranking(ranking: Ranking) -> None:
    what = "tie groups of models" if ranking.model_key is None else f"{ranking.model_key}: tie groups of arms"
    print_table(
        f"{what}; {ranking.tested} of {counted(ranking.comparisons, 'pair')} tested",
        ("rank", ranking.of.removesuffix("s"), "#pass rate", "better than", "tied with"),
        [
            (
                entry.ranks,
                entry.id,
                entry.pass_rate,
                _others(entry.better_than, ranking),
                _others(entry.tied_with, ranking),
            )
            for entry in ranking.entries
        ],
    )


def _others(names: Sequence[str], ranking: Ranking) -> str:
    """Names, where there are few of them."""
    others = len(ranking.entries) - 1
    if len(names) == others > 1:
        return "all others"
    if not names:
        return "–"
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} more"


def _span(low: str | None, high: str | None) -> str | None:
    if low is None or high is None:
        return None
    return f"{low} to {high}" if low.startswith("-") else f"{low}–{high}"


def _p(value: str | None) -> str | None:
    if value is None:
        return None
    return "< 0.0001" if value < "0.0001" else _in_four(value)


def _in_four(value: str) -> str:
    """A decimal text with its first four places, as many as a table has room for."""
    return value[: value.index(".") + 5]


def _said(withheld: Mapping[str, Withheld], name: str) -> str | None:
    """Why a number isn't there, in the words before the colon."""
    from dataset.measures.statistics.evidence import REASONS

    reason = withheld.get(name)
    return None if reason is None else REASONS[reason].split(":")[0]
