"""Pages written by hand in Markdown: the only Markdown there is."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape


def render_markdown(text: str) -> Markup:
    """The HTML of a Markdown text. HTML inside it stays text; tables scroll in a region of their own."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    tokens = parser.parse(text)
    heading = ""
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[position + 1].content
            token.attrSet("id", _anchor(heading))
        elif token.type == "table_open":
            token.meta["label"] = heading
        elif token.type == "th_open":
            token.attrSet("scope", "col")
    html = parser.renderer.render(tokens, parser.options, {})
    # Markup holds here and nowhere else: the text is ours and markdown-it has escaped all HTML in it.
    return Markup(html)


def _table_open(_renderer: RendererHTML, tokens: Sequence[Token], position: int, *_: object) -> str:
    label = escape(tokens[position].meta["label"])
    return f'<div class="scroll" role="region" aria-label="Table: {label}" tabindex="0">\n<table>\n'


def _table_close(*_: object) -> str:
    return "</table>\n</div>\n"


def _anchor(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.lower()).split())
