"""What stands in the place of a run that was withdrawn: its hash and the reason, without what it recorded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from dataset.artifacts.artifact import Count
from dataset.record import SLUG, BatchId, Record, RunId, Sha256

SHORTEST_REASON, LONGEST_REASON = 8, 1_000
"""In characters."""
Reason = Annotated[str, StringConstraints(min_length=SHORTEST_REASON, max_length=LONGEST_REASON, strip_whitespace=True)]
"""Why a run was withdrawn, for the public."""
ReleaseNumber = Annotated[Count, Field(ge=1)]
"""The number of a release; the first is 1."""


class Withdrawn(Record):
    """`runs/{run_id}.json` of a withdrawn run, in canonical bytes. `release` is the one that withdrew it."""

    schema_: Literal["glassbench.withdrawn/1"] = Field(alias="schema", default="glassbench.withdrawn/1")
    run_id: Annotated[RunId, SLUG]
    batch_id: Annotated[BatchId, SLUG]
    artifact_hash: Sha256
    reason: Reason
    release: ReleaseNumber
