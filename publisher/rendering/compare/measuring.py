"""What a comparison shows beyond its counts: the report's own numbers, or for models the same measures over pairs."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.measures.contrast import ContrastMeasures, measure_contrast
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.bootstrap import bootstrap_seed
from dataset.measures.statistics.contrast import ContrastStatistics, measure_contrasts
from dataset.measures.statistics.ranking import Ranking
from dataset.questions.template import Contrast
from dataset.record import Localised
from publisher.projection.report import Report
from publisher.rendering.compare.matchup import Matchup

_MODELS = Contrast(id="models", title=Localised(en="models", zh="models"), baseline="left", treatment="right")


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The paired difference of the right side minus the left one. `statistics` is null in a report from before there
    were any; `family` is over how many comparisons a finding of significance is adjusted."""

    measures: ContrastMeasures
    statistics: ContrastStatistics | None
    family: int


def counted(matchup: Matchup) -> ContrastMeasures:
    """The counts, the difference and its interval."""
    if matchup.contrast is None:
        return measure_contrast(_MODELS, model_key="pair", runs=_relabelled(matchup))
    report = matchup.batch.report
    key = (matchup.contrast.id, matchup.left.model.key)
    return next(found for found in report.contrasts if (found.id, found.model_key) == key)


def measured(matchup: Matchup) -> Measured:
    """Everything that is told of a comparison."""
    report = matchup.batch.report
    if matchup.contrast is None:
        return _of_models(matchup, report)
    key = (matchup.contrast.id, matchup.left.model.key)
    statistics = report.statistics.contrasts if report.statistics else ()
    return Measured(
        measures=counted(matchup),
        statistics=next((found for found in statistics if (found.id, found.model_key) == key), None),
        family=len(report.contrasts),
    )


def _of_models(matchup: Matchup, report: Report) -> Measured:
    """Whether a difference of models is more than chance is the finding of the report's own ranking, which is adjusted
    over all pairs of models, compared on pages or not."""
    counts = counted(matchup)
    rankings = report.statistics.rankings if report.statistics else ()
    ranking = next((found for found in rankings if found.of == "models"), None)
    if ranking is None:
        return Measured(measures=counts, statistics=None, family=0)
    statistics = _tested(matchup, report.definition_hash, parted=_parted(ranking, matchup))
    return Measured(measures=counts, statistics=statistics, family=ranking.tested)


def measured_rows(matchup: Matchup, definition_hashes: tuple[str, str], *, parted: bool, family: int) -> Measured:
    """What is told of two rows of a board: whether they are parted is the finding of the board's order of rows."""
    statistics = _tested(matchup, ":".join(definition_hashes), parted=parted)
    return Measured(measures=counted(matchup), statistics=statistics, family=family)


def _tested(matchup: Matchup, seed: str, *, parted: bool) -> ContrastStatistics:
    (found,) = measure_contrasts([_MODELS], runs_by_model=[("pair", _relabelled(matchup))], seed=bootstrap_seed(seed))
    enough = found.permutation_p is not None
    alone = {
        "mcnemar_p_holm": None,
        "permutation_p_holm": None,
        "significant": parted if enough else None,
    }
    return found.model_copy(update=alone)


def _parted(ranking: Ranking, matchup: Matchup) -> bool:
    keys = {matchup.left.model.key, matchup.right.model.key}
    return any(entry.id in keys and keys & set(entry.better_than) for entry in ranking.entries)


def _relabelled(matchup: Matchup) -> list[RunFacts]:
    """The runs of both sides as two arms of one model: what the measures of contrasts pair by case and repeat."""
    return [
        run.model_copy(update={"model_key": "pair", "variant_id": side, "repeat": number})
        for number, pairing in enumerate(matchup.pairings, start=1)
        for side, run in (("left", pairing.left), ("right", pairing.right))
        if run is not None
    ]
