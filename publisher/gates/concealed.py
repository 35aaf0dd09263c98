"""What a fault may say of a run of which something is withheld: refusals are kept, and pasted into issues."""

from __future__ import annotations

from functools import cache
from typing import Any

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.digest import digest_faults
from dataset.questions.gold import Gold
from dataset.questions.question import Question

OPEN_SECTION = "provenance"
"""What the definition fixes; every other section is held to what may be withheld: a question, a gold, steps."""
_FROM_STEPS = "/provenance/model/returned"
"""Is held to the replies of the model."""
WITHHELD_VALUES = "withheld, as parts of the run are"
_DIGESTS = frozenset(
    {
        *digest_faults({}),
        *digest_faults({"salts": {}, "digests": {}}),
        *digest_faults({"salts": {}, "digests": {}, **dict.fromkeys(SECTION_NAMES, 0)}),
    }
)
"""All that can be wrong with digests and hash: it quotes nothing."""


def quotes_withheld(place: str) -> bool:
    """Whether a fault at a pointer into a run that withholds something may quote what is withheld."""
    return place.split("/")[1:2] != [OPEN_SECTION] or place.startswith(_FROM_STEPS)


def shown_place(place: str) -> str:
    """A pointer up to the first key that isn't a field of the record: such keys are a model's or a bank's own words."""
    head, *names = place.split("/")
    shown = [head]
    for name in names:
        if not name.isdecimal() and name not in _fields():
            break
        shown.append(name)
    return "/".join(shown)


def shown_opening_fault(message: str) -> str:
    """Why bytes can't be believed, where the reason may quote them."""
    return message if message in _DIGESTS else f"not in the form of an artifact: the rest is {WITHHELD_VALUES}"


@cache
def _fields() -> frozenset[str]:
    schemas: list[dict[str, Any]] = [kind.model_json_schema() for kind in (Artifact, Question, Gold)]
    records = [record for schema in schemas for record in (schema, *schema.get("$defs", {}).values())]
    return frozenset(name for record in records for name in record.get("properties", {}))
