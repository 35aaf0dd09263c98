"""Why a run was cancelled: the closed list of codes that may stand in the error of one."""

from __future__ import annotations

CANCELLED_BY_OWNER = "BATCH-CANCEL-001"
BUDGET_USED_UP = "BATCH-BUDGET-001"
NOT_BOUNDED = "LEDGER-UNBOUNDED-001"
ATTEMPTS_USED_UP = "RUN-DEAD-001"

GIVING_UP = {
    CANCELLED_BY_OWNER: "the owner cancelled the batch",
    BUDGET_USED_UP: "a lifetime budget of the batch was used up",
    NOT_BOUNDED: "the run could not be bounded as a hard limit needs",
    ATTEMPTS_USED_UP: "given up after the last attempt",
}
"""What each code says."""
