"""A script that ships is its source without what only a reader needs, and does the same."""

from __future__ import annotations

import pytest

from publisher.rendering.site.assets import _lean, _squeezed


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("const one = { two: 2 };", "const one={two:2};"),
        ("if (a === b && c !== d) {", "if(a===b&&c!==d){"),
        ("const f = (x) => x ?? 0;", "const f=(x)=>x??0;"),
        ('say("a  =  b", c)', 'say("a  =  b",c)'),
        ("const t = `a = ${ b } , c`;", "const t=`a = ${ b } , c`;"),
        ('at("x") + at("y = z")', 'at("x")+ at("y = z")'),
    ],
)
def test_spaces_beside_operators_go_and_those_in_texts_stay(line: str, sent: str) -> None:
    assert _squeezed(line) == sent


@pytest.mark.parametrize(
    "line",
    [
        "const found = /a = b/.exec(c);",
        "return text.replace(/ , /g, x);",
        "const word = 'a = b';",
        'const quoted = "a \\" = \\" b";',
        'const open = "a = b',
        "const half = a / b;",
    ],
)
def test_a_line_with_a_regular_expression_or_any_other_text_stays_as_it_is(line: str) -> None:
    assert _squeezed(line) == line


def test_comments_on_lines_of_their_own_and_indentation_go() -> None:
    assert _lean("// what\n/* and\n * why */\n  let a = 1;\n\n  use(a);\n") == "let a=1;\nuse(a);\n"
