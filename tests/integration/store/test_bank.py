from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select, text

from dataset.canonical import canonical_bytes, sha256_hex
from dataset.fixtures.frozen_set import FixtureSet, FrozenFixture
from dataset.store.bank import BankConflictError, UnknownPackError, import_pack, list_packs, load_pack
from dataset.store.entries import SHELVES, fixture_set_content, pack_entries
from dataset.store.errors import StoreError
from dataset.store.rebuilt import BankHashError
from dataset.store.session import Database
from dataset.store.tables import metadata
from dataset.tools.tool import FORBIDDEN_SEMANTICS, FORBIDDEN_VERBS
from tests.factories import CASE_IDS, make_fixture_set, make_tool
from tests.integration.store.packs import make_pack, with_changed_title

_IDENTITY = "SELECT ctid::text AS ctid, xmin::text AS xmin FROM {}"
REPOSITORY = Path(__file__).parents[3]


def row_identities(database: Database) -> dict[str, list[tuple[str, str]]]:
    """Where each row stands and which transaction wrote it: any write changes one of them."""
    with database.transaction() as connection:
        return {
            name: sorted((row.ctid, row.xmin) for row in connection.execute(text(_IDENTITY.format(name))))
            for name in metadata.tables
        }


def tamper(connection: Connection, statement: str) -> None:
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    assert connection.execute(text(statement)).rowcount == 1


def test_imported_pack_is_rebuilt_from_rows_alone(database: Database) -> None:
    pack = make_pack()
    outcome = import_pack(database, pack)
    rebuilt = load_pack(database, "sample")
    assert rebuilt.reference == pack.reference
    assert rebuilt == pack
    assert outcome.unchanged == 0
    assert f"question {CASE_IDS[0]}@1" in outcome.added
    assert {label.split()[0] for label in outcome.added} == set(SHELVES)


def test_every_table_of_the_bank_and_the_catalogue_holds_rows(database: Database) -> None:
    import_pack(database, make_pack())
    bank = {"question", "gold", "variant"}
    catalogue = {
        "tool",
        "tool_version",
        "tool_parameter",
        "scene",
        "scene_tool",
        "permission",
        "fixture_set",
        "fixture",
    }
    with database.transaction() as connection:
        for name in bank | catalogue:
            assert connection.execute(select(func.count()).select_from(metadata.tables[name])).scalar_one() > 0, name


def test_unchanged_reimport_writes_no_row(database: Database) -> None:
    first = import_pack(database, make_pack())
    before = row_identities(database)
    again = import_pack(database, make_pack())
    assert again.added == []
    assert again.unchanged == len(first.added)
    assert row_identities(database) == before


def test_same_version_with_other_content_is_refused_with_both_hashes_and_nothing_written(database: Database) -> None:
    pack = make_pack()
    import_pack(database, pack)
    before = row_identities(database)
    changed = with_changed_title(with_changed_title(pack, CASE_IDS[0]), CASE_IDS[1])
    changed = replace(changed, head=pack.head.model_copy(update={"version": 2}))
    with pytest.raises(BankConflictError) as caught:
        import_pack(database, changed)
    assert caught.value.code == "BANK-CONFLICT-001"
    assert len(caught.value.conflicts) == 2
    for case_id in CASE_IDS[:2]:
        assert f"question {case_id}@1" in str(caught.value)
        assert pack.questions[case_id].digest() in str(caught.value)
        assert changed.questions[case_id].digest() in str(caught.value)
    assert row_identities(database) == before


def test_changed_fixture_in_the_same_set_version_is_refused(database: Database) -> None:
    pack = make_pack()
    import_pack(database, pack)
    with pytest.raises(BankConflictError, match="fixture_set frozen@1") as caught:
        import_pack(database, replace(pack, fixtures=make_fixture_set(text="other")))
    assert any(conflict.startswith("fixture frozen/") for conflict in caught.value.conflicts)


def test_new_entry_version_in_the_same_pack_version_is_refused_as_a_whole(database: Database) -> None:
    pack = make_pack()
    import_pack(database, pack)
    question = pack.questions[CASE_IDS[0]].model_copy(update={"version": 2})
    gold = pack.golds[CASE_IDS[0]].model_copy(update={"version": 2, "question_version": 2})
    newer = replace(
        pack,
        questions={**pack.questions, CASE_IDS[0]: question},
        golds={**pack.golds, CASE_IDS[0]: gold},
    )
    with pytest.raises(BankConflictError, match="the whole of pack sample@1"):
        import_pack(database, newer)


def test_next_version_adds_only_what_changed_and_each_version_stays_loadable(database: Database) -> None:
    first = make_pack()
    import_pack(database, first)
    second = with_changed_title(make_pack(version=2), CASE_IDS[0], version=2)
    outcome = import_pack(database, second)
    assert sorted(outcome.added) == ["pack sample@2", f"question {CASE_IDS[0]}@2"]
    assert load_pack(database, "sample").reference == second.reference
    assert load_pack(database, "sample", 1).reference == first.reference
    assert [row.reference for row in list_packs(database)] == [first.reference, second.reference]


def test_packs_of_two_authors_never_meet(database: Database) -> None:
    import_pack(database, make_pack(pack_id="one"))
    other = with_changed_title(make_pack(pack_id="two"), CASE_IDS[0])
    import_pack(database, other)
    assert load_pack(database, "two") == other


def test_concurrent_imports_of_the_same_pack_both_succeed_and_one_wins(database: Database) -> None:
    start, added = threading.Barrier(4), []

    def work() -> None:
        start.wait()
        added.append(len(import_pack(database, make_pack()).added))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(added) == [0, 0, 0, len(list(pack_entries(make_pack())))]


KILLED_IMPORT = """
import sys, time
from dataset.store import bank
from dataset.store.session import connect
from tests.integration.store.packs import make_pack
write = bank._write
def write_then_wait(*arguments):
    write(*arguments)
    print("written", flush=True)
    time.sleep(60)
bank._write = write_then_wait
bank.import_pack(connect(sys.argv[1]), make_pack())
"""


def test_import_killed_before_its_end_leaves_nothing(database: Database, database_url: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED_IMPORT, database_url], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        os.kill(process.pid, signal.SIGKILL)
    assert list_packs(database) == []
    with database.transaction() as connection:
        for name in metadata.tables:
            assert connection.execute(select(func.count()).select_from(metadata.tables[name])).scalar_one() == 0, name
    assert import_pack(database, make_pack()).unchanged == 0


def test_unknown_pack_names_those_there_are_and_the_command(database: Database) -> None:
    with pytest.raises(UnknownPackError, match="no pack has been imported yet") as caught:
        load_pack(database, "finance")
    assert "glassbench pack import" in caught.value.hint
    import_pack(database, make_pack())
    with pytest.raises(UnknownPackError, match="there are: sample@1"):
        load_pack(database, "sample", 7)


@pytest.mark.parametrize("kind", [kind for kind in SHELVES if kind not in ("fixture", "fixture_set")])
def test_flipped_byte_in_an_entry_is_refused_by_name(database: Database, kind: str) -> None:
    pack = make_pack()
    import_pack(database, pack)
    entry = next(entry for entry in pack_entries(pack) if entry.kind == kind)
    which = f"id = '{entry.id}'" + (f" AND kind = '{kind}'" if SHELVES[entry.kind].name == "document" else "")
    with database.transaction() as connection:
        tamper(
            connection,
            f"UPDATE {SHELVES[entry.kind].name} SET content = set_byte(content, 3, get_byte(content, 3) # 1)"
            f" WHERE {which}",
        )
    with pytest.raises(BankHashError) as caught:
        load_pack(database, "sample")
    assert caught.value.code == "BANK-HASH-001"
    assert entry.label in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE question SET hash = repeat('0', 64) WHERE id = 'fund-nav'", "question fund-nav@1"),
        ("DELETE FROM document WHERE id = 'careful/fund-nav'", "transcript careful/fund-nav@1"),
        ("UPDATE fixture_set SET hash = repeat('0', 64)", "fixture_set frozen@1"),
        ("UPDATE fixture SET hash = repeat('0', 64)", "fixture frozen/"),
        ("UPDATE pack SET hash = repeat('0', 64)", "pack sample@1"),
        ("UPDATE pack SET manifest = '[]'", "the pack's pack"),
        ("UPDATE pack SET manifest = '{'", "pack sample@1"),
    ],
)
def test_row_changed_behind_the_store_is_refused_by_name(database: Database, statement: str, named: str) -> None:
    import_pack(database, make_pack())
    with database.transaction() as connection:
        tamper(connection, statement)
    with pytest.raises(BankHashError, match=named):
        load_pack(database, "sample")


def test_fixture_with_changed_reply_is_loaded_as_not_intact(database: Database) -> None:
    pack = make_pack()
    import_pack(database, pack)
    frozen = next(iter(pack.fixtures.fixtures.values()))
    changed = canonical_bytes({**frozen.fixture.body(), "reply": "changed"})
    with database.transaction() as connection:
        tamper(connection, f"UPDATE fixture SET content = decode('{changed.hex()}', 'hex')")
    found = load_pack(database, "sample").fixtures.fixtures[frozen.fixture.key]
    assert found.fixture.reply == "changed"
    assert found.recorded_hash == frozen.recorded_hash
    assert not found.intact


def test_fixture_set_row_holds_the_bytes_its_hash_covers() -> None:
    fixture = next(iter(make_fixture_set().fixtures.values())).fixture
    fixtures = FixtureSet(
        id="f", version=3, fixtures={fixture.key: FrozenFixture(fixture=fixture, recorded_hash=fixture.digest())}
    )
    assert sha256_hex(fixture_set_content(fixtures)) == fixtures.content_hash


def test_database_itself_refuses_forbidden_semantics(database: Database) -> None:
    row = (
        "INSERT INTO tool_version (pack_id, id, version, hash, content, access, semantics, requires_login,"
        " untrusted_output) VALUES ('p', 'quiet', 1, repeat('0', 64), '', 'write', :semantics, true, false)"
    )
    with database.transaction() as connection:
        connection.execute(text("INSERT INTO tool VALUES ('p', 'quiet')"))
    for semantics in FORBIDDEN_SEMANTICS:
        with (
            pytest.raises(StoreError, match="ck_tool_version_semantics_are_allowed"),
            database.transaction() as connection,
        ):
            connection.execute(text(row), {"semantics": semantics})


@pytest.mark.parametrize("form", ["{}", "{}_fund", "quick_{}", "do_{}_now"])
def test_database_itself_refuses_a_forbidden_verb_in_a_name(database: Database, form: str) -> None:
    for verb in (*FORBIDDEN_VERBS, "Buy"):
        with pytest.raises(StoreError, match="ck_tool_name_is_allowed"), database.transaction() as connection:
            connection.execute(text("INSERT INTO tool VALUES ('p', :name)"), {"name": form.format(verb)})


def test_harmless_name_that_holds_a_forbidden_verb_as_a_part_is_allowed(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(text("INSERT INTO tool VALUES ('p', 'trader_profile'), ('p', 'orders_sold')"))


def test_imported_entry_cant_be_updated(database: Database) -> None:
    import_pack(database, make_pack())
    for table in {shelf.name for shelf in SHELVES.values()}:
        with pytest.raises(StoreError, match=f"{table}_is_written_once"), database.transaction() as connection:
            connection.execute(text(f"UPDATE {table} SET content = 'other'"))


def test_tool_parameter_named_with_nul_is_refused_without_a_trace(database: Database) -> None:
    pack = make_pack()
    odd = make_tool(
        "odd",
        parameters={"type": "object", "additionalProperties": False, "properties": {"a\x00b": {"type": "string"}}},
    )
    catalogue = replace(pack.catalogue, tools={**pack.catalogue.tools, "odd": odd})
    with pytest.raises(StoreError) as caught:
        import_pack(database, replace(pack, catalogue=catalogue))
    assert caught.value.code == "DB-TEXT-001"
    assert list_packs(database) == []
