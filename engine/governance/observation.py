"""G7: what a tool gave back is bounded, and instruction-like text in it is quarantined."""

from __future__ import annotations

import unicodedata

from dataset.context.token_counter import count_tokens
from dataset.measures.fence import fenced
from engine.governance.instruction_patterns import INSTRUCTION_LIKE, PATTERNS_VERSION
from engine.governance.interface import GuardName, Observation, RuleVerdict, allow, deny

QUARANTINED = "[quarantined: instruction-like text]"


class ObservationSize:
    """`G7-OBS-001` the reply is larger than the run's limit; the model gets a refusal, never a part of it."""

    guard: GuardName = "G7"

    def check(self, observation: Observation) -> RuleVerdict:
        """The verdict on one observation."""
        tokens = count_tokens(observation.text)
        if tokens > observation.max_tokens:
            return deny("G7", "G7-OBS-001", f"the reply has {tokens} tokens, the limit is {observation.max_tokens}")
        return allow("G7", f"{tokens} tokens of at most {observation.max_tokens}")


class InstructionQuarantine:
    """`G7-OBS-002` instruction-like text is cut out and marked; the rest of an untrusted reply is fenced as data."""

    guard: GuardName = "G7"

    def check(self, observation: Observation) -> RuleVerdict:
        """The verdict on one observation."""
        cleaned, count = quarantine(observation.text)
        text = fenced(cleaned, source=f"tool {observation.tool.name}") if observation.tool.untrusted_output else cleaned
        if count:
            return RuleVerdict(
                guard="G7",
                verdict="rewrite",
                code="G7-OBS-002",
                detail=f"{count} passages quarantined by {PATTERNS_VERSION}",
                text=text,
            )
        if observation.tool.untrusted_output:
            return RuleVerdict(guard="G7", verdict="allow", code=None, detail="fenced as untrusted data", text=text)
        return allow("G7", "no instruction-like text")


def quarantine(text: str) -> tuple[str, int]:
    """The text with every instruction-like passage replaced, and how many there were.

    Zero-width and look-alike characters can't hide a passage: the text is also looked at without the ones and with the
    others folded (NFKC), and is given on in that form only where it hid something.
    """
    cleaned, count = INSTRUCTION_LIKE.subn(QUARANTINED, text)
    if not count and text.isascii():  # nothing to fold or to leave out: the same text would be looked at again
        return text, 0
    bare = unicodedata.normalize("NFKC", "".join(c for c in cleaned if unicodedata.category(c) != "Cf"))
    again, hidden = INSTRUCTION_LIKE.subn(QUARANTINED, bare)
    return (again, count + hidden) if hidden else (cleaned, count)
