"""The page of audit codes and the code that gives them hold the same list."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"\b(?:G[0-7]-[A-Z]+-\d{3}|OUT-[A-Z0-9]+-\d{3}|RUN-(?:LIMIT|TOOLS)-\d{3}|CONTEXT-[A-Z]+-\d{3})\b")
SHORTENED = re.compile(r"`((?:G[0-7]|OUT)-[A-Z0-9]+)-\d{3}`((?:, `-\d{3}`)+)")


def codes_in_python() -> set[str]:
    homes = (*(ROOT / "engine").rglob("*.py"), ROOT / "dataset" / "context" / "interface.py")
    texts = (path.read_text(encoding="utf-8") for path in homes)
    return {code for text in texts for code in CODE.findall(_spelled_out(text))}


def codes_on_the_page() -> set[str]:
    return set(CODE.findall(_spelled_out((ROOT / "docs/reference/audit-codes.md").read_text(encoding="utf-8"))))


def _spelled_out(text: str) -> str:
    """`G4-BUDGET-001`, `-002` is written out as both codes."""
    return SHORTENED.sub(
        lambda m: m.group(0) + " " + " ".join(f"{m.group(1)}{tail}" for tail in re.findall(r"-\d{3}", m.group(2))), text
    )


def test_every_audit_code_is_explained_and_every_explained_code_exists() -> None:
    assert codes_on_the_page() == codes_in_python()
    assert len(codes_on_the_page()) > 20
