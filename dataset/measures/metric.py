"""Every metric, defined once: the pages, reports and `verify` take name, meaning and unit from here."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

Unit = Literal["share", "count", "ms", "tokens", "money"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One metric. `formula` says how it follows from the artifacts; `better` which way is better, if any.

    Every group has a value for it, or null; where not `always`, only groups whose runs carry what it needs. `missing`
    is what null means, in words.
    """

    id: str
    title: str
    unit: Unit
    better: Literal["higher", "lower", "neither"]
    description: str
    formula: str
    always: bool = True
    missing: str = "unknown"


METRICS: tuple[Metric, ...] = (
    Metric(
        id="pass-rate",
        title="Pass rate",
        unit="share",
        better="higher",
        description="Share of valid runs whose every assertion held. Never shown without valid / planned; "
        "the interval is the 95 % Wilson score interval over runs.",
        formula="passed / valid",
    ),
    Metric(
        id="valid-rate",
        title="Valid runs",
        unit="share",
        better="higher",
        description="Share of planned runs that can be judged: nothing outside the model broke them. A missing or "
        "broken run stays in the denominator.",
        formula="valid / planned",
    ),
    Metric(
        id="worst-case",
        title="Worst case",
        unit="share",
        better="higher",
        description="The pass rate if every run that is missing or invalid had failed.",
        formula="passed / planned",
    ),
    Metric(
        id="best-case",
        title="Best case",
        unit="share",
        better="higher",
        description="The pass rate if every run that is missing or invalid had passed.",
        formula="(passed + invalid) / planned, invalid = planned − valid",
    ),
    Metric(
        id="corrections",
        title="Guardrail corrections",
        unit="count",
        better="lower",
        description="Changes that output guardrails made to final answers (ungrounded figures, forbidden operations, "
        "unlicensed advice), per valid run.",
        formula="sum of result.corrections / valid",
    ),
    Metric(
        id="refused-calls",
        title="Refused calls",
        unit="count",
        better="lower",
        description="Tool calls that the governance chain denied, per valid run.",
        formula="sum of result.refused_calls / valid",
    ),
    Metric(
        id="tool-calls-mean",
        title="Tool calls",
        unit="count",
        better="neither",
        description="Tool calls that the model attempted, per valid run.",
        formula="sum of result.tool_calls / valid",
    ),
    Metric(
        id="steps-mean",
        title="Model steps",
        unit="count",
        better="neither",
        description="Replies that the model gave, per valid run.",
        formula="sum of result.model_steps / valid",
    ),
    Metric(
        id="latency-median",
        title="Median latency",
        unit="ms",
        better="lower",
        description="Median over valid runs of the time that the answers took: of each model step the attempt that was "
        "answered. Failed attempts and the waits between them are recorded, not counted.",
        formula="median of result.latency_ms over valid runs (mean of the middle two)",
    ),
    Metric(
        id="input-tokens",
        title="Input tokens",
        unit="tokens",
        better="lower",
        description="Input tokens as the provider reports them, per valid run; unknown where any run lacks the count. "
        "A run whose context didn't fit asked nobody, and counts as none.",
        formula="sum of result.usage.input_tokens / valid",
    ),
    Metric(
        id="output-tokens",
        title="Output tokens",
        unit="tokens",
        better="lower",
        description="Output tokens as the provider reports them, per valid run; unknown where any run lacks the count. "
        "A run whose context didn't fit asked nobody, and counts as none.",
        formula="sum of result.usage.output_tokens / valid",
    ),
    Metric(
        id="context-tokens",
        title="Context tokens",
        unit="tokens",
        better="lower",
        description="Tokens of the opening as the model saw it, by Glassbench's own counter, per valid run whose "
        "context was opened: one that didn't fit its budget gave the model nothing.",
        formula="sum of context.working_tokens / valid runs whose context was opened",
        always=False,
        missing="no context opened",
    ),
    Metric(
        id="context-share",
        title="Context kept",
        unit="share",
        better="neither",
        description="Tokens of the opening as the model saw it, as a share of what all items take when whole. A low "
        "share says that the strategy left much out or shortened it, not whether that did any harm.",
        formula="sum of context.working_tokens / sum of context.original_tokens, over the same runs",
        always=False,
        missing="no context opened",
    ),
    Metric(
        id="cost",
        title="Cost",
        unit="money",
        better="lower",
        description="Money spent on the recorded runs at the recorded price; of one that was tried again, "
        "on its last try. Unknown, not zero, where a price or a token count is missing, or where an attempt failed "
        "that may have been billed.",
        formula="sum of result.cost over recorded runs, in one currency",
    ),
)
DERIVED_METRICS: tuple[Metric, ...] = (
    Metric(
        id="cost-per-100",
        title="Cost per 100 tasks",
        unit="money",
        better="lower",
        description="What a hundred runs cost at the price of those recorded, so that batches of any size can be "
        "compared. Every recorded run was paid for, so an invalid one counts too. Unknown, not zero, "
        "where the cost is.",
        formula="cost × 100 / recorded",
    ),
    Metric(
        id="latency-p95",
        title="p95 latency",
        unit="ms",
        better="lower",
        description="The latency that 95 of 100 valid runs don't exceed: how long one waits when it takes long. It is "
        "always one that was seen; of fewer than 20 runs it is the longest.",
        formula="nearest-rank 95th percentile of result.latency_ms over valid runs",
    ),
)
"""Metrics that follow from the lines of a report and stand in none: the pages work them out."""
METRIC_BY_ID = {metric.id: metric for metric in METRICS}


def is_measured(metric_ids: Set[str]) -> bool:
    """Whether a group that has these metrics has all that it must, and none that isn't defined."""
    return {metric.id for metric in METRICS if metric.always} <= metric_ids <= METRIC_BY_ID.keys()
