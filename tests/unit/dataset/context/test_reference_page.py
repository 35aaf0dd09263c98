"""The worked example of docs/reference/context.md is what the code gives, and its codes are the code's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from dataset.context.budgeted import Budgeted
from dataset.context.framing import data_messages, instruction_tokens, laid_out_tokens
from dataset.context.full import Full
from dataset.context.interface import ContextBudgetError, ContextStrategy, Decision
from dataset.context.item import ContextItem, session_item
from dataset.context.recent_n import RecentN
from dataset.context.single_summary import SingleSummary
from dataset.questions.session import SessionItem
from dataset.questions.session_check import SessionFaultCode
from tests.factories.context_items import question, system

PAGE = Path(__file__).parents[4].joinpath("docs/reference/context.md").read_text("utf-8")


def example() -> dict[str, Any]:
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    given: dict[str, Any] = yaml.safe_load(found.group(1))
    return given


def example_items() -> tuple[ContextItem, ...]:
    given = example()
    entries = [SessionItem.model_validate({**e, "text": {"en": e["text"], "zh": "-"}}) for e in given["session"]]
    return (system(given["system"]), *(session_item(e, "en") for e in entries), question(given["question"]))


def shown(decisions: Sequence[Decision]) -> str:
    """The decisions as a table, what they take, and the messages in which the model reads them."""
    rows = [f"| `{d.item.id}` | {d.kind} | {d.item.tokens} | {d.working_tokens} | {d.reason} |" for d in decisions]
    table = "\n".join(["| item | decision | tokens | given | reason |", "|---|---|---|---|---|", *rows])
    instructions = "\n\n".join(d.item.text for d in decisions if d.item.instructs)
    parts = [f"<<< system, {instruction_tokens([d.item for d in decisions])} tokens", instructions]
    for message in data_messages(decisions):
        parts += [f"<<< {message.role}, {message.tokens} tokens", message.text]
    return f"{table}\n\nIt takes {laid_out_tokens(decisions)} tokens:\n\n```text\n" + "\n".join(parts) + "\n```\n"


def section(name: str) -> str:
    """What the page shows of a strategy's example, from the table to the end of the messages."""
    text = PAGE.split(f"\n### `{name}`\n", 1)[1]
    return text[text.index("| item |") : text.index("\n```\n") + 5]


def strategies() -> list[ContextStrategy]:
    return [RecentN(window=example()["window"]), SingleSummary(), Budgeted()]


@pytest.mark.parametrize("strategy", strategies(), ids=lambda s: s.name)
def test_the_page_shows_what_the_strategy_decides(strategy: ContextStrategy) -> None:
    assert section(strategy.name) == shown(strategy.decide(example_items(), budget=example()["budget"]))


def test_the_page_shows_how_full_fails_and_what_it_needs() -> None:
    with pytest.raises(ContextBudgetError) as raised:
        Full().decide(example_items(), budget=example()["budget"])
    assert raised.value.message in PAGE
    needed = int(re.findall(r"context needs (\d+) tokens", raised.value.message)[0])
    assert section("full") == shown(Full().decide(example_items(), budget=needed))


def test_every_code_of_the_rules_is_explained() -> None:
    assert set(re.findall(r"CONTEXT-ITEM-\d{3}", PAGE)) == set(get_args(SessionFaultCode))
    assert "CONTEXT-BUDGET-001" in PAGE
