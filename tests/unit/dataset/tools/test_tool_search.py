"""The search of the catalogue: who may find what, in which order, and what hostile queries come to."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.record import LOCALES, Locale, Localised
from dataset.tools.catalogue import Catalogue
from dataset.tools.scene import LOGIN_STATES, LoginState
from dataset.tools.search_terms import terms
from dataset.tools.tool import Tool
from dataset.tools.tool_search import (
    LONGEST_QUERY,
    MOST_FOUND,
    SEARCH_FUNCTION,
    TOOL_SEARCH,
    query_of,
    search_seal,
    search_tools,
)
from engine.governance.authorisation import Authorisation
from engine.governance.interface import CallBudget, CallView
from tests.factories.big_catalogue import big_catalogue

WORDS = ["发票", "到期", "详情", *sorted({term for name in big_catalogue().tools for term in terms(name)})]


def names(query: str, login_state: LoginState = "logged_in_assessed", locale: Locale = "en") -> list[str]:
    return [tool.name for tool in search_tools(big_catalogue(), login_state, query, locale).tools]


def small(*tools: Tool) -> Catalogue:
    return replace(big_catalogue(), tools={tool.name: tool for tool in tools})


def named(name: str, text: str = "Shows things.") -> Tool:
    tool = next(iter(big_catalogue().tools.values()))
    return tool.model_copy(
        update={"name": name, "description": Localised(en=text, zh=text), "requires_login": False, "permission": None}
    )


@given(
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join) | st.text(max_size=40),
    login_state=st.sampled_from(LOGIN_STATES),
    locale=st.sampled_from(LOCALES),
)
def test_no_tool_is_found_that_the_login_state_may_not_call(
    query: str, login_state: LoginState, locale: Locale
) -> None:
    catalogue = big_catalogue()
    reply = search_tools(catalogue, login_state, query, locale)
    for tool in reply.tools:
        assert not (tool.requires_login and login_state == "anonymous")
        assert tool.permission is None or login_state in catalogue.permissions[tool.permission].granted_to
    assert [row["name"] for row in json.loads(reply.text)["tools"]] == [tool.name for tool in reply.tools]
    assert len(set(reply.tools)) == len(reply.tools) <= MOST_FOUND


@pytest.mark.parametrize("login_state", LOGIN_STATES)
def test_the_name_of_every_tool_finds_it_exactly_where_it_is_permitted(login_state: LoginState) -> None:
    catalogue = big_catalogue()
    for name, tool in catalogue.tools.items():
        assert (name in names(name, login_state)) == catalogue.permits(tool, login_state)


def test_what_is_not_permitted_has_no_part_in_any_score() -> None:
    catalogue = big_catalogue()
    permitted = {n: t for n, t in catalogue.tools.items() if catalogue.permits(t, "anonymous")}
    without = replace(catalogue, tools=permitted)
    for query in ("who is responsible for this invoice", "发票的规定", "server"):
        assert search_tools(catalogue, "anonymous", query, "en") == search_tools(without, "anonymous", query, "en")


def test_the_filter_and_governance_are_of_one_mind() -> None:
    catalogue, rule = big_catalogue(), Authorisation()
    budget = CallBudget(calls_made=0, max_calls=1, steps_left=1, identical_executed=0, max_identical=1)
    for login_state in LOGIN_STATES:
        for tool in catalogue.tools.values():
            view = CallView(
                name=tool.name,
                arguments=None,  # type: ignore[arg-type]
                tool=tool,
                visible=frozenset(),
                login_state=login_state,
                catalogue=catalogue,
                budget=budget,
            )
            assert (rule.check(view).verdict == "allow") == catalogue.permits(tool, login_state)


def test_the_order_of_the_catalogue_is_not_the_order_of_the_answer() -> None:
    catalogue = big_catalogue()
    shuffled = list(catalogue.tools.items())
    random.Random(7).shuffle(shuffled)
    other = replace(catalogue, tools=dict(shuffled))
    for query in ("invoice overdue", "谁负责", "status", "下载附件"):
        first, second = (search_tools(c, "logged_in_assessed", query, "zh") for c in (catalogue, other))
        assert first.text == second.text


def test_equally_good_tools_stand_by_name() -> None:
    catalogue = small(*(named(f"thing_{letter}") for letter in "gbfadce"))
    found = search_tools(catalogue, "anonymous", "things", "en").tools
    assert [tool.name for tool in found] == ["thing_a", "thing_b", "thing_c", "thing_d", "thing_e"]


@pytest.mark.parametrize(
    ("query", "recorded"),
    [
        ("which invoices are late", "invoice_overdue coupon_overdue parcel_overdue supplier_overdue invoice_history"),
        (
            "报销单批准了吗",
            "expense_claim_status expense_claim_list expense_claim_history expense_claim_search expense_claim_compare",
        ),
        (
            "password",
            "password_reset_history password_reset_search password_reset_compare password_reset_files "
            "password_reset_policy",
        ),
    ],
)
def test_the_order_is_the_one_that_was_recorded(query: str, recorded: str) -> None:
    """A library or a table that changes an order changes what `verify` finds: that takes a new version."""
    assert SEARCH_FUNCTION == "tool_search/1"
    assert names(query) == recorded.split()


@pytest.mark.parametrize("query", ["", " \n", "???", "\x00\x1b[31m\u202e\u200b", "的了吗", "the of and", "xyzzy"])
def test_a_query_that_says_nothing_finds_nothing(query: str) -> None:
    reply = search_tools(big_catalogue(), "logged_in_assessed", query, "en")
    assert (reply.tools, reply.text) == ((), '{"tools":[]}')


def test_an_empty_catalogue_and_one_without_words_find_nothing() -> None:
    assert search_tools(small(), "logged_in", "invoice", "en").tools == ()
    assert search_tools(small(named("q", "???")), "logged_in", "invoice", "en").tools == ()


def test_a_query_in_full_width_or_capitals_is_the_same_query() -> None:
    assert names("INVOICE overdue") == names("invoice overdue") == names("invoice overdue")


def test_the_reply_is_in_the_language_of_the_run() -> None:
    english, chinese = (search_tools(big_catalogue(), "logged_in", "发票", locale) for locale in LOCALES)
    assert english.tools == chinese.tools
    assert english.tools[0].description.en in english.text
    assert chinese.tools[0].description.zh in chinese.text
    assert english.seal == search_seal(english.text) != chinese.seal


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "x" * (LONGEST_QUERY + 1)},
        {"query": "x" * 10_000},
        {"query": 7},
        {"query": None},
        {"query": ["a"]},
        {"query": "a", "limit": 500},
        [],
        None,
        "invoice",
    ],
)
def test_other_arguments_are_no_query(arguments: object) -> None:
    assert query_of(arguments) is None
    assert TOOL_SEARCH.argument_faults(arguments)


def test_a_query_of_the_longest_is_taken() -> None:
    assert query_of({"query": "发" * LONGEST_QUERY}) == "发" * LONGEST_QUERY
