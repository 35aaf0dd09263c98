"""Whether the session entries of a pack's questions fit each other: the rules of sessions, as faults of the pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dataset.context.opening_items import QUESTION, SYSTEM_PROMPT
from dataset.questions.pack_entry import Entry
from dataset.questions.pack_fault import PackFault
from dataset.questions.question import Question
from dataset.questions.session_check import SessionFaultCode, session_faults

_CODES: Mapping[SessionFaultCode, str] = {
    "CONTEXT-ITEM-001": "PACK-DUP-002",
    "CONTEXT-ITEM-002": "PACK-FIELD-003",
    "CONTEXT-ITEM-003": "PACK-SESSION-001",
    "CONTEXT-ITEM-004": "PACK-SESSION-002",
    "CONTEXT-ITEM-005": "PACK-SESSION-003",
    "CONTEXT-ITEM-006": "PACK-SESSION-004",
}


def session_pack_faults(question: Entry[Question]) -> Iterator[PackFault]:
    """Every fault of a question's session; a run adds two items whose ids no entry may have."""
    for fault in session_faults(question.record.session, taken=(SYSTEM_PROMPT, QUESTION)):
        yield question.fault(_CODES[fault.code], fault.message, "session", fault.position, fault.field)
