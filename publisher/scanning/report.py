"""Sightings become findings: placed, masked, one per rule and place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from publisher.scanning.document import FIRST_LINE, Document
from publisher.scanning.finding import Finding, conceal, hidden, mask, printable
from publisher.scanning.lens import Sighting
from publisher.scanning.place import Place, json_places, line_places
from publisher.scanning.rules.prompt_markers import OWN_RULE, TEMPLATE_RULE

# The section of a run whose texts may show what was tried on the model.
_CONTEXT = "context"


def findings(document: Document, inside: Iterable[Sighting], named: Sequence[Sighting]) -> list[Finding]:
    """The findings of what was seen `inside` a document, in its order, then in its name (`named`).

    All that was seen is concealed in every place, since a name in a place may hold what was found elsewhere.
    """
    ordered = sorted(inside, key=lambda seen: (seen.offset, seen.hit.rule))
    secrets = {seen.secret for seen in (*ordered, *named)}
    found: dict[tuple[str, str], Finding] = {}
    for seen, place in zip(ordered, _places(document, [seen.offset for seen in ordered]), strict=True):
        if not _is_at_home(document, seen, place):
            _keep(found, seen, place.told(document.source, secrets))
    for seen in sorted(named, key=lambda seen: (seen.offset, seen.hit.rule)):
        _keep(found, seen, printable(conceal(document.source, secrets)) + " (name)")
    return list(found.values())


def _keep(found: dict[tuple[str, str], Finding], seen: Sighting, place: str) -> None:
    excerpt = mask(seen.secret) if seen.hit.shown else hidden(seen.secret)
    finding = Finding(rule=seen.hit.rule, label=seen.hit.label, place=place, excerpt=excerpt)
    found.setdefault((finding.rule, finding.place), finding)


def _places(document: Document, offsets: Sequence[int]) -> Iterable[Place]:
    if document.is_json():
        return json_places(document.data, offsets)
    if not document.first_line:
        return (Place(None, 0) for _ in offsets)
    return line_places(document.data, offsets, document.first_line)


def _is_at_home(document: Document, seen: Sighting, place: Place) -> bool:
    """Whether a marker stands where it belongs: our own heads a prompt file of a pack; those of chat templates may
    stand in the context of a run, which shows what a session or document tried on the model."""
    if seen.hit.rule == OWN_RULE:
        return seen.offset < FIRST_LINE and document.is_prompt_file()
    return seen.hit.rule == TEMPLATE_RULE and (place.pointer or ())[:1] == (_CONTEXT,) and document.is_run()
