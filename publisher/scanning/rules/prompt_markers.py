"""Marks that only a system prompt, or the template around one, carries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dataset.questions.prompt import PROMPT_MARKER
from publisher.scanning.passage import Form
from publisher.scanning.rules.interface import Hit

RULE = "SCAN-PROMPT-001"
LABEL = "system prompt marker"

_NEEDLES = (PROMPT_MARKER, "<|", "<<sys>>")
_MARKERS = re.compile(
    rf"(?i){re.escape(PROMPT_MARKER)}|<\|im_start\|>\s{{0,4}}system|<\|start_header_id\|>\s{{0,4}}system|<<SYS>>"
)


class PromptMarkers:
    """Finds our own marker and those of the common chat templates."""

    def find(self, text: str, form: Form) -> Iterator[Hit]:
        """Hits in order."""
        lowered = text.lower()
        if any(needle in lowered for needle in _NEEDLES):
            for match in _MARKERS.finditer(text):
                yield Hit(RULE, LABEL, match.start(), match.end())
