"""Every statistic that the pages name beside the metrics: what it says, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.measures.interval import MIN_PAIRS
from dataset.measures.statistics.bootstrap import RESAMPLES
from dataset.measures.statistics.evidence import MIN_CASES, MIN_RUNS


@dataclass(frozen=True, kw_only=True, slots=True)
class Statistic:
    """One statistic; `source` names who described the method."""

    id: str
    title: str
    description: str
    source: str


STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        id="standard-error",
        title="Standard error, runs",
        description="How far the pass rate would stray by chance if every run stood for itself. Withheld below "
        f"{MIN_RUNS} valid runs.",
        source="sqrt(p (1 − p) / (n − 1)); Miller (2024), Adding Error Bars to Evals",
    ),
    Statistic(
        id="clustered-error",
        title="Standard error, cases",
        description="The same where runs of one case belong together: repeats, languages and budgets of a case tell "
        f"less than as many other cases would. Withheld below {MIN_CASES} cases.",
        source="Liang and Zeger (1986), Biometrika 73:13–22, with G / (G − 1)",
    ),
    Statistic(
        id="bootstrap-interval",
        title="95 % interval, cases redrawn",
        description=f"Where the rate or difference lies in 95 % of {RESAMPLES:,} draws of as many cases, each with all "
        f"of its runs. The draws follow from the batch's definition. Withheld below {MIN_CASES} cases.",
        source="cluster bootstrap, percentile interval; Davison and Hinkley (1997), sections 3.8 and 5.3",
    ),
    Statistic(
        id="case-mean",
        title="Mean over cases",
        description="The mean of the pass rates of the cases, each with the same weight however many valid runs it "
        "has. The error between cases takes them as a sample of others; the error within takes them as fixed.",
        source="Cochran (1977), Sampling Techniques, chapters 5 and 10",
    ),
    Statistic(
        id="variant-mean",
        title="Mean over variants",
        description="The mean of the pass rates of the variants, each with the same weight.",
        source="Cochran (1977), Sampling Techniques, chapters 5 and 10",
    ),
    Statistic(
        id="pass-at-k",
        title="pass@k",
        description="The chance that at least one of k tries of a case passes, as a mean over cases.",
        source="1 − C(n − c, k) / C(n, k); Chen et al. (2021), eq. 1",
    ),
    Statistic(
        id="pass-hat-k",
        title="pass^k",
        description="The chance that all of k tries of a case pass, as a mean over cases.",
        source="C(c, k) / C(n, k); Yao et al. (2024), τ-bench",
    ),
    Statistic(
        id="paired-difference",
        title="Paired difference",
        description="Pass rate of the treatment minus that of the baseline, over pairs of runs of the same case and "
        f"repeat that are valid on both sides. Withheld below {MIN_PAIRS} pairs. Its interval speaks of these cases.",
        source="adjusted Wald interval for matched pairs; Agresti and Min (2005), Statistics in Medicine 24:729–740",
    ),
    Statistic(
        id="mcnemar-p",
        title="Exact p, pairs",
        description="How often chance alone would part the pairs that differ as unevenly as this, or more. It takes "
        "pairs as independent, so it speaks of these cases. Holm's adjustment counts all contrasts and models of the "
        "batch.",
        source="exact McNemar test (1947), Psychometrika 12:153–157; Holm (1979)",
    ),
    Statistic(
        id="permutation-p",
        title="Exact p, cases",
        description="How often chance alone would give so large a difference if within each case the arms were "
        "swapped at random. It speaks of cases like these, and it alone decides what is called significant: at most "
        f"0.05 after Holm's adjustment. Withheld below {MIN_CASES} cases.",
        source="sign-flip permutation test over cases, all swaps counted; Fisher (1935), section 21; Holm (1979)",
    ),
    Statistic(
        id="minimum-detectable",
        title="Smallest difference that would be found",
        description="With so many pairs that differ so often, a true difference smaller than this is missed in more "
        f"than one of five such batches. Withheld below {MIN_CASES} cases.",
        source="power 80 %, level 5 %; Connett, Smith and McHugh (1987), Statistics in Medicine 6:53–59",
    ),
    Statistic(
        id="rank-range",
        title="Range of ranks",
        description="The places that the evidence leaves open: only who is significantly better stands before. Two "
        f"that share fewer than {MIN_CASES} cases, or that differ by no more than chance may, are tied.",
        source="sign-flip permutation test over the cases that both have, Holm's adjustment over all pairs tested",
    ),
)
STATISTIC_BY_ID = {statistic.id: statistic for statistic in STATISTICS}
