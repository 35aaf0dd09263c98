"""How a command tells what of a pack or batch isn't published, and how what is missing for that is mended."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dataset.console import counted

if TYPE_CHECKING:
    from dataset.questions.pack_fault import PackFault
    from dataset.questions.withholding import Withheld

Parts = Mapping[str, Sequence["Withheld"]]
"""What is withheld of each case's runs, by case id."""


def withheld_lines(parts: Parts) -> list[str]:
    """`withheld: case, context … of 3 of 20 cases`, a line for each set of parts; none where all is published."""
    groups = Counter(tuple(found) for found in parts.values() if found)
    whole = counted(len(parts), "case")
    return [f"withheld: {', '.join(found)} of {many:,} of {whole}" for found, many in sorted(groups.items())]


def withheld_json(parts: Parts) -> dict[str, Any]:
    """The same for machines: `withheld`, by case id; nothing where all is published."""
    found = {case_id: list(names) for case_id, names in sorted(parts.items()) if names}
    return {"withheld": found} if found else {}


def fault_lines(fault: PackFault) -> list[str]:
    """A fault of a pack for a person; where a salt is missing, a fresh one follows, ready to be pasted."""
    salt = _fresh_salt(fault)
    return [str(fault), *([f"  → a fresh one, ready to paste: {salt}"] if salt else [])]


def fault_json(fault: PackFault) -> dict[str, Any]:
    """The same for machines; the line to paste is `paste`."""
    salt = _fresh_salt(fault)
    return {**fault.model_dump(mode="json"), **({"paste": salt} if salt else {})}


def _fresh_salt(fault: PackFault) -> str | None:
    from dataset.questions.pack_withholding import NEEDS_SALT

    # in quotes: digits with one `e` among them would be a number to other readers of YAML
    return f"salt: '{secrets.token_hex(16)}'" if fault.code in NEEDS_SALT else None
