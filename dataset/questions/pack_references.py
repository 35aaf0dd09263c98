"""Whether the entries of a pack fit each other: every name leads somewhere, every gold can be met."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import get_args

from dataset.canonical import CanonicalError, read_strict
from dataset.fixtures.fixture import Fixture
from dataset.questions.gold import CallPattern, CaseSource, Gold
from dataset.questions.pack_draft import PackDraft
from dataset.questions.pack_entry import Entry
from dataset.questions.pack_fault import PackFault
from dataset.questions.pack_session import session_pack_faults
from dataset.questions.pack_withholding import withholding_faults
from dataset.questions.question import Question
from dataset.questions.template import Template
from dataset.questions.variant import differing_axes
from dataset.record import LOCALES, reference
from dataset.tools.scene import LOGIN_STATES
from dataset.tools.tool import Tool

Faults = Iterator[PackFault]


def reference_faults(draft: PackDraft, known_metrics: Collection[str] | None) -> Faults:
    """Every reference that leads nowhere and every pair of entries that contradict each other.

    `known_metrics` are the ids that a template may name; None leaves them unchecked.
    """
    yield from _tools(draft)
    yield from _scenes(draft)
    yield from _fixtures(draft)
    yield from _cases(draft)
    yield from withholding_faults(draft)
    yield from _prompts(draft)
    yield from _variants(draft)
    for entry in draft.templates.values():
        yield from _template(draft, entry, known_metrics)
    for transcript in draft.transcripts.values():
        if not draft.knows("case", transcript.record.case_id):
            yield transcript.fault("PACK-REF-004", f"unknown case {transcript.record.case_id!r}", "case_id")


def _tools(draft: PackDraft) -> Faults:
    for entry in draft.tools.values():
        permission = entry.record.permission
        if permission is not None and not draft.knows("permissions", permission):
            yield entry.fault("PACK-REF-002", f"unknown permission {permission!r}", "permission")


def _scenes(draft: PackDraft) -> Faults:
    for entry in draft.scenes.values():
        for state in LOGIN_STATES:
            names = entry.record.tools.to(state)
            for i, name in enumerate(names):
                if not draft.knows("tool", name):
                    yield entry.fault("PACK-REF-001", f"unknown tool {name!r}", "tools", state, i)
                elif name in names[:i]:
                    yield entry.fault("PACK-DUP-002", f"tool {name!r} is listed twice", "tools", state, i)


def _fixtures(draft: PackDraft) -> Faults:
    for entry in draft.fixtures.values():
        fixture = entry.record
        tool = draft.tools.get(fixture.tool)
        if tool is not None:
            yield from _fixture(entry, tool.record)
        elif not draft.knows("tool", fixture.tool):
            yield entry.document.fault("PACK-REF-001", ("tool",), f"unknown tool {fixture.tool!r}")


def _fixture(entry: Entry[Fixture], tool: Tool) -> Faults:
    fixture, document = entry.record, entry.document
    if fixture.tool_version != tool.version:
        name = reference(fixture.tool, fixture.tool_version)
        message = f"{name} is not in the catalogue, which holds version {tool.version}"
        yield document.fault("PACK-FIXTURE-001", ("tool_version",), message)
        return
    if tool.access != "read":
        yield document.fault("PACK-FIXTURE-004", ("tool",), f"a {tool.access} tool is never answered by a fixture")
        return
    if faults := tool.argument_faults(fixture.arguments):
        yield entry.fault("PACK-FIXTURE-002", f"the arguments don't fit the tool's schema: {'; '.join(faults)}")
    if fixture.reply.lstrip().startswith(("{", "[")) and entry.path[2] == "arguments":
        try:
            read_strict(fixture.reply.encode(), allow_floats=True)
        except CanonicalError as error:
            where = (*entry.path[:2], "reply")
            yield document.fault("PACK-FIXTURE-003", where, f"the reply starts like JSON but is {error.message}")


def _cases(draft: PackDraft) -> Faults:
    for name, question in draft.questions.items():
        scene = question.record.scene
        if not draft.knows("scenes", scene):
            yield question.fault("PACK-REF-003", f"unknown scene {scene!r}", "scene")
        yield from session_pack_faults(question)
        gold = draft.golds.get(name)
        if gold is not None:
            yield from _gold(draft, question.record, gold)


def _gold(draft: PackDraft, question: Question, entry: Entry[Gold]) -> Faults:
    gold = entry.record
    if gold.question_version != question.version:
        message = f"the gold is for version {gold.question_version}, the question has version {question.version}"
        yield entry.fault("PACK-GOLD-003", message, "question_version")
    for i, call in enumerate(gold.tools.must):
        if not draft.knows("tool", call.tool):
            yield entry.fault("PACK-REF-001", f"unknown tool {call.tool!r}", "tools", "must", i, "tool")
        elif call.tool in draft.tools:
            yield from _call(draft, question, entry, i, call)
    for key, names in (("may", gold.tools.may), ("must_not", gold.tools.must_not)):
        for i, tool in enumerate(names):
            if not draft.knows("tool", tool):
                yield entry.fault("PACK-REF-001", f"unknown tool {tool!r}", "tools", key, i)
    for i, number in enumerate(gold.answer.numbers):
        if number.source not in get_args(CaseSource) and not draft.knows("tool", number.source):
            yield entry.fault("PACK-REF-001", f"unknown tool {number.source!r}", "answer", "numbers", i, "source")


def _call(draft: PackDraft, question: Question, entry: Entry[Gold], i: int, call: CallPattern) -> Faults:
    tool = draft.tools[call.tool].record
    properties = tool.parameters.get("properties", {})
    for argument, pattern in call.arguments.items():
        where = ("tools", "must", i, "arguments", argument)
        if argument not in properties:
            yield entry.fault("PACK-GOLD-004", f"{call.tool!r} takes no argument {argument!r}", *where)
        elif call.outcome == "executed":
            for j, value in enumerate(pattern.any_of):
                plain = list(value) if isinstance(value, tuple) else value
                if not tool.takes(argument, plain):
                    yield entry.fault("PACK-GOLD-004", f"{call.tool!r} never takes {value!r}", *where, "any_of", j)
    if call.outcome == "executed" and (reason := _never_executed(draft, question, tool)):
        yield entry.fault("PACK-GOLD-005", f"{call.tool!r} can't be executed: {reason}", "tools", "must", i, "tool")


def _never_executed(draft: PackDraft, question: Question, tool: Tool) -> str | None:
    """Why governance always refuses a tool in the question's scene and login state, or None."""
    state = question.login_state
    scene = draft.scenes.get(question.scene)
    if scene is not None and tool.name not in scene.record.tools.to(state):
        return f"it isn't loaded in scene {question.scene!r} for login state {state!r}"
    if tool.access == "write":
        return "it writes"
    if tool.requires_login and state == "anonymous":
        return "it needs a login"
    permission = draft.permissions.get(tool.permission or "")
    if permission is not None and state not in permission.record.granted_to:
        return f"login state {state!r} lacks permission {tool.permission!r}"
    return None


def _prompts(draft: PackDraft) -> Faults:
    for (name, version), texts in draft.prompt_texts.items():
        for locale in LOCALES:
            if locale not in texts:
                file = f"prompts/{name}.v{version}.{locale}.md"
                message = f"the text for locale {locale!r} is missing"
                yield PackFault(code="PACK-LOCALE-001", file=file, line=1, path="", message=message)


def _variants(draft: PackDraft) -> Faults:
    for entry in draft.variants.values():
        prompt = (entry.record.prompt, entry.record.prompt_version)
        if prompt not in draft.prompt_texts:
            yield entry.fault("PACK-REF-005", f"unknown prompt {reference(*prompt)}", "prompt")


def _template(draft: PackDraft, entry: Entry[Template], known_metrics: Collection[str] | None) -> Faults:
    template = entry.record
    if template.cases == "all" and "case" not in draft.unread and not draft.declared.get("case"):
        yield entry.fault("PACK-REF-004", "the pack holds no case", "cases")
    for i, case in enumerate(() if template.cases == "all" else template.cases):
        if not draft.knows("case", case):
            yield entry.fault("PACK-REF-004", f"unknown case {case!r}", "cases", i)
    for i, variant in enumerate(template.variants):
        if not draft.knows("variants", variant):
            yield entry.fault("PACK-REF-006", f"unknown variant {variant!r}", "variants", i)
    for i, metric in enumerate(template.metrics):
        if known_metrics is not None and metric not in known_metrics:
            yield entry.fault("PACK-REF-007", f"unknown metric {metric!r}", "metrics", i)
    for i, contrast in enumerate(template.contrasts):
        pairs = [[draft.variants[name].record for name in pair if name in draft.variants] for pair in contrast.pairs]
        differing = {differing_axes(*pair) for pair in pairs if len(pair) == 2}
        if wrong := sorted(axes for axes in differing if len(axes) != 1):
            message = f"the two variants must differ in exactly one axis, not in {', '.join(wrong[0]) or 'none'}"
            yield entry.fault("PACK-CONTRAST-001", message, "contrasts", i)
        elif len(differing) > 1:
            named = " and ".join(sorted(axes[0] for axes in differing))
            message = f"its pairs differ in {named}: a contrast has one axis"
            yield entry.fault("PACK-CONTRAST-001", message, "contrasts", i)
