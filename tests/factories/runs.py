"""The nine sections of one run, sealed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dataset.artifacts.artifact import (
    SECTION_NAMES,
    Artifact,
    CaseSection,
    ContextSection,
    GuardrailCheck,
    ModelIdentity,
    ModelStep,
    ProvenanceSection,
    ResultSection,
    RunError,
    RunStatus,
    Sections,
    Step,
    StepTokens,
    ToolStep,
    VersionedHash,
    VisibleTool,
    VisibleTools,
)
from dataset.artifacts.digest import open_artifact, seal
from dataset.artifacts.outside_text import shown
from dataset.artifacts.revision import superseded_id
from dataset.canonical import canonical_bytes, sha256_hex
from dataset.context.turn import tools_tokens, turn_tokens
from dataset.context.wire_text import wire_arguments
from dataset.measures.cost import run_cost, total_usage
from dataset.measures.giving_up import BUDGET_USED_UP, CANCELLED_BY_OWNER, GIVING_UP
from dataset.measures.truncation import OUTPUT_TRUNCATED, is_reply
from dataset.measures.verdict import derive_judgment
from dataset.questions.prompt import Prompt
from dataset.record import BatchId, Localised
from engine.context.opening import opening, unopened
from tests.factories.bank import (
    FINISHED,
    JUDGE,
    STARTED,
    TOOLS,
    fake_hash,
)
from tests.factories.timeline import (
    CANCELLED,
    UNANSWERED,
    RunPlan,
    final_answer,
    make_guardrail_checks,
    make_output_checks,
    make_steps,
)


@dataclass(frozen=True, kw_only=True)
class _Evidence:
    case: CaseSection
    context: ContextSection
    steps: tuple[Step, ...]
    guardrail_checks: tuple[GuardrailCheck, ...]
    result: ResultSection


def make_sections(plan: RunPlan) -> Sections:
    """The nine sections of one run; its observations, verdict and counts follow from its own evidence."""
    case, steps = _case_section(plan), make_steps(plan)
    evidence = _Evidence(
        case=case,
        context=_context_section(plan, steps),
        steps=steps,
        guardrail_checks=make_guardrail_checks(plan),
        result=_result_section(plan, steps),
    )
    checks = make_output_checks(evidence, plan.case.gold)
    return Sections(
        case=case,
        provenance=_provenance(plan),
        context=evidence.context,
        visible_tools=_visible_tools(plan, steps),
        steps=steps,
        guardrail_checks=evidence.guardrail_checks,
        result=evidence.result,
        judgment=derive_judgment(JUDGE, evidence.result, checks),
        output_checks=checks,
    )


def make_salts(run_id: str) -> dict[str, str]:
    """A salt for every section that is the same in every test run."""
    return {name: fake_hash(f"salt {run_id} {name}")[:32] for name in SECTION_NAMES}


def reseal(artifact: Artifact, **changes: object) -> bytes:
    """The bytes of an artifact with whole sections replaced and every hash made anew: a forger's best work."""
    sections = {name: getattr(artifact, name) for name in SECTION_NAMES}
    return seal(artifact.run_id, Sections(**(sections | changes)), artifact.salts)


def forged(artifact: Artifact, change: Callable[[Any], object]) -> Artifact:
    """The artifact after `change` of its JSON body, sealed anew and opened as a verifier opens it."""
    body = artifact.body()
    change(body)
    changed = Artifact.model_validate_json(canonical_bytes(body))
    sections = {name: getattr(changed, name) for name in SECTION_NAMES}
    return open_artifact(seal(changed.run_id, Sections(**sections), artifact.salts))


def _case_section(plan: RunPlan) -> CaseSection:
    question = plan.case.question
    return CaseSection(
        case_id=question.id,
        version=question.version,
        content_hash=question.digest(),
        gold_version=plan.case.gold.version,
        gold_hash=plan.case.gold.digest(),
        variant_id=plan.variant.id,
        variant_version=plan.variant.version,
        variant_hash=plan.variant.digest(),
        repeat=plan.planned.repeat,
        kind="agent",
        category=question.category,
        locale=plan.variant.locale,
        scene=question.scene,
        login_state=question.login_state,
        question=question.text.to(plan.variant.locale),
    )


def _provenance(plan: RunPlan) -> ProvenanceSection:
    definition, model = plan.definition, plan.model
    template = definition.template
    return ProvenanceSection(
        pack=definition.pack,
        bank_hash=definition.bank_hash,
        catalogue_hash=definition.catalogue_hash,
        fixture_set=definition.fixture_set,
        snapshot_hash=definition.snapshot_hash,
        config_hash=definition.config_hash(
            variant_hash=plan.variant.digest(), model=model, overrides=plan.case.question.limits
        ),
        prompt=definition.prompts[0],
        guardrails=definition.guardrails,
        template=VersionedHash(id=template.id, version=template.version, hash=definition.template_hash),
        model=ModelIdentity(
            key=model.key,
            display_name=model.display_name,
            family=model.family,
            provider=model.provider,
            wire_api=model.wire_api,
            requested=model.model_id,
            returned=(model.model_id,) if any(s.kind == "model" and s.error is None for s in make_steps(plan)) else (),
            parameters=model.parameters,
            synthetic=model.synthetic,
        ),
        code=definition.code,
        judge_version=JUDGE,
        batch_id=BatchId(plan.batch_id),
        definition_hash=definition.digest(),
        attempt=1,
        supersedes=superseded_id(plan.run_id),
        started_at=STARTED,
        finished_at=FINISHED,
    )


def _context_section(plan: RunPlan, steps: Sequence[Step]) -> ContextSection:
    question, variant = plan.case.question, plan.variant
    words = Localised(en="Answer from the tools alone.", zh="只依据工具回答。")
    prompt = Prompt(id=variant.prompt, version=variant.prompt_version, text=words)
    if plan.scenario == "unstarted":
        return unopened(question, prompt, variant, "the run ended before its context was built")
    opened = opening(question, prompt, variant)
    given = opened.tokens + tools_tokens([tool.form_text(variant.locale) for tool in TOOLS.values()])
    counted = [
        StepTokens(step=number, tokens=given + sum(map(_turn_tokens, steps[:number]))) for number in _asked(plan, steps)
    ]
    return opened.section.changed(step_tokens=tuple(counted))


def _turn_tokens(step: Step) -> int:
    if isinstance(step, ToolStep):
        return turn_tokens(shown(step.result))
    called = [(shown(call.name), wire_arguments(shown(call.arguments_raw))) for call in step.tool_calls]
    return turn_tokens(shown(step.text or ""), called)


def _visible_tools(plan: RunPlan, steps: Sequence[Step]) -> tuple[VisibleTools, ...]:
    loaded = tuple(
        VisibleTool(
            name=tool.name,
            version=tool.version,
            schema_hash=tool.form_hash(plan.variant.locale),
        )
        for tool in TOOLS.values()
    )
    return tuple(VisibleTools(step=number, delivery="scoped", tools=loaded) for number in _asked(plan, steps))


def _asked(plan: RunPlan, steps: Sequence[Step]) -> list[int]:
    """The steps for which a question to the model was made ready."""
    return [*(s.step for s in steps if s.kind == "model"), *([len(steps)] if plan.scenario == "stopped" else [])]


def _result_section(plan: RunPlan, steps: Sequence[Step]) -> ResultSection:
    replies = [step for step in steps if isinstance(step, ModelStep)]
    calls = [step for step in steps if isinstance(step, ToolStep)]
    open_ended = plan.scenario in UNANSWERED
    raw = "" if open_ended else str(replies[-1].text)
    cost, cost_reason = run_cost(replies, plan.model.price, replay_of=plan.definition.replay_of)
    return ResultSection(
        status=_status(plan),
        stop_reason="error" if open_ended else "stop",
        answer_outcome="none" if open_ended else "answered",
        final_output=final_answer(plan),
        raw_output_sha256=sha256_hex(raw.encode()),
        corrections=1 if plan.scenario == "fail" else 0,
        model_steps=sum(1 for reply in replies if is_reply(reply)),
        tool_calls=len(calls),
        refused_calls=sum(1 for call in calls if call.outcome == "refused"),
        usage=total_usage([reply.usage for reply in replies if is_reply(reply)]),
        cost=cost,
        cost_reason=cost_reason,
        latency_ms=sum(reply.latency_ms for reply in replies),
        error=_error(plan),
    )


def _status(plan: RunPlan) -> RunStatus:
    if plan.scenario in CANCELLED:
        return "cancelled"
    return "provider_failed" if plan.scenario in UNANSWERED else "completed"


def _error(plan: RunPlan) -> RunError | None:
    if plan.scenario not in UNANSWERED:
        return None
    code, message = {
        "invalid": ("provider_5xx", "the server failed"),
        "unstarted": (CANCELLED_BY_OWNER, GIVING_UP[CANCELLED_BY_OWNER]),
        "stopped": (BUDGET_USED_UP, GIVING_UP[BUDGET_USED_UP]),
        "truncated": (OUTPUT_TRUNCATED, "the output limit cut the reply off"),
    }[plan.scenario]
    return RunError(code=code, message=f"{message} {plan.text}".strip())
