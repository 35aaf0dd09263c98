"""The searches of a run under the delivery mode `search`: how its tools were delivered, not what it is judged by."""

from __future__ import annotations

from collections.abc import Iterable

from dataset.artifacts.artifact import Step, ToolStep
from dataset.measures.recorded_call import call_arguments
from dataset.record import Locale
from dataset.tools.catalogue import Catalogue
from dataset.tools.scene import LoginState
from dataset.tools.tool import Tool
from dataset.tools.tool_search import TOOL_SEARCH, SearchReply, query_of, search_tools


def is_search(step: ToolStep) -> bool:
    """Whether a call was one of the built-in search, answered or refused. Where tools aren't searched there is no tool
    of its name, and so no version: a model that calls it all the same has made a wrong call like any other."""
    return step.tool == TOOL_SEARCH.name and step.tool_version is not None


def search_of(step: ToolStep, catalogue: Catalogue, login_state: LoginState, locale: Locale) -> SearchReply | None:
    """What the catalogue answers to a search; None where its recorded arguments are no query."""
    query = query_of(call_arguments(step))
    return None if query is None else search_tools(catalogue, login_state, query, locale)


def searched_tools(
    steps: Iterable[Step], catalogue: Catalogue, login_state: LoginState, locale: Locale
) -> tuple[Tool, ...]:
    """What a model sees behind these steps: the search itself, then what their answered searches found, in the order
    in which it was found, each once."""
    loaded = {TOOL_SEARCH.name: TOOL_SEARCH}
    for step in steps:
        if isinstance(step, ToolStep) and is_search(step) and step.outcome == "executed":
            reply = search_of(step, catalogue, login_state, locale)
            for tool in reply.tools if reply else ():
                loaded.setdefault(tool.name, tool)
    return tuple(loaded.values())
