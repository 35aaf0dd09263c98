from __future__ import annotations

import pytest

from dataset.questions.prompt import PROMPT_MARKER
from publisher.scanning.rules.prompt_markers import PromptMarkers


@pytest.mark.parametrize(
    "marker",
    [
        PROMPT_MARKER,
        PROMPT_MARKER.upper(),
        "<|im_start|>system",
        "<|im_start|>\nSystem",
        "<|start_header_id|>system",
        "<<SYS>>",
    ],
)
def test_marker_is_found(marker: str) -> None:
    assert len(list(PromptMarkers().find(f"前{marker}后".encode()))) == 1


@pytest.mark.parametrize("text", ["the system prompt", "<|im_start|>user", "<<SYSTEM", "glassbench system prompt"])
def test_talk_about_prompts_is_not_flagged(text: str) -> None:
    assert list(PromptMarkers().find(text.encode())) == []
