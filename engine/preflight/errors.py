"""Why a batch isn't started: what is wrong with it, with a model, or with the owner's consent."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.errors import GlassbenchError


class PreflightError(GlassbenchError):
    """A preflight that failed; no run was started.

    `PREFLIGHT-UNVERIFIED-001` a paid model whose id nobody has verified · `PREFLIGHT-MODEL-001` the server's list lacks
    the model id · `PREFLIGHT-MODEL-002` another model answered · `PREFLIGHT-KEY-001` the server's list repeats the
    key · `LEDGER-UNBOUNDED-001` a hard limit can't be kept for the model · `BATCH-MODEL-002` it can't be asked.
    """

    code = "BATCH-MODEL-002"


class UnconfirmedError(GlassbenchError):
    """A batch that may cost money and that its owner didn't confirm; nothing was sent that costs anything.

    `PREFLIGHT-CONFIRM-001` nobody could be asked · `PREFLIGHT-CONFIRM-002` the owner said no.
    """

    code = "PREFLIGHT-CONFIRM-001"


def one_error(faults: Sequence[GlassbenchError]) -> GlassbenchError:
    """All faults as one error, with the code of the first; the only one as it is."""
    first, *others = faults
    if not others:
        return first
    told = "; ".join([first.message, *(f"[{other.code}] {other.message}" for other in others)])
    hints = dict.fromkeys(fault.hint for fault in faults if fault.hint)
    return GlassbenchError(f"{len(faults)} things are wrong: {told}", code=first.code, hint="; ".join(hints))
