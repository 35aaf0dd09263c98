"""Realistic valid records for tests: a small bank, sealed artifacts, batches, reports and whole snapshots on disk.

`make_batch()` gives a batch in memory, `write_snapshot(directory, [batch, …])` a snapshot that `verify` accepts.
`text` puts hostile text into every place that holds words from outside: questions, names, arguments, results, answers.
"""

from tests.factories.bank import (
    CASE_IDS,
    CATALOGUE,
    CODE,
    FINISHED,
    JUDGE,
    LIMITS,
    STARTED,
    TOOLS,
    VARIANTS,
    both,
    fake_hash,
    make_case,
    make_definition,
    make_fixture_set,
    make_model,
    make_pack,
    make_template,
    make_tool,
    make_variant,
    nav_reply,
)
from tests.factories.runs import forged, make_salts, make_sections, reseal
from tests.factories.scanner import WordScanner
from tests.factories.snapshot import SampleBatch, ScenarioOf, default_scenario, make_batch, write_snapshot
from tests.factories.source import SampleSource, head_of, rows_of
from tests.factories.timeline import RunPlan, Scenario

__all__ = [
    "CASE_IDS",
    "CATALOGUE",
    "CODE",
    "FINISHED",
    "JUDGE",
    "LIMITS",
    "STARTED",
    "TOOLS",
    "VARIANTS",
    "RunPlan",
    "SampleBatch",
    "SampleSource",
    "Scenario",
    "ScenarioOf",
    "WordScanner",
    "both",
    "default_scenario",
    "fake_hash",
    "forged",
    "head_of",
    "make_batch",
    "make_case",
    "make_definition",
    "make_fixture_set",
    "make_model",
    "make_pack",
    "make_salts",
    "make_sections",
    "make_template",
    "make_tool",
    "make_variant",
    "nav_reply",
    "reseal",
    "rows_of",
    "write_snapshot",
]
