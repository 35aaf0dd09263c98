"""`glassbench run show RUN`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import printable

if TYPE_CHECKING:
    from dataset.artifacts.artifact import Artifact, Step


SHOWN_CHARACTERS = 160


def run_show(
    run_id: Annotated[str, typer.Argument(help="The run: batch id, hyphen, position.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the artifact, byte for byte.")] = False,
) -> None:
    """Show one run: verdict, timeline, assertions, hash."""
    from dataset.artifacts.digest import open_artifact
    from dataset.errors import GlassbenchError
    from dataset.record import RunId
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
    for line in _lines(open_artifact(data, name=run_id)):
        print(printable(line))


def _lines(artifact: Artifact) -> list[str]:
    case, result, judgment = artifact.case, artifact.result, artifact.judgment
    model = artifact.provenance.model
    lines = [
        f"{artifact.run_id}: {judgment.verdict.upper()}",
        f"model     {model.display_name}{' (synthetic)' if model.synthetic else ''}",
        f"case      {case.case_id} v{case.version}, {case.variant_id}, repeat {case.repeat}, {case.login_state}",
        f"question  {case.question}",
        f"status    {result.status}, stop reason {result.stop_reason}, {result.latency_ms} ms",
        "timeline",
        *(f"  {_step_line(step)}" for step in artifact.steps),
        f"answer    {result.final_output or '(none)'}",
        f"          {result.corrections} guardrail corrections",
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
