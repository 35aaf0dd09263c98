"""Text in disguise made readable, three ways at once: character references, percent-encoding, odd characters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from publisher.scanning.layers import characters, html_entity, percent
from publisher.scanning.layers.spans import spans
from publisher.scanning.text import Reading

# In the order in which software takes them off.
_STEPS = (html_entity.ENTITIES, percent.OCTETS, characters.CHARACTERS)


class Readable:
    """Reads what stands around the marks of any of the three."""

    marks = (html_entity.MARK, percent.MARK, characters.LETTER_MARK, characters.SIGN_MARK)

    def readings(self, data: bytes) -> Iterator[Reading]:
        """One reading for each part of the text that reads differently."""
        for start, end in spans(data, self.marks):
            part = data[start:end]
            *_, made = _stages(part)
            if made != part:
                yield Reading(made, partial(_origin, part, start))


def _stages(part: bytes) -> Iterator[bytes]:
    """The text before each step and after the last."""
    yield part
    for step in _STEPS:
        part = step.apply(part)
        yield part


def _origin(part: bytes, start: int, offset: int) -> int:
    """Leads back through all steps."""
    for step, before in reversed(list(zip(_STEPS, _stages(part), strict=False))):
        offset = step.origin(before, offset)
    return start + offset
