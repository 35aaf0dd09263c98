"""A Jinja2 environment of one language, compiled for it: fixed texts are translated once, when a template is compiled,
and a value is printed by one call instead of two. A page has a thousand of them, so both are most of its time."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

_TEXTS = ("_", "gettext")
"""The functions whose answer to a fixed text alone is as fixed."""


class _Generator(CodeGenerator):
    """Prints a value by `environment.printed`, which does what finalizing and escaping it would."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.printed(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_post(node, frame, finalize)
        else:
            self.write(")")


class _Translated(NodeTransformer):
    """Puts the text of a language in the place of a call that asks for it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - the visitor's own form of name
        called = node.node
        if isinstance(called, nodes.Name) and called.name in _TEXTS and not (node.kwargs or node.dyn_kwargs):
            match node.args:
                case [nodes.Const(value=str() as text)]:
                    said = self._environment.globals[called.name](text)  # type: ignore[operator]
                    return nodes.TemplateData(str(said), lineno=node.lineno)
        return self.generic_visit(node)


class TemplateEnvironment(Environment):
    """The environment. Its globals have to hold the language's texts before the first template is compiled."""

    code_generator_class = _Generator

    def printed(self, value: Any) -> str:
        """A value as a page has it: said, with nothing unseen, and escaped."""
        kind = type(value)
        if kind is Markup:
            return value  # type: ignore[no-any-return]
        if kind is str and value.isascii() and value.isprintable():
            return escape(value)
        return str(value) if kind is int else escape(self.finalize(value) if self.finalize else value)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The environment's own globals for every template: looking up whether an import needs others is then quick."""
        return super().make_globals(d) if d else self.globals

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Translated(self).visit(super()._parse(source, name, filename))
        return tree
