"""What a pack withholds, its salts and canaries go into PostgreSQL and come back as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dataset.artifacts.definition import BatchDefinition
from dataset.questions.pack import Pack
from dataset.questions.withholding import closed
from dataset.record import BatchId
from dataset.store.bank import BankConflictError, import_pack, load_pack
from dataset.store.batches import create_batch, get_batch
from dataset.store.session import Database
from tests.factories import CASE_IDS, make_case, make_definition, make_model
from tests.integration.store.packs import CREATED, make_pack

HELD_OUT = CASE_IDS[0]
WHOLE_PACK = ("visible_tools",)


def withholding_pack(*, salt: str = "5a" * 16) -> Pack:
    """The sample pack with one held-out case, something withheld of every case, and canaries."""
    pack, held_out = make_pack(), make_case(HELD_OUT, withheld=("case",))
    question = held_out.question.model_copy(update={"salt": salt})
    head = pack.head.model_copy(
        update={"withheld": WHOLE_PACK, "canaries": ("canary-11-22", "金丝雀-11-22-33"), "scan_contacts": True}
    )
    return replace(
        pack,
        head=head,
        questions={**pack.questions, HELD_OUT: question},
        golds={**pack.golds, HELD_OUT: held_out.gold},
    )


def frozen(pack: Pack) -> BatchDefinition:
    cases = [make_case(case_id, withheld=("case",) if case_id == HELD_OUT else ()) for case_id in CASE_IDS]
    return make_definition(pack, template=pack.templates["contrast"], models=[make_model("small")], cases=cases)


def test_parts_salts_and_canaries_are_rebuilt_from_rows_alone(database: Database) -> None:
    pack = withholding_pack()
    import_pack(database, pack)
    rebuilt = load_pack(database, "sample")
    assert rebuilt == pack
    assert rebuilt.reference == pack.reference
    assert (rebuilt.head.withheld, rebuilt.head.canaries) == (WHOLE_PACK, ("canary-11-22", "金丝雀-11-22-33"))
    assert rebuilt.head.scan_contacts is True
    assert rebuilt.withheld(HELD_OUT) == closed(("case", "visible_tools"))
    assert rebuilt.withheld(CASE_IDS[1]) == WHOLE_PACK
    assert (rebuilt.questions[HELD_OUT].salt, rebuilt.golds[HELD_OUT].salt) == ("5a" * 16, "5a" * 16)
    assert rebuilt.questions[CASE_IDS[1]].salt is None


def test_an_unchanged_import_of_it_adds_nothing(database: Database) -> None:
    import_pack(database, withholding_pack())
    assert import_pack(database, withholding_pack()).added == []


def test_another_salt_under_the_same_version_is_refused(database: Database) -> None:
    import_pack(database, withholding_pack())
    with pytest.raises(BankConflictError, match=f"question {HELD_OUT}@1"):
        import_pack(database, withholding_pack(salt="6b" * 16))


def test_a_definition_keeps_what_it_withholds(database: Database) -> None:
    pack = withholding_pack()
    definition = frozen(pack)
    import_pack(database, pack)
    create_batch(database, BatchId("b1"), definition, CREATED)
    row = get_batch(database, BatchId("b1"))
    assert row.definition == definition
    assert row.definition_hash == definition.digest()
    assert {case.id: case.withheld for case in row.definition.cases} == {
        case_id: closed(("case", "visible_tools")) if case_id == HELD_OUT else WHOLE_PACK for case_id in CASE_IDS
    }
