"""The meta-tool of the delivery mode `search`: a model finds tools of the catalogue by it, then calls them by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dataset.canonical import canonical_text, content_hash
from dataset.record import Locale, Localised
from dataset.tools.catalogue import Catalogue
from dataset.tools.scene import LoginState
from dataset.tools.tool import Tool

MOST_FOUND = 5
"""How many tools one search loads at most."""
LONGEST_QUERY = 200
SEARCH_FUNCTION = "tool_search/1"
"""The name and version of what answers a search; another ranking or another form of the reply is a new version."""

TOOL_SEARCH = Tool(
    name="tool_search",
    version=1,
    access="pure",
    semantics="reference_data",
    description=Localised(
        en="Finds the tools that can help with a task. Say in a few words what you need, in English or Chinese. The "
        f"best matches, {MOST_FOUND} at most, are loaded: from your next turn on you can call them by their names. "
        "Search again for other tools.",
        zh="查找能完成某项任务的工具。用几个词说明需要什么,中文或英文均可。最匹配的工具(最多 "
        f"{MOST_FOUND} 个)会被装载,从下一轮起可以按名称调用。需要其他工具时再次查找。",
    ),
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}},
        "required": ["query"],
        "additionalProperties": False,
    },
    function=SEARCH_FUNCTION,
)
"""It stands in no catalogue, and no tool of a pack may have its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchReply:
    """What one search found, best first, and the text that says so: canonical JSON, an empty list for nothing."""

    tools: tuple[Tool, ...]
    text: str

    @property
    def seal(self) -> str:
        """The hash under which the reply is recorded."""
        return search_seal(self.text)


def search_tools(catalogue: Catalogue, login_state: LoginState, query: str, locale: Locale) -> SearchReply:
    """The answer to a query: a tool that the login state may not call isn't even looked at."""
    found = catalogue.ranking(login_state).best(query, MOST_FOUND)
    listed = [{"name": tool.name, "description": tool.description.to(locale)} for tool in found]
    return SearchReply(tools=found, text=canonical_text({"tools": listed}))


def search_seal(text: str) -> str:
    """The hash of the text of a reply, which may stand rewritten in a run."""
    return content_hash({"function": SEARCH_FUNCTION, "text": text})


def query_of(arguments: Any) -> str | None:
    """The query of arguments that the meta-tool takes; None for any others."""
    return None if TOOL_SEARCH.argument_faults(arguments) else str(arguments["query"])
