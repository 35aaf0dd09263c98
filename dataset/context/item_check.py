"""Whether items can be decided on at all: the rules of sessions, raised as an error."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.context.item import ContextItem
from dataset.errors import GlassbenchError
from dataset.questions.session_check import session_faults


class ContextItemError(GlassbenchError):
    """Items that contradict each other; `code` is one of `dataset.questions.session_check.SessionFaultCode`."""

    code = "CONTEXT-ITEM-001"


def check_items(items: Sequence[ContextItem]) -> None:
    """ContextItemError for the first fault: an id used twice, an unknown category, a reference that can't hold."""
    for fault in session_faults(items):
        raise ContextItemError(
            fault.message, code=fault.code, hint="mend the session; `glassbench pack check` shows file and line"
        )
