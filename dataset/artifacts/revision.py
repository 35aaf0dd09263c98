"""Runs that were tried again: a planned run that came out invalid is superseded by a new one, `<planned id>-r2`.

Every revision of a run is kept under an id of its own; the last one counts.
"""

from __future__ import annotations

import re

from dataset.record import RunId

_REVISION = re.compile(r"(.+)-r([1-9][0-9]{0,3})")
"""A planned id ends with its position, so that it can't look like one of a revision."""


def revision_id(planned: RunId, revision: int) -> RunId:
    """The id of a revision, from 1: the first is the planned run itself, the second `<planned id>-r2`."""
    return planned if revision == 1 else RunId(f"{planned}-r{revision}")


def split_revision(run_id: str) -> tuple[RunId, int]:
    """The planned run that a run id belongs to, and its revision."""
    found = _REVISION.fullmatch(run_id)
    if found is None or int(found[2]) == 1:
        return RunId(run_id), 1
    return RunId(found[1]), int(found[2])


def superseded_id(run_id: str) -> RunId | None:
    """The run that a run with this id supersedes: the revision before it, None for a planned run."""
    planned, revision = split_revision(run_id)
    return revision_id(planned, revision - 1) if revision > 1 else None
