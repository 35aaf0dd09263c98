"""Which names of a template are macros, and what each takes: known when it is compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jinja2 import nodes
from jinja2.compiler import find_undeclared

_BOUND = (nodes.Name, nodes.Macro, nodes.Import, nodes.FromImport)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """What a macro takes, in order; `caller` where it prints the block of its call too."""

    parameters: tuple[str, ...]
    caller: bool

    def arguments(self, call: nodes.Call) -> Sequence[nodes.Expr | None] | None:
        """The arguments of a call, one for each parameter, None where its default counts. None alone: the call doesn't
        fit, and Jinja says why when it is made."""
        if call.dyn_args or call.dyn_kwargs or len(call.args) > len(self.parameters):
            return None
        given = dict(zip(self.parameters, call.args, strict=False))
        for keyword in call.kwargs:
            if keyword.key in given or keyword.key not in self.parameters:
                return None
            given[keyword.key] = keyword.value
        return [given.get(name) for name in self.parameters]


def own_macros(tree: nodes.Template) -> Mapping[str, Signature]:
    """The macros that a template gives to others, by name."""
    return {node.name: _signature(node) for node in tree.body if isinstance(node, nodes.Macro) and _is_plain(node)}


def macros_in(
    tree: nodes.Template, imported: Callable[[str], Mapping[str, Signature]]
) -> tuple[Mapping[str, Signature], frozenset[str]]:
    """The macros that a template can call by a name, its own and those that it imports; and every name that it binds.
    A name that is bound twice may be something else in one place."""
    bound = Counter(_bound(tree))
    found = dict(own_macros(tree))
    for node in tree.body:
        if isinstance(node, nodes.FromImport) and isinstance(node.template, nodes.Const) and not node.with_context:
            theirs = imported(node.template.value)
            found |= {alias: theirs[name] for name, alias in _imports(node) if name in theirs}
    return {name: signature for name, signature in found.items() if bound[name] == 1}, frozenset(bound)


def _signature(node: nodes.Macro) -> Signature:
    parameters = tuple(argument.name for argument in node.args)
    return Signature(parameters=parameters, caller="caller" in find_undeclared(node.body, ("caller",)))


def _is_plain(node: nodes.Macro) -> bool:
    """Whether a macro takes what it names and no more."""
    named = {argument.name for argument in node.args}
    return "caller" not in named and not find_undeclared(node.body, ("kwargs", "varargs"))


def _bound(tree: nodes.Template) -> Iterator[str]:
    for node in tree.find_all(_BOUND):
        match node:
            case nodes.Name(name=name, ctx="store" | "param") | nodes.Macro(name=name) | nodes.Import(target=name):
                yield name
            case nodes.FromImport():
                yield from (alias for _, alias in _imports(node))


def _imports(node: nodes.FromImport) -> Iterator[tuple[str, str]]:
    for name in node.names:
        yield (name, name) if isinstance(name, str) else name
