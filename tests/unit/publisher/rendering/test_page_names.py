"""Every page has a place of its own, whatever somebody calls a tool, a code or a model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from publisher.rendering import page_names
from publisher.rendering.page_names import (
    batch_model_page,
    batch_page,
    batch_section_page,
    below,
    beside_page,
    board_page,
    card_file,
    case_page,
    code_page,
    compare_page,
    comparisons_page,
    model_page,
    numbered,
    release_page,
    run_page,
    tool_page,
)


@pytest.mark.parametrize("name", ["../up", "a/b", "con", "NUL", "a b", "名", ".hidden", "x" * 81, "a..b", ""])
@pytest.mark.parametrize("page", [tool_page, code_page])
def test_a_foreign_name_stands_under_a_hash(page: Callable[[str], str], name: str) -> None:
    file = page(name).partition("/")[2]
    assert file.startswith("x-")
    assert len(file) == len("x-") + 16 + len(".html")
    assert page(name) != page(f"{name}!")


@pytest.mark.parametrize("name", ["fund_nav", "G3-AUTH-001", "answer.number"])
def test_a_plain_name_stands_as_it_is(name: str) -> None:
    assert tool_page(name) == f"tools/{name}.html"


def test_a_long_page_goes_on_beside_its_first() -> None:
    assert [numbered("boards/english.html", number) for number in (1, 2, 10)] == [
        "boards/english.html",
        "boards/english.2.html",
        "boards/english.10.html",
    ]
    assert below("boards/english.html", "plots") == "boards/english/plots.html"
    assert card_file("boards/english.html") == "cards/boards/english.png"


def test_no_two_kinds_share_a_page() -> None:
    pages = [
        run_page("a"), batch_page("a"), batch_model_page("a", "m"), batch_section_page("a", "changes"), board_page("a"),
        case_page("a"), model_page("a"), tool_page("a"), code_page("a"), release_page(1), compare_page("a", "m"),
        comparisons_page("a"), beside_page("a", "b"), numbered(batch_page("a"), 2),
        *(value for name, value in vars(page_names).items() if name.isupper() and isinstance(value, str)),
    ]  # fmt: skip
    assert len(set(pages)) == len(pages)
    assert len({page.casefold() for page in pages}) == len(pages)
