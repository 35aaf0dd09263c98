"""Whether a model saw the tools that the catalogue gives, and every search was answered out of it: all made again."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact, ToolStep, VisibleTool
from dataset.canonical import Json
from dataset.measures.searches import is_search, search_of
from dataset.measures.tool_delivery import delivered_tools
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool
from dataset.tools.tool_search import TOOL_SEARCH
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.run_check import shows


def loaded_differences(artifact: Artifact, variant: Variant, catalogue: Catalogue) -> Iterator[Difference]:
    """Every visible tool that isn't what the catalogue gives a run of this variant. What a run searched for can't be
    told where its steps are withheld."""
    if variant.tool_delivery == "search" and not shows(artifact, "steps"):
        return
    for position, loaded in enumerate(artifact.visible_tools):
        place = f"/visible_tools/{position}/tools"
        try:
            wanted = tools_before(artifact, variant, catalogue, loaded.step)
        except LookupError:
            yield fault(place, "the catalogue doesn't have the scene, or a tool of it")
            continue
        expected: list[Json] = [_visible(tool, variant) for tool in wanted]
        found: list[Json] = [tool.body() for tool in loaded.tools]
        for difference in compare("is not what the catalogue delivers here", expected, found):
            yield difference.within_pointer(place)


def called_differences(artifact: Artifact, variant: Variant, catalogue: Catalogue) -> Iterator[Difference]:
    """Every called tool and answered search that isn't what the catalogue has."""
    for position, step in enumerate(artifact.steps):
        if isinstance(step, ToolStep):
            for difference in _step_differences(artifact, step, variant, catalogue):
                yield difference.within_pointer(f"/steps/{position}")


def tools_before(artifact: Artifact, variant: Variant, catalogue: Catalogue, step: int) -> tuple[Tool, ...]:
    """What the model step with this number has to see; LookupError where the catalogue lacks the scene."""
    case = artifact.case
    steps = artifact.steps[:step] if shows(artifact, "steps") else ()
    return delivered_tools(variant, catalogue, scene=case.scene, login_state=case.login_state, steps=steps)


def _visible(tool: Tool, variant: Variant) -> Json:
    return VisibleTool(name=tool.name, version=tool.version, schema_hash=tool.form_hash(variant.locale)).body()


def _step_differences(
    artifact: Artifact, step: ToolStep, variant: Variant, catalogue: Catalogue
) -> Iterator[Difference]:
    """A call against the tool that it names, and a search against what the catalogue answers to it."""
    tool = catalogue.tools.get(step.tool) if isinstance(step.tool, str) else None
    if variant.tool_delivery == "search" and step.tool == TOOL_SEARCH.name:
        tool = TOOL_SEARCH
    expected: Json = {
        "tool_version": tool.version if tool else None,
        "untrusted": tool is not None and tool.untrusted_output,
    }
    yield from compare(
        "is not how the catalogue has the tool",
        expected,
        {"tool_version": step.tool_version, "untrusted": step.untrusted},
    )
    if not shows(artifact, "case"):
        return  # what a search finds hangs on the login state
    if tool is TOOL_SEARCH and is_search(step) and step.outcome == "executed":
        reply = search_of(step, catalogue, artifact.case.login_state, variant.locale)
        if reply is None:
            yield fault("/arguments_parsed", "is no query that can be searched for")
        else:
            # the hash is of the text before any rule rewrote it; that they are of one another `replies` sees to
            yield from (
                difference.within_pointer("/reply_hash")
                for difference in compare("is not what a search of the catalogue finds", reply.seal, step.reply_hash)
            )
