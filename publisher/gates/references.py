"""`GATE-REF`: whatever a batch or a run refers to is in the bank, with the content that the reference pins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dataset.artifacts.artifact import Artifact, ToolStep
from dataset.canonical import Json
from dataset.measures.recorded_call import call_arguments
from dataset.measures.searches import is_search, search_of
from dataset.questions.pack import Pack
from dataset.questions.prompt import Prompt
from dataset.questions.variant import Variant
from dataset.record import reference
from dataset.tools.tool import Tool
from dataset.tools.tool_search import TOOL_SEARCH
from publisher.gates.interface import Account, Exhibit, Fault, RunExhibit
from publisher.verification.difference import compare
from publisher.verification.replies import computed_reply, reply_seal

NO_PACK = "GATE-REF-001"
DEFINITION_ENTRY = "GATE-REF-002"
TOOL = "GATE-REF-003"
REPLY = "GATE-REF-004"
NOT_THERE = "not in the bank"
NOT_OF_THE_BANK = {"template", "models", "judge_version", "code", "replay_of"}
"""What a definition says that no bank holds; a template's hash is compared in its place."""


class References:
    """`-001` the pack is gone, `-002` an entry of the definition is not the bank's, `-003` a tool of a run isn't,
    `-004` a reply of a run was not what the frozen set or the pure function gives."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The definition against the pack."""
        pack, definition = batch.head.pack, batch.definition
        if definition is None:
            return
        if pack is None:
            name = reference(definition.pack.id, definition.pack.version)
            yield batch.fault(NO_PACK, f"pack {name} can't be read from the bank: {batch.head.pack_fault}")
            return
        frozen = definition.model_dump(mode="json", exclude=NOT_OF_THE_BANK)
        held = _as_frozen(pack, frozen, definition.template.id)
        for difference in compare("not what the bank holds", held, frozen):
            detail = f"{difference.message} (expected {difference.expected}, found {difference.observed})"
            yield batch.fault(DEFINITION_ENTRY, detail, place=f"definition{difference.place}")

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The tools that a run saw and called, and the replies it was given, against the pack."""
        pack = run.batch.head.pack
        if pack is None or run.artifact is None:
            return
        yield from _visible_faults(run, run.artifact, pack)
        for step in run.artifact.steps:
            if isinstance(step, ToolStep):
                yield from _step_faults(run, run.artifact, step, pack)


def _as_frozen(pack: Pack, frozen: dict[str, Any], template_id: str) -> dict[str, Any]:
    """What the definition would say, had it been frozen on this pack today."""
    template = pack.templates.get(template_id)
    return {
        "pack": pack.reference.body(),
        "bank_hash": pack.bank_hash,
        "catalogue_hash": pack.catalogue.content_hash,
        "fixture_set": _entry(pack.fixtures.id, pack.fixtures.version, pack.fixtures.content_hash),
        "guardrails": _entry(pack.guardrails.id, pack.guardrails.version, pack.guardrails.digest()),
        "template_hash": template.digest() if template else NOT_THERE,
        "limits": pack.head.limits.body(),
        "cases": [_case(pack, case["id"]) for case in frozen["cases"]],
        "variants": [_versioned(pack.variants.get(variant["id"])) for variant in frozen["variants"]],
        "prompts": [_versioned(pack.prompts.get((entry["id"], entry["version"]))) for entry in frozen["prompts"]],
    }


def _entry(identifier: str, version: int, digest: str) -> dict[str, Json]:
    return {"id": identifier, "version": version, "hash": digest}


def _versioned(entry: Variant | Prompt | None) -> Json:
    return _entry(entry.id, entry.version, entry.digest()) if entry else NOT_THERE


def _case(pack: Pack, case_id: str) -> Json:
    question, gold = pack.questions.get(case_id), pack.golds.get(case_id)
    if question is None or gold is None:
        return NOT_THERE
    rest: dict[str, Json] = {"gold_version": gold.version, "gold_hash": gold.digest()}
    if withheld := pack.withheld(case_id):
        rest["withheld"] = list(withheld)
    return _entry(question.id, question.version, question.digest()) | rest


def _visible_faults(run: RunExhibit, artifact: Artifact, pack: Pack) -> Iterator[Fault]:
    held = (*pack.catalogue.tools.values(), *((TOOL_SEARCH,) if _searches(artifact, pack) else ()))
    known = {(tool.name, tool.version): tool.form_hash(artifact.case.locale) for tool in held}
    for position, loaded in enumerate(artifact.visible_tools):
        for index, tool in enumerate(loaded.tools):
            if known.get((tool.name, tool.version)) != tool.schema_hash:
                place = f"/visible_tools/{position}/tools/{index}"
                name = reference(tool.name, tool.version)
                yield run.fault(TOOL, "no tool of the catalogue has this name and schema", place=place, quoted=name)


def _searches(artifact: Artifact, pack: Pack) -> bool:
    """Whether the tools of a run had to be searched."""
    variant = pack.variants.get(artifact.case.variant_id)
    return variant is not None and variant.tool_delivery == "search"


def _step_faults(run: RunExhibit, artifact: Artifact, step: ToolStep, pack: Pack) -> Iterator[Fault]:
    place = f"/steps/{step.step}"
    tool = pack.catalogue.tools.get(step.tool) if isinstance(step.tool, str) else None
    if is_search(step) and _searches(artifact, pack):
        tool = TOOL_SEARCH
    if step.tool_version != (tool.version if tool else None):
        yield run.fault(TOOL, "the tool is not in the catalogue at this version", place=f"{place}/tool_version")
    elif step.outcome == "executed":
        expected = _reply_hash(artifact, step, tool, pack) if tool else None
        if expected is None or expected != step.reply_hash:
            yield run.fault(REPLY, "the reply is not the one for this tool and these arguments", place=place)
    elif step.reply_hash is not None:
        yield run.fault(REPLY, "a refused call has no reply", place=place)


def _reply_hash(artifact: Artifact, step: ToolStep, tool: Tool, pack: Pack) -> str | None:
    """The hash of the reply that this call has, None where it has none."""
    if tool is TOOL_SEARCH:
        found = search_of(step, pack.catalogue, artifact.case.login_state, artifact.case.locale)
        return found.seal if found else None
    arguments = call_arguments(step)
    if not isinstance(arguments, dict):
        return None
    if tool.function is not None:
        reply = computed_reply(tool.function, arguments)
        return reply_seal(tool.function, reply) if reply else None
    frozen = pack.fixtures.find(tool.name, tool.version, arguments)
    return frozen.recorded_hash if frozen and frozen.intact else None
