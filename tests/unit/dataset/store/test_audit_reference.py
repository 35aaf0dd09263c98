"""The page of audit events names every kind that there is."""

from __future__ import annotations

import re
from pathlib import Path

from dataset.store.audit import AUDIT_KINDS

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "audit-events.md"


def test_the_page_of_audit_events_names_each_kind_once() -> None:
    kinds = PAGE.read_text(encoding="utf-8").partition("## Kinds")[2].partition("## Exporting")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", kinds, flags=re.MULTILINE)) == AUDIT_KINDS
