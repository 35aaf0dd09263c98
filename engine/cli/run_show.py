"""`glassbench run show RUN`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from dataset.console import counted, print_table, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dataset.artifacts.artifact import Artifact, ContextSection, Step
    from dataset.store.attempt import AttemptRow
    from dataset.store.batch_figures import Revision

SHOWN_CHARACTERS = 160


def run_show(
    run_id: Annotated[str, typer.Argument(help="The run: batch id, hyphen, position.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the artifact, byte for byte.")] = False,
) -> None:
    """Show one run: verdict, timeline, assertions, hash, what its attempts cost, and the runs it supersedes."""
    from dataset.artifacts.digest import open_artifact
    from dataset.errors import GlassbenchError
    from dataset.record import RunId
    from dataset.store.batch_figures import revisions
    from dataset.store.batches import get_batch
    from dataset.store.ledger_rows import list_attempts
    from dataset.store.runs import artifact_bytes
    from dataset.store.session import open_database

    with open_database() as database:
        data = artifact_bytes(database, RunId(run_id))
        if data is None:
            raise GlassbenchError(
                f"run {run_id} has no artifact yet",
                code="RUN-MISSING-001",
                hint=f"`glassbench run events {run_id}` shows what it has done so far",
            )
        if as_json:
            sys.stdout.buffer.write(data)
            return
        artifact = open_artifact(data, name=run_id)
        replayed = get_batch(database, artifact.provenance.batch_id).definition.replay_of
        with database.transaction() as connection:
            chain = revisions(connection, RunId(run_id))
            attempts = list_attempts(connection, batch_id=artifact.provenance.batch_id, run_id=run_id)
    for line in (*_lines(artifact), *_chain_lines(run_id, chain)):
        print(printable(line))
    if replayed is not None:
        print(f"replays   {replayed}: its recorded answers were judged again")
    _print_attempts(attempts)


def _chain_lines(run_id: str, chain: Sequence[Revision]) -> list[str]:
    """The revisions of a run that was tried again, and which of them counts."""
    if len(chain) < 2:
        return []
    lines = ["revisions"]
    for found in chain:
        marks = ["this one"] if found.run_id == run_id else []
        marks += ["counts"] if found is chain[-1] else []
        mark = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  {found.run_id}: {found.verdict or 'not recorded yet'}{mark}")
    return lines


def _print_attempts(attempts: Sequence[AttemptRow]) -> None:
    from engine.cli.ledger_show import STATES, paid

    if not attempts:
        print("attempts  none in the ledger")
        return
    print_table(
        "Attempts in the ledger",
        ("#run attempt", "#step", "#try", "state", "#tokens in", "#tokens out", "#cost", "#HTTP status", "code"),
        [
            (
                a.run_attempt,
                a.step,
                a.ordinal,
                STATES[a.state],
                a.actual_input if a.actual_input is not None else _reserved(a.reserved_input),
                a.actual_output if a.actual_output is not None else _reserved(a.reserved_output),
                paid(a.actual_cost, a.currency) if a.actual_cost is not None else None,
                a.status,
                a.code,
            )
            for a in attempts
        ],
    )


def _reserved(tokens: int | None) -> str | None:
    return None if tokens is None else f"{tokens} reserved"


def _lines(artifact: Artifact) -> list[str]:
    case, result, judgment = artifact.case, artifact.result, artifact.judgment
    model = artifact.provenance.model
    lines = [
        f"{artifact.run_id}: {judgment.verdict.upper()}",
        f"model     {model.display_name}{' (synthetic)' if model.synthetic else ''}",
        f"case      {case.case_id} v{case.version}, {case.variant_id}, repeat {case.repeat}, {case.login_state}",
        f"question  {case.question}",
        f"status    {result.status}, stop reason {result.stop_reason}, {result.latency_ms} ms",
        f"context   {_context_line(artifact.context)}",
        "timeline",
        *(f"  {_step_line(step)}" for step in artifact.steps),
        f"answer    {result.final_output or '(none)'}",
        f"          {counted(result.corrections, 'guardrail correction')}",
    ]
    if result.error:
        lines.append(f"error     {result.error.code}: {result.error.message}")
    refusals = [check for check in artifact.guardrail_checks if check.verdict == "deny"]
    lines += [f"denied    {check.code} at step {check.step}: {check.detail}" for check in refusals]
    lines.append("assertions")
    lines += [
        f"  {'ok  ' if check.passed else 'FAIL'} {check.id}: {check.reason}; observed {check.observed}"
        for check in sorted(artifact.output_checks, key=lambda check: check.passed)
    ]
    lines.append(f"hash      {artifact.artifact_hash}")
    return lines


def _context_line(context: ContextSection) -> str:
    """Strategy, budget, tokens and how many items had which end."""
    from dataset.context.interface import DecisionKind

    ends = Counter(item.decision for item in context.items)
    told = ", ".join(f"{ends[end]} {end}" for end in get_args(DecisionKind) if ends[end])
    budget = f"{context.budget:,} tokens"
    if context.opening_budget not in (None, context.budget):
        budget += f", {context.opening_budget:,} of them for the opening"
    tokens = f"{context.original_tokens:,} → {context.working_tokens:,} tokens"
    return f"{context.strategy}, budget {budget}; {counted(len(context.items), 'item')}: {told}; {tokens}"


def _step_line(step: Step) -> str:
    from dataset.artifacts.outside_text import shown

    if step.kind == "tool":
        code = f" {step.code}" if step.code else ""
        seen = _shortened(shown(step.result))
        return f"{step.step:2} tool  {shown(step.tool)}({shown(step.arguments_raw)}) → {step.outcome}{code}: {seen}"
    if step.error:
        return f"{step.step:2} model failed: {step.error}"
    calls = ", ".join(shown(call.name) for call in step.tool_calls)
    said = _shortened(shown(step.text)) if step.text else ""
    return f"{step.step:2} model {said}{' calls ' + calls if calls else ''}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
