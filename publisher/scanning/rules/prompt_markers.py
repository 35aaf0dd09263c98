"""Marks that only a system prompt, or the template around one, carries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dataset.questions.prompt import PROMPT_MARKER
from publisher.scanning.rules.interface import Hit

OWN_RULE = "SCAN-PROMPT-001"
TEMPLATE_RULE = "SCAN-PROMPT-002"
_OWN = re.compile(re.escape(PROMPT_MARKER.encode()), re.IGNORECASE)
# ChatML; Llama 3; Llama 2.
_TEMPLATE = re.compile(rb"<\|im_start\|>\s{0,4}system|<\|start_header_id\|>\s{0,4}system|<<SYS>>", re.IGNORECASE)


class PromptMarkers:
    """Finds our own marker and those of the common chat templates."""

    marks = (_OWN, _TEMPLATE)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order, our own first."""
        for match in _OWN.finditer(data):
            yield Hit(OWN_RULE, "system prompt marker", match.start(), match.end())
        for match in _TEMPLATE.finditer(data):
            yield Hit(TEMPLATE_RULE, "chat template marker", match.start(), match.end())
