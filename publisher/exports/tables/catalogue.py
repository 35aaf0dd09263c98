"""The list of all tables."""

from __future__ import annotations

from typing import Any

from publisher.exports.tables.batches import BATCHES
from publisher.exports.tables.cases import CASES
from publisher.exports.tables.contrasts import CONTRASTS
from publisher.exports.tables.failure_reasons import FAILURE_REASONS
from publisher.exports.tables.groups import GROUPS
from publisher.exports.tables.interface import Table
from publisher.exports.tables.leaderboard import LEADERBOARD
from publisher.exports.tables.releases import RELEASES
from publisher.exports.tables.runs import RUNS

TABLES: tuple[Table[Any], ...] = (
    LEADERBOARD,
    GROUPS,
    CONTRASTS,
    FAILURE_REASONS,
    RUNS,
    CASES,
    BATCHES,
    RELEASES,
)
DATA = "data"
"""The folder of a site that tables stand in."""
