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
from dataset.record import BatchId, Record
from dataset.tools.catalogue import Catalogue
from publisher.projection.report import replayed_batch
from publisher.verification.context import context_differences
from publisher.verification.delivery import called_differences, loaded_differences
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.opening import mode_differences, opening_differences
from publisher.verification.run_check import RunCheck, made, run_check


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

    def model_of(self, planned: PlannedRun) -> FrozenModel:
        """The candidate of a run."""
        return next(model for model in self.definition.models if model.key == planned.model_key)

    def texts_of(self, planned: PlannedRun) -> tuple[Question | None, Variant | None]:
        """The question and variant of a run, where they stand."""
        return self.questions.get(planned.case_id), self.variants.get(planned.variant_id)


_DISAGREES = "disagrees with the batch definition"


def agreement_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    """Every field in which a run disagrees with the definition of its batch, as pointers into the artifact, as far as
    its sections are shown and the texts are there."""
    yield from made(AGREEMENT_CHECKS, artifact, planned, promise)


def _provenance_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    yield from _section_differences("/provenance", _provenance(artifact, promise, planned), artifact.provenance)


def _case_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    yield from _section_differences("/case", _case(promise, planned), artifact.case)


def _model_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    expected = _model(promise.model_of(planned))
    yield from _section_differences("/provenance/model", expected, artifact.provenance.model)


def _section_differences(pointer: str, expected: Mapping[str, Any], section: Record) -> Iterator[Difference]:
    body = section.body()
    for difference in compare(_DISAGREES, dict(expected), {name: body[name] for name in expected}):
        yield difference.within_pointer(pointer)


def _opening_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    question, variant = promise.texts_of(planned)
    if question is not None and variant is not None:
        yield from opening_differences(artifact, question, variant)


def _mode_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    _, variant = promise.texts_of(planned)
    if variant is not None:
        yield from mode_differences(artifact, variant)


def _context_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    question, variant = promise.texts_of(planned)
    if question is not None and variant is not None:
        yield from context_differences(artifact, question, variant, promise.catalogue)


def _loaded_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    _, variant = promise.texts_of(planned)
    if variant is not None and promise.catalogue is not None:
        yield from loaded_differences(artifact, variant, promise.catalogue)


def _called_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    _, variant = promise.texts_of(planned)
    if variant is not None and promise.catalogue is not None:
        yield from called_differences(artifact, variant, promise.catalogue)


def _judge_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    expected, observed = promise.definition.judge_version, artifact.judgment.judge_version
    for difference in compare(_DISAGREES, expected, observed):
        yield difference.within_pointer("/judgment/judge_version")


def _provenance(artifact: Artifact, promise: Promise, planned: PlannedRun) -> dict[str, Any]:
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
    question, variant = promise.texts_of(planned)
    if question is not None and variant is not None:
        expected["config_hash"] = definition.config_hash(
            variant_hash=variant.digest(), model=promise.model_of(planned), overrides=question.limits
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
    question, variant = promise.texts_of(planned)
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


def _attempt_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    """A model that isn't scripted answers over HTTP: no reply without an attempt. A replay asks nobody."""
    replayed = replayed_batch(promise.definition) is not None
    scripted = artifact.provenance.model.wire_api == "scripted"
    for at, step in enumerate(artifact.steps):
        if not isinstance(step, ModelStep):
            continue
        if replayed and step.attempts:
            yield fault(f"/steps/{at}/attempts", "a request, in a batch that replays recorded answers")
        if not replayed and not scripted and is_reply(step) and not step.attempts:
            yield fault(f"/steps/{at}/attempts", "a reply without a request")


def _cost_differences(artifact: Artifact, planned: PlannedRun, promise: Promise) -> Iterator[Difference]:
    """Money by the price that the batch froze; null, with its reason, where a price or a token count is unknown, or
    the answers were paid for in another batch."""
    steps = [step for step in artifact.steps if isinstance(step, ModelStep)]
    price, replayed = promise.model_of(planned).price, replayed_batch(promise.definition)
    cost, reason = run_cost(steps, price, replay_of=replayed)
    expected = {"cost": cost.body() if cost else None, "cost_reason": reason}
    recorded = {"cost": artifact.result.cost.body() if artifact.result.cost else None}
    recorded["cost_reason"] = artifact.result.cost_reason
    for difference in compare("does not follow from usage and price", expected, recorded):
        yield difference.within_pointer("/result")


AGREEMENT_CHECKS: tuple[RunCheck[[PlannedRun, Promise]], ...] = (
    run_check(_provenance_differences),
    run_check(_case_differences, "case"),
    run_check(_model_differences),
    run_check(_cost_differences, "result", "steps"),
    run_check(_attempt_differences, "steps"),
    run_check(_opening_differences, "context"),
    run_check(_mode_differences, "visible_tools"),
    run_check(_context_differences, "context"),
    run_check(_loaded_differences, "case", "visible_tools"),
    run_check(_called_differences, "steps"),
    run_check(_judge_differences, "judgment"),
)
