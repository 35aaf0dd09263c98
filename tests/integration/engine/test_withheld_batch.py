"""A batch that withholds parts runs as any other: whole in the database, what is withheld in its definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.artifact import SECTION_NAMES, Artifact
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import open_disclosed, withhold
from dataset.canonical import canonical_bytes
from dataset.questions.pack import Pack
from dataset.questions.withholding import Withheld, closed
from dataset.record import BatchId, CaseId
from dataset.store.bank import import_pack
from dataset.store.batches import get_batch
from dataset.store.session import Database, connect
from engine.cli.withheld_lines import withheld_lines
from publisher.gates.examination import Examination
from publisher.intake.stored_batch import StoredBatch
from tests.factories import WordScanner
from tests.factories.stored import TINY_CASES, bank_of_tests, cloned_database, new_batch, run_batch, stored_artifacts

HELD_OUT = TINY_CASES[0]
PARTS: tuple[Withheld, ...] = ("case", "result")
MODELS = ["scripted-careful", "scripted-careless"]
OF_THE_CALL = {"started_at", "latency_ms"}
OF_THE_BATCH = {"content_hash", "gold_hash", "version", "gold_version"}


def with_held_out_case(pack: Pack) -> Pack:
    """The next version of the pack, in which one case is held out."""
    case_id = CaseId(HELD_OUT)
    question, gold = pack.questions[case_id], pack.golds[case_id]
    asked = question.model_copy(update={"version": question.version + 1, "withheld": PARTS, "salt": "5a" * 16})
    wanted = gold.model_copy(update={"version": gold.version + 1, "question_version": asked.version, "salt": "6b" * 16})
    return replace(
        pack,
        head=pack.head.model_copy(update={"version": pack.head.version + 1}),
        questions={**pack.questions, case_id: asked},
        golds={**pack.golds, case_id: wanted},
    )


@pytest.fixture(scope="module")
def database(database_server: str, bank_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A batch `open` over the pack, and a batch `held` over its next version."""
    home = tmp_path_factory.mktemp("home")
    with cloned_database(database_server, bank_template) as url, connect(url) as database:
        run(database, home, "open")
        import_pack(database, with_held_out_case(bank_of_tests()))
        run(database, home, "held")
        yield database


def run(database: Database, home: Path, batch_id: str) -> None:
    run_batch(database, home, new_batch(database, home, batch_id, template="tiny", models=MODELS))


def artifacts(database: Database, batch_id: str) -> Mapping[tuple[str, str], Artifact]:
    found = [open_artifact(data) for data in stored_artifacts(database, BatchId(batch_id)).values()]
    return {(a.case.case_id, a.provenance.model.key): a for a in found}


def test_what_is_withheld_is_frozen_closed_with_the_case(database: Database) -> None:
    definition = get_batch(database, BatchId("held")).definition
    assert {case.id: case.withheld for case in definition.cases} == {HELD_OUT: closed(PARTS), TINY_CASES[1]: ()}
    (line,) = withheld_lines({case.id: case.withheld for case in definition.cases})
    assert line == f"withheld: {', '.join(closed(PARTS))} of 1 of 2 cases"


def test_a_batch_that_withholds_nothing_does_not_speak_of_it(database: Database) -> None:
    definition = get_batch(database, BatchId("open")).definition
    assert b"withheld" not in canonical_bytes(definition.body())
    assert withheld_lines({case.id: case.withheld for case in definition.cases}) == []


def test_every_run_is_whole_in_the_database(database: Database) -> None:
    for data in stored_artifacts(database, BatchId("held")).values():
        assert open_disclosed(data).whole == open_artifact(data)
        assert b"withheld" not in data


def plain(value: Any) -> Any:
    """A value without what is different in every batch: hashes and versions of the bank, times."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if key not in OF_THE_CALL | OF_THE_BATCH}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def test_withholding_changes_nothing_in_what_a_run_records(database: Database) -> None:
    held, whole = artifacts(database, "held"), artifacts(database, "open")
    assert held.keys() == whole.keys()
    assert len(held) == 4
    for key, artifact in held.items():
        for name in SECTION_NAMES:
            if name not in ("provenance", "context"):
                found, wanted = (sections.body()[name] for sections in (artifact, whole[key]))
                assert plain(found) == plain(wanted), (key, name)
        given = [(item.id, item.text, item.decision) for item in artifact.context.items]
        assert given == [(item.id, item.text, item.decision) for item in whole[key].context.items]


def test_its_salt_is_in_no_artifact(database: Database) -> None:
    for data in stored_artifacts(database, BatchId("held")).values():
        assert b"5a" * 16 not in data
        assert b"6b" * 16 not in data


@pytest.mark.parametrize("batch_id", ["open", "held"])
def test_it_passes_every_gate(database: Database, batch_id: str) -> None:
    examined = Examination(WordScanner()).examine(StoredBatch(database, batch_id))
    assert [str(fault) for fault in examined.faults] == []


def test_what_is_published_of_a_held_out_run_holds_neither_question_nor_answer(database: Database) -> None:
    question = with_held_out_case(bank_of_tests()).questions[HELD_OUT].text.en
    for data in stored_artifacts(database, BatchId("held")).values():
        artifact = open_artifact(data)
        if artifact.case.case_id == HELD_OUT:
            public = withhold(data, closed(PARTS))
            assert question.encode() in data
            assert question.encode() not in public
            assert artifact.result.final_output.encode() not in public
