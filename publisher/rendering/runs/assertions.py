"""The assertions of a run, grouped by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dataset.artifacts.artifact import LAYERS, LayerName, OutputCheck
from dataset.measures.run_facts import reason_kind
from publisher.rendering.runs.passage import Passage, passage
from publisher.rendering.visible_text import marked_up


@dataclass(frozen=True, kw_only=True, slots=True)
class Assertion:
    """An assertion under its place in the artifact, from 1, which names it in links; `code` is its kind."""

    number: int
    check: OutputCheck
    id: Markup
    code: str
    reason: Markup
    expected: Markup
    observed: Markup
    subject: Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """The assertions of one layer, failed first."""

    name: LayerName
    assertions: tuple[Assertion, ...]
    failed: tuple[Assertion, ...]


def assertion_layers(checks: Sequence[OutputCheck]) -> tuple[Layer, ...]:
    """Every layer in its order, also those of which nothing is asserted."""
    made = [_assertion(number, check) for number, check in enumerate(checks, start=1)]
    found = []
    for name in LAYERS:
        own = [assertion for assertion in made if assertion.check.layer == name]
        failed = tuple(assertion for assertion in own if not assertion.check.passed)
        rest = tuple(assertion for assertion in own if assertion.check.passed)
        found.append(Layer(name=name, assertions=(*failed, *rest), failed=failed))
    return tuple(found)


def _assertion(number: int, check: OutputCheck) -> Assertion:
    return Assertion(
        number=number,
        check=check,
        id=marked_up(check.id),
        code=reason_kind(check.id),
        reason=marked_up(check.reason),
        expected=marked_up(check.expected),
        observed=marked_up(check.observed),
        subject=passage(check.subject),
    )
