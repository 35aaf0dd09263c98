from __future__ import annotations

from dataclasses import replace

import pytest

from dataset.measures.fixed_rules.rules import VERSION
from publisher.gates.calibrated import Calibrated
from publisher.gates.examination import Examination, exhibit_of
from publisher.gates.interface import Account
from tests.factories import SampleSource, WordScanner, make_batch

SOURCE = SampleSource.of(make_batch())


def under(judge: str) -> SampleSource:
    assert SOURCE.stored is not None
    assert SOURCE.stored.definition is not None
    definition = SOURCE.stored.definition.model_copy(update={"judge_version": judge})
    return replace(SOURCE, stored=replace(SOURCE.stored, definition=definition, definition_hash=definition.digest()))


@pytest.mark.parametrize("judge", ["family-panel-v1", "fixed-rules-v2", ""])
def test_a_judge_of_whom_no_calibration_is_known_is_refused_with_GATE_CALIBRATED_001(judge: str) -> None:
    found = [fault for fault in Examination(WordScanner()).examine(under(judge)).faults if "CALIBRATED" in fault.code]
    assert [(fault.code, fault.place) for fault in found] == [("GATE-CALIBRATED-001", "definition/judge_version")]


def test_fixed_rules_need_no_calibration() -> None:
    source = under(VERSION)
    assert source.stored is not None
    assert list(Calibrated().batch_faults(exhibit_of(source.batch_id, source.stored), Account())) == []
