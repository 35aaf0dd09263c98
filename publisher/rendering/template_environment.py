"""The Jinja2 environment of pages: what is the same on every page is settled when a template is compiled.

A page has thousands of expressions and texts, so what each costs is most of its time:
- one function prints an expression, in place of one that escapes what another has made visible;
- a text without values stands in the compiled template as it is said;
- the functions of texts are found once for a template, not in the context of each page.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from jinja2 import Environment, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from publisher.rendering.language.voice import Voice

_FUNCTIONS = ("_", "gettext", "ngettext")
PRINTED = "printed"
"""The filter that every printed expression goes through; what it gives is joined as it is."""


class _Generator(CodeGenerator):
    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - the visitor's form
        super().visit_Template(node, frame)
        self.writeline(f"{PRINTED} = environment.filters[{PRINTED!r}]")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(f"{PRINTED}(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(")")


class TemplateEnvironment(Environment):
    """The environment of one voice. Its filters have to hold `printed` and the functions of texts."""

    code_generator_class = _Generator
    voice: Voice

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._known: dict[str, Template] = {}

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The environment's own globals for every template: looking up whether an import needs others is then quick."""
        return super().make_globals(d) if d else self.globals

    def _load_template(self, name: str, globals: MutableMapping[str, Any] | None) -> Template:  # noqa: A002 - as Jinja
        """A template as it was loaded first. Jinja's own cache copies all globals at every look, and a page takes
        twenty templates."""
        if self.cache is None:  # an overlay with templates of its own
            return super()._load_template(name, globals)
        if name not in self._known:
            self._known[name] = super()._load_template(name, globals)
        return self._known[name]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Settled(self.voice).visit(super()._parse(source, name, filename))
        tree.set_environment(self)
        return tree


class _Settled(NodeTransformer):
    """Calls of the functions of texts become filters; where a text without values is printed, it stands in its place.
    Elsewhere it stays a call, for markup that is a constant loses in the compiler that it is markup."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802 - the visitor's form
        node.nodes = [self._text(child) or child for child in node.nodes]
        return self.generic_visit(node)

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - the visitor's form
        self.generic_visit(node)
        called = node.node
        if not isinstance(called, nodes.Name) or called.name not in _FUNCTIONS or not node.args:
            return node
        first, *others = node.args
        return nodes.Filter(first, called.name, others, node.kwargs, node.dyn_args, node.dyn_kwargs, lineno=node.lineno)

    def _text(self, node: nodes.Expr) -> nodes.Expr | None:
        match node:
            case nodes.Call(
                node=nodes.Name(name="_" | "gettext"),
                args=[nodes.Const(value=str(text))],
                kwargs=[],
                dyn_args=None,
                dyn_kwargs=None,
            ) if "%" not in text:
                return nodes.TemplateData(self._voice.text(text), lineno=node.lineno)
        return None
