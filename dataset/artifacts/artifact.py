"""The run artifact: nine sections that say everything about one run (case × variant × repeat × model).

Integers are below 2^53; money, rates and scores are decimal strings; durations are integer milliseconds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dataset.artifacts.outside_text import OutsideText
from dataset.context.interface import DecisionKind
from dataset.context.item import Area
from dataset.questions.session import ItemCategory, Trust
from dataset.record import (
    ABSENT,
    SLUG,
    BatchId,
    DecimalText,
    Identifier,
    Locale,
    Record,
    RunId,
    Salt,
    Sha256,
    Slug,
    UtcTime,
    Version,
)
from dataset.tools.scene import LoginState

ARTIFACT_SCHEMA = "glassbench.run/1"

Count = Annotated[int, Field(ge=0, lt=2**53)]
Milliseconds = Count
StopReason = Literal["stop", "length", "tool_calls", "content_filter", "error"]
RunStatus = Literal["completed", "step_limit", "context_failed", "provider_failed", "harness_failed", "cancelled"]
Verdict = Literal["pass", "fail", "invalid"]
LayerName = Literal["tool", "answer", "context"]
LAYERS: tuple[LayerName, ...] = ("tool", "answer", "context")
LayerVerdict = Literal["pass", "fail", "none"]


class CaseSection(Record):
    """Which question was asked, how, and as whom."""

    case_id: Slug
    version: Version
    content_hash: Sha256
    gold_version: Version
    gold_hash: Sha256
    variant_id: Slug
    variant_version: Version
    variant_hash: Sha256
    repeat: Annotated[int, Field(ge=1)]
    kind: Literal["agent"]
    category: Slug
    locale: Locale
    scene: Identifier
    login_state: LoginState
    question: str


class VersionedHash(Record):
    """A versioned entry of the bank and the hash of what it held."""

    id: str
    version: Version
    hash: Sha256


class ModelIdentity(Record):
    """What was asked for and what answered. `synthetic` is true for scripted models, everywhere they appear."""

    key: Slug
    display_name: str
    family: str
    provider: str
    wire_api: str
    requested: str
    returned: tuple[str, ...]
    parameters: dict[str, DecimalText | Count | str]
    synthetic: bool


class CodeIdentity(Record):
    """The version of Glassbench that ran; `commit` is null outside a checkout."""

    version: str
    commit: str | None


class ProvenanceSection(Record):
    """Everything the run was made from, by version and hash."""

    pack: VersionedHash
    bank_hash: Sha256
    catalogue_hash: Sha256
    fixture_set: VersionedHash
    snapshot_hash: Sha256
    config_hash: Sha256
    prompt: VersionedHash
    guardrails: VersionedHash
    template: VersionedHash
    model: ModelIdentity
    code: CodeIdentity
    judge_version: str
    batch_id: BatchId
    definition_hash: Sha256
    attempt: Annotated[int, Field(ge=1)]
    supersedes: RunId | None
    started_at: UtcTime
    finished_at: UtcTime


class ContextItemRecord(Record):
    """What the builder decided about one item. The system prompt's text is withheld (`text` null, digest kept)."""

    id: str
    category: ItemCategory
    role: Literal["system", "user", "assistant", "tool"]
    trust: Trust
    area: Area
    required: bool
    decision: DecisionKind
    reason: str
    source: str
    original_tokens: Count
    working_tokens: Count
    sha256: Sha256
    text: OutsideText | None
    working_text: Annotated[OutsideText | None, ABSENT] = None
    """What stood in for the text where the item was compressed or referenced; null where it is `text`, or nothing."""


class StepTokens(Record):
    """How many tokens one model call was given, by the conservative counter (tool schemas included)."""

    step: Count
    tokens: Count


class ContextSection(Record):
    """What the model was given to work with, and why."""

    strategy: str
    budget: Count
    opening_budget: Annotated[Count | None, ABSENT] = None
    """The part of the budget that the opening might take; null in artifacts from before it had a part of its own."""
    counter_version: str
    original_tokens: Count
    working_tokens: Count
    category_counts: dict[str, Count]
    items: tuple[ContextItemRecord, ...]
    required_total: Count
    required_kept: Count
    step_tokens: tuple[StepTokens, ...]


class VisibleTool(Record):
    """One loaded tool and the hash of its schema."""

    name: Identifier
    version: Version
    schema_hash: Sha256


class VisibleTools(Record):
    """The exact tools that one model step could see."""

    step: Count
    delivery: str
    tools: tuple[VisibleTool, ...]


class Usage(Record):
    """Tokens as the provider reports them; null where it doesn't."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class HttpAttempt(Record):
    """One try of a provider call: its HTTP status (null before an answer) and error code (null when it went well)."""

    status: Annotated[int, Field(ge=100, le=599)] | None
    code: str | None
    latency_ms: Milliseconds


class ToolCallRecord(Record):
    """A call as the model wrote it; `arguments_parsed` is the canonical JSON text, null where it isn't JSON."""

    id: OutsideText
    name: OutsideText
    arguments_raw: OutsideText
    arguments_parsed: str | None


class ModelStep(Record):
    """One reply of the model. `step` counts every entry of the timeline from 0."""

    kind: Literal["model"] = "model"
    step: Count
    text: OutsideText | None
    tool_calls: tuple[ToolCallRecord, ...]
    stop_reason: StopReason
    finish_reason: str | None
    usage: Usage
    latency_ms: Milliseconds
    attempts: tuple[HttpAttempt, ...]
    model_returned: str | None
    request_id: str | None
    system_fingerprint: str | None
    error: str | None
    started_at: UtcTime


class ToolStep(Record):
    """One answered call. `result` is what the model saw: a frozen reply, a computed one, what a search of the catalogue
    found, or a structured refusal. `untrusted` says that the tool's replies are text from outside, which the model may
    see fenced only."""

    kind: Literal["tool"] = "tool"
    step: Count
    call_id: OutsideText
    tool: OutsideText
    tool_version: Version | None
    untrusted: bool
    arguments_raw: OutsideText
    arguments_parsed: str | None
    outcome: Literal["executed", "refused"]
    code: str | None
    source: Literal["fixture", "pure", "search", "refusal"]
    reply_hash: Sha256 | None
    reply_status: Literal["ok", "error"] | None
    result: OutsideText


Step = Annotated[ModelStep | ToolStep, Field(discriminator="kind")]


class CorrectionRecord(Record):
    """One change that an output guardrail made; offsets are in the text that the guardrail was given."""

    start: Count
    end: Count
    original: str
    replacement: str
    reason: str


class GroundingRecord(Record):
    """One number of the answer and where it comes from."""

    number: str
    source: str
    source_text: str


class GuardrailCheck(Record):
    """One verdict of one gate, governance rule or output guardrail. `code` is null on allow."""

    point: Literal["model_call", "tool_call", "observation", "response"]
    step: Count
    call_id: OutsideText | None
    guard: str
    verdict: Literal["allow", "deny", "rewrite"]
    code: str | None
    detail: str
    corrections: tuple[CorrectionRecord, ...] = ()
    groundings: tuple[GroundingRecord, ...] = ()


class Cost(Record):
    """What the run cost at the recorded price."""

    amount: DecimalText
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class RunError(Record):
    """Why a run broke: a stable code and a message that holds no secret."""

    code: str
    message: str


class ResultSection(Record):
    """How the run ended and what the reader may see of its answer."""

    status: RunStatus
    stop_reason: StopReason
    answer_outcome: Literal["answered", "empty", "none"]
    final_output: str
    raw_output_sha256: Sha256
    corrections: Count
    model_steps: Count
    tool_calls: Count
    refused_calls: Count
    usage: Usage
    cost: Cost | None
    cost_reason: str | None
    latency_ms: Milliseconds
    error: RunError | None


class JudgmentSection(Record):
    """The verdict, derived from the assertions by `dataset.measures.verdict`."""

    judge_version: str
    verdict: Verdict
    layers: dict[LayerName, LayerVerdict]
    failure_reasons: tuple[str, ...]
    invalid_reason: str | None


class OutputCheck(Record):
    """One assertion. `subject` is canonical JSON that says what is measured (see `dataset.measures.observation`);
    it passes when `observed` stands in `relation` to `expected`."""

    id: str
    layer: LayerName
    subject: str
    relation: Literal["equals", "at_least", "at_most"]
    expected: str
    observed: str
    passed: bool
    reason: str


class Sections(Record):
    """The nine sections, in their order."""

    case: CaseSection
    provenance: ProvenanceSection
    context: ContextSection
    visible_tools: tuple[VisibleTools, ...]
    steps: tuple[Step, ...]
    guardrail_checks: tuple[GuardrailCheck, ...]
    result: ResultSection
    judgment: JudgmentSection
    output_checks: tuple[OutputCheck, ...]


SECTION_NAMES: tuple[str, ...] = tuple(Sections.model_fields)


class Artifact(Sections):
    """The whole document as it stands on disk and in PostgreSQL, sealed by `dataset.artifacts.digest`."""

    schema_: Annotated[Literal["glassbench.run/1"], Field(alias="schema")]
    run_id: Annotated[RunId, SLUG]
    salts: dict[str, Salt]
    digests: dict[str, Sha256]
    artifact_hash: Sha256
