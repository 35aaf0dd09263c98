"""Whether a run is what its batch promised: its provenance, case and coordinates against the frozen definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dataset.artifacts.artifact import Artifact, ModelStep
from dataset.artifacts.definition import BatchDefinition, FrozenModel, PlannedRun
from dataset.artifacts.revision import superseded_id
from dataset.measures.cost import run_cost
from dataset.measures.truncation import is_reply
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from dataset.record import BatchId
from dataset.tools.catalogue import Catalogue
from publisher.projection.report import replayed_batch
from publisher.verification.context import context_differences
from publisher.verification.delivery import delivery_differences
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.opening import opening_differences


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What a batch says about its runs. Texts are looked up in `questions` and `variants`, by id, where they stand, and
    tools in the catalogue, where there is one."""

    batch_id: BatchId
    definition: BatchDefinition
    definition_hash: str
    questions: Mapping[str, Question]
    variants: Mapping[str, Variant]
    catalogue: Catalogue | None = None


def agreement_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    """Every field in which a run disagrees with the definition of its batch, as pointers into the artifact."""
    model = next(model for model in promise.definition.models if model.key == planned.model_key)
    message = "disagrees with the batch definition"
    for section, expected in (
        ("provenance", _provenance(artifact, promise, planned, model)),
        ("case", _case(promise, planned)),
    ):
        body = getattr(artifact, section).body()
        for difference in compare(message, expected, {name: body[name] for name in expected}):
            yield difference.within_pointer(f"/{section}")
    identity = artifact.provenance.model.body()
    expected = _model(model)
    for difference in compare(message, expected, {name: identity[name] for name in expected}):
        yield difference.within_pointer("/provenance/model")
    yield from _cost_differences(artifact, model, promise.definition)
    yield from _attempt_differences(artifact, promise.definition)
    question, variant = promise.questions.get(planned.case_id), promise.variants.get(planned.variant_id)
    if question is not None and variant is not None:
        yield from opening_differences(artifact, question, variant)
        yield from context_differences(artifact, question, variant, promise.catalogue)
    if variant is not None and promise.catalogue is not None:
        yield from delivery_differences(artifact, variant, promise.catalogue)
    if artifact.judgment.judge_version != promise.definition.judge_version:
        yield Difference(
            place="/judgment/judge_version",
            expected=promise.definition.judge_version,
            observed=artifact.judgment.judge_version,
            message=message,
        )


def _provenance(artifact: Artifact, promise: Promise, planned: PlannedRun, model: FrozenModel) -> dict[str, Any]:
    """What the definition fixes. `code` isn't of it: a run names the code that ran it, a definition what created it.

    A run's id says which one it supersedes, so that a chain of them can't fork.
    """
    definition = promise.definition
    expected = {
        "pack": definition.pack.body(),
        "bank_hash": definition.bank_hash,
        "catalogue_hash": definition.catalogue_hash,
        "fixture_set": definition.fixture_set.body(),
        "guardrails": definition.guardrails.body(),
        "snapshot_hash": definition.snapshot_hash,
        "template": {
            "id": definition.template.id,
            "version": definition.template.version,
            "hash": definition.template_hash,
        },
        "judge_version": definition.judge_version,
        "batch_id": promise.batch_id,
        "definition_hash": promise.definition_hash,
        "supersedes": superseded_id(artifact.run_id),
    }
    question, variant = promise.questions.get(planned.case_id), promise.variants.get(planned.variant_id)
    if question is not None and variant is not None:
        expected["config_hash"] = definition.config_hash(
            variant_hash=variant.digest(), model=model, overrides=question.limits
        )
    if variant is not None:
        prompts = {(prompt.id, prompt.version): prompt for prompt in definition.prompts}
        prompt = prompts.get((variant.prompt, variant.prompt_version))
        expected["prompt"] = prompt.body() if prompt else "a prompt of the definition"
    return expected


def _case(promise: Promise, planned: PlannedRun) -> dict[str, Any]:
    case = next(case for case in promise.definition.cases if case.id == planned.case_id)
    arm = next(variant for variant in promise.definition.variants if variant.id == planned.variant_id)
    expected: dict[str, Any] = {
        "case_id": case.id,
        "version": case.version,
        "content_hash": case.hash,
        "gold_version": case.gold_version,
        "gold_hash": case.gold_hash,
        "variant_id": arm.id,
        "variant_version": arm.version,
        "variant_hash": arm.hash,
        "repeat": planned.repeat,
    }
    question, variant = promise.questions.get(planned.case_id), promise.variants.get(planned.variant_id)
    if question is not None:
        expected |= question.model_dump(mode="json", include={"kind", "category", "scene", "login_state"})
    if variant is not None:
        expected["locale"] = variant.locale
    if question is not None and variant is not None:
        expected["question"] = question.text.to(variant.locale)
    return expected


def _model(model: FrozenModel) -> dict[str, Any]:
    body = model.model_dump(
        mode="json", include={"key", "display_name", "family", "provider", "wire_api", "parameters", "synthetic"}
    )
    return body | {"requested": model.model_id}


def _attempt_differences(artifact: Artifact, definition: BatchDefinition) -> Iterator[Difference]:
    """A model that isn't scripted answers over HTTP: no reply without an attempt. A replay asks nobody."""
    replayed = replayed_batch(definition) is not None
    scripted = artifact.provenance.model.wire_api == "scripted"
    for at, step in enumerate(artifact.steps):
        if not isinstance(step, ModelStep):
            continue
        if replayed and step.attempts:
            yield fault(f"/steps/{at}/attempts", "a request, in a batch that replays recorded answers")
        if not replayed and not scripted and is_reply(step) and not step.attempts:
            yield fault(f"/steps/{at}/attempts", "a reply without a request")


def _cost_differences(artifact: Artifact, model: FrozenModel, definition: BatchDefinition) -> Iterator[Difference]:
    """Money by the price that the batch froze; null, with its reason, where a price or a token count is unknown, or
    the answers were paid for in another batch."""
    steps = [step for step in artifact.steps if isinstance(step, ModelStep)]
    cost, reason = run_cost(steps, model.price, replay_of=replayed_batch(definition))
    expected = {"cost": cost.body() if cost else None, "cost_reason": reason}
    recorded = {"cost": artifact.result.cost.body() if artifact.result.cost else None}
    recorded["cost_reason"] = artifact.result.cost_reason
    for difference in compare("does not follow from usage and price", expected, recorded):
        yield difference.within_pointer("/result")
