"""All statistics of a batch, from its frozen definition and one line of facts a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

from dataset.artifacts.artifact import Count
from dataset.artifacts.definition import BatchDefinition
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.bootstrap import RESAMPLES, bootstrap_seed
from dataset.measures.statistics.cluster import Cluster, clusters_of
from dataset.measures.statistics.contrast import ContrastStatistics, measure_contrasts
from dataset.measures.statistics.ranking import Outcomes, Ranking, measure_ranking
from dataset.measures.statistics.rate import GroupMean, RateStatistics, measure_rate, variant_mean
from dataset.measures.statistics.repeats import measure_repeats
from dataset.record import Record, Slug

_ByCase = Mapping[str, Cluster]
_Groups = Mapping[tuple[str, str], Sequence[RunFacts]]


class GroupStatistics(Record):
    """One model × variant."""

    model_key: Slug
    variant_id: Slug
    rate: RateStatistics


class ModelStatistics(Record):
    """One model over all variants; `variant_mean` gives each of them the same weight."""

    model_key: Slug
    rate: RateStatistics
    variant_mean: GroupMean


class BatchStatistics(Record):
    """Everything that is said of a batch beyond its counts. `method` names the rules, which never change under a name.

    Every draw follows from the batch's definition; `resamples` stand behind each bootstrap interval.
    """

    method: Literal["glassbench.statistics/1"] = "glassbench.statistics/1"
    resamples: Count
    groups: tuple[GroupStatistics, ...]
    models: tuple[ModelStatistics, ...]
    contrasts: tuple[ContrastStatistics, ...]
    rankings: tuple[Ranking, ...]
    """Of the models where there are several, then of each model's arms where there are several."""


def measure_batch(definition: BatchDefinition, runs: Sequence[RunFacts]) -> BatchStatistics:
    """The statistics of a batch; `runs` are those that count, of however many are planned."""
    seed = bootstrap_seed(definition.digest())
    models = [model.key for model in definition.models]
    valid = _valid(runs)
    by_case = {group: clusters_of((run.case_id, run.verdict == "pass") for run in own) for group, own in valid.items()}
    return BatchStatistics(
        resamples=RESAMPLES,
        groups=tuple(
            GroupStatistics(
                model_key=model,
                variant_id=variant.id,
                rate=_group_rate(definition, by_case.get((model, variant.id), {}), seed),
            )
            for model, variant in product(models, definition.variants)
        ),
        models=tuple(_model(definition, model, by_case, seed) for model in models),
        contrasts=measure_contrasts(
            definition.template.contrasts,
            runs_by_model=[(model, [run for run in runs if run.model_key == model]) for model in models],
            seed=seed,
        ),
        rankings=_rankings(definition, valid),
    )


def _valid(runs: Sequence[RunFacts]) -> _Groups:
    """The valid runs by model and variant."""
    found: dict[tuple[str, str], list[RunFacts]] = {}
    for run in runs:
        if run.verdict != "invalid":
            found.setdefault((run.model_key, run.variant_id), []).append(run)
    return found


def _group_rate(definition: BatchDefinition, by_case: _ByCase, seed: bytes) -> RateStatistics:
    cases, repeats = len(definition.cases), definition.template.repeats
    return measure_rate(
        by_case,
        planned=definition.runs_per_group,
        planned_cases=cases,
        repeats=measure_repeats(list(by_case.values()), planned=cases, repeats=repeats),
        seed=seed,
    )


def _model(
    definition: BatchDefinition, model: str, by_case: Mapping[tuple[str, str], _ByCase], seed: bytes
) -> ModelStatistics:
    own = [by_case.get((model, variant.id), {}) for variant in definition.variants]
    units = [cluster for found in own for cluster in found.values()]
    together: dict[str, Cluster] = {}
    for case, (total, runs) in (item for found in own for item in found.items()):
        before = together.get(case, Cluster(0, 0))
        together[case] = Cluster(before.total + total, before.runs + runs)
    cases = len(definition.cases)
    rate = measure_rate(
        dict(sorted(together.items())),
        planned=definition.runs_per_model,
        planned_cases=cases,
        # A try is repeated within its variant: another language or strategy is another question.
        repeats=measure_repeats(units, planned=cases * len(own), repeats=definition.template.repeats),
        seed=seed,
    )
    mean = variant_mean([list(found.values()) for found in own], planned=len(own))
    return ModelStatistics(model_key=model, rate=rate, variant_mean=mean)


def _rankings(definition: BatchDefinition, groups: _Groups) -> tuple[Ranking, ...]:
    models, variants = [model.key for model in definition.models], [variant.id for variant in definition.variants]
    found = []
    if len(models) > 1:
        outcomes: dict[str, Outcomes] = {
            model: {
                (run.case_id, variant, str(run.repeat)): run.verdict == "pass"
                for variant in variants
                for run in groups.get((model, variant), ())
            }
            for model in models
        }
        found.append(measure_ranking(outcomes, of="models", model_key=None))
    for model in models if len(variants) > 1 else ():
        arms: dict[str, Outcomes] = {
            variant: {(run.case_id, str(run.repeat)): run.verdict == "pass" for run in groups.get((model, variant), ())}
            for variant in variants
        }
        found.append(measure_ranking(arms, of="arms", model_key=model))
    return tuple(found)
