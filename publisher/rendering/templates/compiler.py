"""The Jinja2 environment of pages: what is the same on every page is settled when a template is compiled.

The texts of a template stand in it as they are said, and the functions of texts are found once for a template, not in
the context of each page.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from jinja2 import Environment, Template, nodes
from jinja2.environment import TemplateModule

from publisher.rendering.language.voice import Voice
from publisher.rendering.templates.code import TemplateCode
from publisher.rendering.templates.macros import Signature, own_macros
from publisher.rendering.templates.texts import SettledTexts


class TemplateEnvironment(Environment):
    """The environment of one voice. Its filters have to hold `printed`, the values of texts and the functions of
    texts."""

    code_generator_class = TemplateCode
    voice: Voice

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._known: dict[str, Template] = {}
        self._macros: dict[str, Mapping[str, Signature]] = {}
        self._modules: dict[str, TemplateModule] = {}

    def macros_of(self, name: str) -> Mapping[str, Signature]:
        """The macros of a template, by name."""
        self.get_template(name)
        return self._macros[name]

    def module_of(self, name: str) -> TemplateModule:
        """What others import from a template. It is made without a page's values, so it is the same for all pages."""
        if self.cache is None:
            return self.get_template(name).module
        if name not in self._modules:
            self._modules[name] = self.get_template(name).module
        return self._modules[name]

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
        tree: nodes.Template = SettledTexts(self.voice).visit(super()._parse(source, name, filename))
        tree.set_environment(self)
        if name is not None:
            self._macros[name] = own_macros(tree)
        return tree
