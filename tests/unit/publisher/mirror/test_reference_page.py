"""The example of docs/reference/artifact.md is what the code gives, and its lists are the code's."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.digest import artifact_hash, section_digest
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.projection.index import Index, IndexedReport, Release
from publisher.projection.report import Report

PAGE = Path(__file__).parents[4].joinpath("docs/reference/artifact.md").read_text("utf-8")


def test_the_example_has_the_digests_and_the_hash_that_its_sections_give() -> None:
    block = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    told = dict(line.split() for line in block.group(1).splitlines())
    digests = {
        name: section_digest(bytes([number] * 16).hex(), {"n": number}) for number, name in enumerate(SECTION_NAMES)
    }
    assert told == {**digests, "artifact_hash": artifact_hash("demo-0001", digests)}
    salted = re.search(r"bytes `([0-9a-f ]+)`", PAGE)
    assert salted is not None
    assert hashlib.sha256(bytes.fromhex(salted.group(1))).hexdigest() == told["case"]


def test_the_sections_stand_in_their_order() -> None:
    assert "| nine sections | " + ", ".join(f"`{name}`" for name in SECTION_NAMES) + " |" in PAGE


@pytest.mark.parametrize("record", [Artifact, Withdrawn, Index, IndexedReport, Release, RunFacts])
def test_every_key_of_a_record_is_named(record: type[Artifact]) -> None:
    for name, field in record.model_fields.items():
        assert f"`{field.alias or name}`" in PAGE, name


@pytest.mark.parametrize(
    "name", ["runs", "superseded", "withdrawals", "reveals", "definition_hash", "groups", "models"]
)
def test_what_of_a_report_is_named_is_in_a_report(name: str) -> None:
    assert name in Report.model_fields
    assert f"`{name}`" in PAGE
