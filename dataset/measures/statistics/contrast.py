"""What a contrast shows beyond its counts: is the difference more than chance, and what could have been found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from dataset.artifacts.artifact import Count
from dataset.measures.contrast import paired_outcomes
from dataset.measures.interval import MIN_PAIRS, in_text, paired_difference
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.bootstrap import cluster_bootstrap
from dataset.measures.statistics.cluster import Cluster, clustered_stderr, clusters_of
from dataset.measures.statistics.evidence import MIN_CASES, Withheld, six_places
from dataset.measures.statistics.paired_test import ALPHA, holm, mcnemar, minimum_detectable, sign_flip
from dataset.measures.statistics.rate import varies
from dataset.questions.template import Contrast
from dataset.record import DecimalText, Record, Slug


class ContrastStatistics(Record):
    """One contrast of one model. `difference` is treatment minus baseline pass rate over pairs valid on both sides.

    Its interval and `mcnemar_p` take pairs as independent: they speak of these cases. `clustered_stderr`, the bootstrap
    interval, `permutation_p` and `minimum_detectable` take only cases as independent: they speak of cases like these.
    `…_holm` are adjusted over all contrasts and models of the batch that have such a p.
    """

    id: Slug
    model_key: Slug
    pairs: Count
    cases: Count
    """Cases with a pair."""
    difference: DecimalText | None
    difference_low: DecimalText | None
    difference_high: DecimalText | None
    clustered_stderr: DecimalText | None
    bootstrap_low: DecimalText | None
    bootstrap_high: DecimalText | None
    mcnemar_p: DecimalText | None
    mcnemar_p_holm: DecimalText | None
    permutation_p: DecimalText | None
    permutation_p_holm: DecimalText | None
    significant: bool | None
    """Whether `permutation_p_holm` is at most 0.05; null where there isn't enough evidence."""
    discordance: DecimalText | None
    """The share of pairs that differ as `minimum_detectable` assumes it: half a pair is added to each of four cells,
    so that it never is 0."""
    design_effect: DecimalText | None
    """By how many times pairs of the same case widen the variance: at least 1, and where no pair differs as much as if
    all pairs of a case were one."""
    minimum_detectable: DecimalText | None
    """The least difference that is found with a power of 80 % at a level of 5 %, by `pairs / design_effect` pairs.
    Where it's more than `discordance`, all pairs that differ are taken to do so in one direction."""
    withheld: dict[str, Withheld]
    """Why a field is null, by its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pairs:
    """The pairs of one contrast and model."""

    contrast_id: str
    model_key: str
    only_baseline: int
    only_treatment: int
    clusters: list[Cluster]
    """The differences by case."""

    @property
    def count(self) -> int:
        return sum(cluster.runs for cluster in self.clusters)

    @property
    def mcnemar_p(self) -> Decimal | None:
        return mcnemar(self.only_baseline, self.only_treatment) if self.count >= MIN_PAIRS else None

    @property
    def permutation_p(self) -> Decimal | None:
        return sign_flip([c.total for c in self.clusters]) if len(self.clusters) >= MIN_CASES else None


def measure_contrasts(
    contrasts: Sequence[Contrast], *, runs_by_model: Sequence[tuple[str, Sequence[RunFacts]]], seed: bytes
) -> tuple[ContrastStatistics, ...]:
    """Every contrast of every model, models first; a p of one knows how many others there are."""
    found = [_pairs(contrast, model_key, runs) for model_key, runs in runs_by_model for contrast in contrasts]
    alone, by_case = [one.mcnemar_p for one in found], [one.permutation_p for one in found]
    adjusted = zip(_adjusted(alone), _adjusted(by_case), strict=True)
    return tuple(
        _measure(one, (p, p_holm), (q, q_holm), seed)
        for one, p, q, (p_holm, q_holm) in zip(found, alone, by_case, adjusted, strict=True)
    )


def _pairs(contrast: Contrast, model_key: str, runs: Sequence[RunFacts]) -> _Pairs:
    outcomes = paired_outcomes(contrast, model_key=model_key, runs=runs)
    return _Pairs(
        contrast_id=contrast.id,
        model_key=model_key,
        only_baseline=sum(left and not right for _, left, right in outcomes),
        only_treatment=sum(right and not left for _, left, right in outcomes),
        clusters=list(clusters_of((case, right - left) for case, left, right in outcomes).values()),
    )


def _adjusted(p_values: Sequence[Decimal | None]) -> list[Decimal | None]:
    """Holm's adjustment over those that there are."""
    made = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(made) for p in p_values]


Tested = tuple[Decimal | None, Decimal | None]
"""A p-value and what it is once adjusted."""


def _measure(pairs: _Pairs, alone: Tested, by_case: Tested, seed: bytes) -> ContrastStatistics:
    reasons = _reasons(pairs)
    count, clusters = pairs.count, pairs.clusters
    difference = paired_difference(pairs.only_treatment, pairs.only_baseline, count) or (None, None, None)
    low, high = (None, None) if "bootstrap_low" in reasons else cluster_bootstrap(clusters, seed)
    effect, discordance = _design_effect(pairs), Decimal(pairs.only_baseline + pairs.only_treatment + 1) / (count + 2)
    least = None if "minimum_detectable" in reasons else minimum_detectable(discordance, count / effect)
    if least is None:
        reasons.setdefault("minimum_detectable", "beyond-reach")
    p_holm = by_case[1]
    return ContrastStatistics(
        id=pairs.contrast_id,
        model_key=pairs.model_key,
        pairs=count,
        cases=len(clusters),
        difference=in_text(difference[0]),
        difference_low=in_text(difference[1]),
        difference_high=in_text(difference[2]),
        clustered_stderr=None if "clustered_stderr" in reasons else six_places(clustered_stderr(clusters)),
        bootstrap_low=in_text(low),
        bootstrap_high=in_text(high),
        mcnemar_p=six_places(alone[0]),
        mcnemar_p_holm=six_places(alone[1]),
        permutation_p=six_places(by_case[0]),
        permutation_p_holm=six_places(p_holm),
        significant=None if p_holm is None else p_holm <= ALPHA,
        discordance=None if "discordance" in reasons else in_text(discordance),
        design_effect=None if "design_effect" in reasons else in_text(effect),
        minimum_detectable=in_text(least),
        withheld=reasons,
    )


def _reasons(pairs: _Pairs) -> dict[str, Withheld]:
    reasons: dict[str, Withheld] = {}
    if pairs.count < MIN_PAIRS:
        of_pairs = ("difference", "difference_low", "difference_high", "mcnemar_p", "mcnemar_p_holm")
        reasons.update(dict.fromkeys(of_pairs, "too-few-pairs"))
    spread = ("clustered_stderr", "bootstrap_low", "bootstrap_high")
    if len(pairs.clusters) < MIN_CASES:
        tests = ("permutation_p", "permutation_p_holm", "significant")
        planning = ("discordance", "design_effect", "minimum_detectable")
        reasons.update(dict.fromkeys((*spread, *tests, *planning), "too-few-cases"))
    elif not varies(pairs.clusters):
        reasons.update(dict.fromkeys(spread, "no-variation"))
    return reasons


def _design_effect(pairs: _Pairs) -> Decimal:
    """The clustered variance of the difference over that of independent pairs: Kish (1965), "Survey Sampling", 5.4;
    where neither can be told, the most that it could be."""
    alone = clustered_stderr(
        [
            *[Cluster(1, 1)] * pairs.only_treatment,
            *[Cluster(-1, 1)] * pairs.only_baseline,
            *[Cluster(0, 1)] * (pairs.count - pairs.only_treatment - pairs.only_baseline),
        ]
    )
    together = clustered_stderr(pairs.clusters)
    if not alone or together is None:
        return Decimal(sum(c.runs**2 for c in pairs.clusters)) / max(1, pairs.count)
    with localcontext() as context:
        context.prec = 34
        return max(Decimal(1), (together / alone) ** 2)
