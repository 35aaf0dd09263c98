"""The catalogue that a batch ran on, as its report publishes it: every tool, scene and permission."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from dataset.canonical import CanonicalError, canonical_text, read_strict
from dataset.record import Record, Schema
from dataset.tools.catalogue import Catalogue
from dataset.tools.permission import Permission
from dataset.tools.scene import Scene
from dataset.tools.tool import Tool


def _schema(written: Any) -> Any:
    """A JSON Schema out of its text; ValueError where that isn't JSON."""
    if not isinstance(written, str):
        return written
    try:
        return read_strict(written.encode("utf-8", "surrogatepass"), allow_floats=True)
    except CanonicalError as error:
        raise ValueError(error.message) from error


def _schema_text(schema: Schema) -> str:
    return canonical_text(schema, allow_floats=True)


class PublicTool(Tool):
    """A tool whose `parameters` are written as their canonical text: a schema may hold floats, a report holds none."""

    parameters: Annotated[Schema, BeforeValidator(_schema), PlainSerializer(_schema_text, return_type=str)]

    @property
    def tool(self) -> Tool:
        """The tool as the bank has it."""
        return Tool.model_validate({name: getattr(self, name) for name in Tool.model_fields})


class PublicCatalogue(Record):
    """Tools by name; scenes and permissions by id."""

    tools: tuple[PublicTool, ...]
    scenes: tuple[Scene, ...]
    permissions: tuple[Permission, ...]

    @cached_property
    def catalogue(self) -> Catalogue:
        """The catalogue to look things up in. Where a name stands twice, it has the last."""
        return Catalogue(
            tools={tool.name: tool.tool for tool in self.tools},
            scenes={scene.id: scene for scene in self.scenes},
            permissions={permission.id: permission for permission in self.permissions},
        )

    @property
    def in_order(self) -> bool:
        """Whether every name stands once, in the order of names."""
        names = [[tool.name for tool in self.tools]]
        names += [[entry.id for entry in entries] for entries in (self.scenes, self.permissions)]
        return all(found == sorted(set(found)) for found in names)


def publish_catalogue(catalogue: Catalogue) -> PublicCatalogue:
    """The catalogue of a pack as a report holds it."""
    return PublicCatalogue(
        tools=tuple(
            PublicTool.model_validate({field: getattr(tool, field) for field in Tool.model_fields})
            for _, tool in sorted(catalogue.tools.items())
        ),
        scenes=tuple(scene for _, scene in sorted(catalogue.scenes.items())),
        permissions=tuple(permission for _, permission in sorted(catalogue.permissions.items())),
    )
