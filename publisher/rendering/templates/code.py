"""The Python that a template is compiled to, where Jinja's own finds out at every call what never changes.

A page calls a hundred macros, reads a thousand attributes and prints as many values, so what one of these costs is most
of the page. Known when a template is compiled are: which names are macros and what they take, which functions want no
context, and that what a macro gives is markup already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from keyword import iskeyword
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from publisher.rendering.templates.macros import Signature, macros_in
from publisher.rendering.templates.texts import VALUE, lone_text

PRINTED = "printed"
"""The filter that every printed expression goes through; what it gives is joined as it is."""


class TemplateCode(CodeGenerator):
    """Differs from Jinja's own code in this:

    - one function prints an expression, in place of one that escapes what another has made visible;
    - `x.y` is an attribute and nothing else: an item is `x["y"]`;
    - macros, methods and global functions are called right away, and what a macro gives is printed as it is;
    - texts without values, and all that stands between two expressions, are constants that the voice has settled.
    """

    # The environment is a `TemplateEnvironment`.
    environment: Any

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - the visitor's form
        """The whole module; what its code takes from outside stands at its end."""
        self._macros, self._bound = macros_in(node, self.environment.macros_of)
        self._joined: nodes.Node | None = None
        self._texts: dict[str, str] = {}
        super().visit_Template(node, frame)
        self.writeline("from publisher.rendering.visible_text import as_markup")
        self.writeline(f"{PRINTED} = environment.filters[{PRINTED!r}]")
        for text, name in self._texts.items():
            self.writeline(f"{name} = as_markup({text!r})")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - the visitor's form
        """An attribute; those of `self` are blocks, which Jinja looks up."""
        if iskeyword(node.attr) or (isinstance(node.node, nodes.Name) and node.node.name == "self"):
            super().visit_Getattr(node, frame)
            return
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802 - the visitor's form
        """A text that is said whole is a constant of the module."""
        text = lone_text(node)
        if text is not None:
            settled = str(self.environment.voice.text(text))
            self.write(self._texts.setdefault(settled, f"text_{len(self._texts)}"))
        elif node.name == VALUE and node.node is not None and self._is_html(node.node):
            self._joined = node.node
            self.visit(node.node, frame)
        else:
            super().visit_Filter(node, frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - as above
        """A macro, a method or a global function is called right away; anything else as Jinja calls it."""
        arguments = self._macro_arguments(node, forward_caller=forward_caller)
        if arguments is not None:
            self._write_call(
                node.node, "._func", arguments, frame, markup=not forward_caller and node is not self._joined
            )
        elif self._wants_no_context(node) and not forward_caller:
            self._write_call(node.node, "", [*node.args, *node.kwargs], frame)
        else:
            super().visit_Call(node, frame, forward_caller=forward_caller)

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:  # noqa: N802 - the visitor's form
        """What another template prints, given on as a whole where nothing is put in between."""
        if frame.buffer is not None or node.ignore_missing or not node.with_context:
            super().visit_Include(node, frame)
            return
        self.writeline("template = environment.get_template(", node)
        self.visit(node.template, frame)
        self.write(f", {self.name!r})")
        given = f"context.get_all(), True, {self.dump_local_context(frame)}"
        self.writeline(f"yield from template.root_render_func(template.new_context({given}))")

    def visit_AssignBlock(self, node: nodes.AssignBlock, frame: Frame) -> None:  # noqa: N802 - the visitor's form
        """As Jinja's own, which asks each time whether what stands in the block is markup."""
        assert node.filter is None, "a block is set without a filter"
        self.push_assign_tracking()
        block_frame = frame.inner()
        block_frame.require_output_check = False
        block_frame.symbols.analyze_node(node)
        self.enter_frame(block_frame)
        self.buffer(block_frame)
        self.blockvisit(node.body, block_frame)
        self.newline(node)
        self.visit(node.target, frame)
        self.write(f" = as_markup(concat({block_frame.buffer}))")
        self.pop_assign_tracking(frame)
        self.leave_frame(block_frame)

    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        if node.with_context or not isinstance(node.template, nodes.Const):
            super()._import_common(node, frame)
        else:
            self.write(f"environment.module_of({node.template.value!r})")

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        return repr(self.environment.voice.settled("".join(group)))

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self._joined = node
        if not self._is_html(node):
            self.write(f"{PRINTED}(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if not self._is_html(node):
            self.write(")")

    def _is_html(self, node: nodes.Expr) -> bool:
        """Whether an expression gives what is joined as it is."""
        if isinstance(node, nodes.Filter):
            return node.name == VALUE
        return isinstance(node, nodes.Call) and self._macro_arguments(node) is not None

    def _macro_arguments(self, node: nodes.Call, *, forward_caller: bool = False) -> Sequence[nodes.Node | str] | None:
        """What the function of a macro is called with; None where it isn't known that it is a macro and fits."""
        if not isinstance(node.node, nodes.Name):
            return None
        if node.node.name == "caller":
            return None if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs else []
        signature: Signature | None = self._macros.get(node.node.name)
        arguments = None if signature is None or signature.caller != forward_caller else signature.arguments(node)
        if arguments is None:
            return None
        return [*(argument or "missing" for argument in arguments), *(["caller"] if forward_caller else [])]

    def _wants_no_context(self, node: nodes.Call) -> bool:
        if node.dyn_args or node.dyn_kwargs:
            return False
        if isinstance(node.node, nodes.Name) and node.node.name not in self._bound:
            function = self.environment.globals.get(node.node.name)
            return function is not None and getattr(function, "jinja_pass_arg", None) is None
        return isinstance(node.node, nodes.Getattr)

    def _write_call(
        self,
        called: nodes.Expr,
        part: str,
        arguments: Sequence[nodes.Node | str],
        frame: Frame,
        *,
        markup: bool = False,
    ) -> None:
        self.write("as_markup(" if markup else "")
        self.visit(called, frame)
        self.write(f"{part}(")
        for number, argument in enumerate(arguments):
            self.write(", " if number else "")
            if isinstance(argument, str):
                self.write(argument)
            else:
                self.visit(argument, frame)
        self.write("))" if markup else ")")
