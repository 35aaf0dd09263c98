"""Pages written by hand in Markdown: the only Markdown there is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

_ANCHOR = re.compile(r"\s*\{#([a-z0-9-]+)\}$")


def render_markdown(text: str) -> Markup:
    """The HTML of a Markdown text. HTML inside it stays text; tables scroll in a region of their own."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    tokens = parser.parse(text)
    heading = ""
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _named(token, tokens[position + 1])
        elif token.type == "table_open":
            token.meta["label"] = heading
        elif token.type == "th_open":
            token.attrSet("scope", "col")
    html = parser.renderer.render(tokens, parser.options, {})
    # Markup holds here and nowhere else: the text is ours and markdown-it has escaped all HTML in it.
    return Markup(html)


def _named(heading: Token, inline: Token) -> str:
    """The words of a heading, whose anchor is set: the one that it names at its end as `{#anchor}`, so that an anchor
    is the same in every language, or else its words."""
    found = _ANCHOR.search(inline.content)
    if found is not None and inline.children:
        inline.children[-1].content = inline.children[-1].content[: -len(found.group())]
    words = inline.content[: found.start()] if found is not None else inline.content
    heading.attrSet("id", found.group(1) if found is not None else _anchor(words))
    return words


def _table_open(_renderer: RendererHTML, tokens: Sequence[Token], position: int, *_: object) -> str:
    label = escape(tokens[position].meta["label"])
    return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">\n<table>\n'


def _table_close(*_: object) -> str:
    return "</table>\n</div>\n"


def _anchor(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.lower()).split())
