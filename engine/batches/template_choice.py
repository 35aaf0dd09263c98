"""Which template of a pack an owner means."""

from __future__ import annotations

from difflib import get_close_matches

from dataset.errors import GlassbenchError
from dataset.questions.pack import Pack
from dataset.questions.template import Template


class UnknownTemplateError(GlassbenchError):
    """No template of that id in the pack."""

    code = "BATCH-TEMPLATE-001"


def choose_template(pack: Pack, template_id: str) -> Template:
    """The template of that id; UnknownTemplateError names those there are, the closest first."""
    found = pack.templates.get(template_id)
    if found is not None:
        return found
    close = get_close_matches(template_id, pack.templates, n=len(pack.templates), cutoff=0.4)
    names = [*close, *(name for name in pack.templates if name not in close)]
    raise UnknownTemplateError(
        f"pack {pack.head.id} has no template {template_id!r}; it has: {', '.join(names)}",
        hint=f"see `glassbench template list --pack {pack.head.id}`; another pack is named with --pack",
    )
