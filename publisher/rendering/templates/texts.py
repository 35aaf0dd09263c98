"""The texts of a template, put where they are said: what is known of them is settled when it is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from publisher.rendering.language.language import Language
from publisher.rendering.language.voice import Voice

VALUE = "value_of_text"
"""The filter that every value of a text goes through; what it gives is joined as it is."""
_FUNCTIONS = ("_", "gettext", "ngettext")


def lone_text(node: nodes.Expr) -> str | None:
    """The text that an expression says whole, whatever it is used for; None of any other expression."""
    match node:
        case nodes.Filter(
            node=nodes.Const(value=str(text)), name="_" | "gettext", args=[], kwargs=[], dyn_args=None, dyn_kwargs=None
        ) if "%" not in text:
            return text
    return None


class SettledTexts(NodeTransformer):
    """Calls of the functions of texts become filters. Where a text is printed, it stands in its place: in parts, with
    its values between, where it has some. What is printed after another is one output."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        """Every part of a node, lists of statements joined afterwards."""
        super().generic_visit(node, *args, **kwargs)
        for _, value in node.iter_fields():
            if isinstance(value, list):
                value[:] = _joined(value)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - the visitor's form
        """A function of texts is a filter, any other call stays."""
        self.generic_visit(node)
        called = node.node
        if not isinstance(called, nodes.Name) or called.name not in _FUNCTIONS or not node.args:
            return node
        first, *others = node.args
        return nodes.Filter(first, called.name, others, node.kwargs, node.dyn_args, node.dyn_kwargs, lineno=node.lineno)

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:  # noqa: N802 - the visitor's form
        """The same in as many statements as it takes."""
        self.generic_visit(node)
        return [part for child in node.nodes for part in self._printed(child)]

    def _printed(self, node: nodes.Expr) -> list[nodes.Node]:
        text = lone_text(node)
        if text is not None:
            return [_output([nodes.TemplateData(self._voice.text(text), lineno=node.lineno)], node)]
        return self._with_values(node) or [_output([node], node)]

    def _with_values(self, node: nodes.Expr) -> list[nodes.Node] | None:
        """A text with its values in their places; None where it is none, or languages order its values differently."""
        match node:
            case nodes.Filter(
                node=nodes.Const(value=str(text)), name="_" | "gettext", args=[], dyn_args=None, dyn_kwargs=None
            ) if node.kwargs:
                parts = self._parts(lambda language: language.translated(text), _values(node))
                return None if parts is None else [_output(parts, node)]
            case nodes.Filter(
                node=nodes.Const(value=str(one)),
                name="ngettext",
                args=[nodes.Const(value=str(many)), count],
                dyn_args=None,
                dyn_kwargs=None,
            ):
                return self._by_count(node, one, many, count)
        return None

    def _by_count(self, node: nodes.Filter, one: str, many: str, count: nodes.Expr) -> list[nodes.Node] | None:
        values = {"num": count, **_values(node)}
        singular = self._parts(lambda language: language.translated_plural(one, many, 1), values)
        plural = self._parts(lambda language: language.translated_plural(one, many, 2), values)
        if singular is None or plural is None:
            return None
        is_one = nodes.Compare(count, [nodes.Operand("eq", nodes.Const(1))], lineno=node.lineno)
        return [nodes.If(is_one, [_output(singular, node)], [], [_output(plural, node)], lineno=node.lineno)]

    def _parts(self, text: Callable[[Language], str], values: Mapping[str, nodes.Expr]) -> list[nodes.Expr] | None:
        parts = self._voice.parts(text)
        if parts is None or not values.keys() >= set(parts[1::2]):
            return None
        return [
            nodes.Filter(values[part], VALUE, [], [], None, None) if place % 2 else nodes.TemplateData(part)
            for place, part in enumerate(parts)
        ]


def _values(node: nodes.Filter) -> dict[str, nodes.Expr]:
    # Jinja's own types call them pairs; its parser makes keywords.
    return {keyword.key: keyword.value for keyword in cast(list[nodes.Keyword], node.kwargs)}


def _output(parts: Sequence[nodes.Expr], node: nodes.Node) -> nodes.Output:
    return nodes.Output(list(parts), lineno=node.lineno)


def _joined(found: Sequence[Any]) -> Iterator[Any]:
    """A list of nodes, outputs that follow one another joined."""
    last = None
    for node in found:
        if isinstance(node, nodes.Output) and isinstance(last, nodes.Output):
            last.nodes += node.nodes
            continue
        last = node
        yield node
