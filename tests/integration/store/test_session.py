from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg import connect as psycopg_connect
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from dataset.store import session
from dataset.store.address import AddressError, parse_address
from dataset.store.errors import SchemaError, StoreError
from dataset.store.execution_tables import metadata
from dataset.store.schema import alembic_config
from dataset.store.session import Database, connect, open_database, schema_status, upgrade

OURS = {"include_name": lambda name, kind, parents: not str(name).startswith("procrastinate_")}
"""The queue library's own tables stand in no model of ours."""
SECRET = "hunter2" + "-and-more"


def checks_and_keys(connection: Connection) -> set[tuple[str, str, str]]:
    statement = """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'alembic_version'
            AND conrelid::regclass::text NOT LIKE 'procrastinate%'
    """
    return {(table, name, definition) for table, name, definition in connection.execute(text(statement))}


def columns(connection: Connection) -> set[tuple[str, ...]]:
    statement = """
        SELECT table_name, column_name, data_type, is_nullable, coalesce(column_default, '')
        FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name <> 'alembic_version' AND table_name NOT LIKE 'procrastinate%'
    """
    return {tuple(row) for row in connection.execute(text(statement))}


def test_migrations_lead_to_the_tables_of_the_code(database: Database, empty_database_url: str) -> None:
    with connect(empty_database_url, check_schema=False) as modelled:
        with modelled.transaction() as connection:
            metadata.create_all(connection)
        with database.transaction() as migrated, modelled.transaction() as created:
            assert compare_metadata(MigrationContext.configure(migrated, opts=OURS), metadata) == []
            assert checks_and_keys(migrated) == checks_and_keys(created)
            assert columns(migrated) == columns(created)


def test_migrations_can_be_taken_back_and_made_again(database: Database) -> None:
    with database.transaction() as connection:
        command.downgrade(alembic_config(connection), "base")
        left = connection.execute(text("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"))
        assert left.scalar_one() == 2  # Alembic's own table and its key
    assert schema_status(database).state == "missing"
    upgrade(database)
    assert schema_status(database).state == "current"


def test_upgrades_at_once_all_succeed(empty_database_url: str) -> None:
    barrier, failures = threading.Barrier(3), []

    def work() -> None:
        with connect(empty_database_url, check_schema=False) as database:
            barrier.wait()
            try:
                upgrade(database)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with connect(empty_database_url) as database:
        assert schema_status(database).state == "current"


def test_database_without_schema_names_the_command(empty_database_url: str) -> None:
    with pytest.raises(SchemaError, match="no Glassbench schema yet") as caught:
        connect(empty_database_url)
    assert (caught.value.code, caught.value.hint) == ("DB-SCHEMA-001", "glassbench db upgrade")


def test_old_schema_names_the_command(database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alembic.script.ScriptDirectory.get_current_head", lambda _: "9999")
    with pytest.raises(SchemaError, match="is 0004; this program needs 9999") as caught:
        connect(database_url)
    assert (caught.value.code, caught.value.hint) == ("DB-SCHEMA-002", "glassbench db upgrade")


def test_schema_of_a_newer_program_is_neither_used_nor_upgraded(database: Database, database_url: str) -> None:
    with database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'from-the-future'"))
    for attempt in (lambda: connect(database_url), lambda: upgrade(database)):
        with pytest.raises(SchemaError, match="made by a newer Glassbench") as caught:
            attempt()
        assert caught.value.code == "DB-SCHEMA-003"
        assert "upgrade Glassbench" in caught.value.hint


def test_failed_upgrade_leaves_nothing(empty_database_url: str) -> None:
    with connect(empty_database_url, check_schema=False) as database:
        with database.transaction() as connection:
            connection.execute(text("CREATE TABLE run (in_the_way int)"))
        with pytest.raises(StoreError):
            upgrade(database)
        assert schema_status(database).state == "missing"
        with database.transaction() as connection:
            assert connection.execute(text("SELECT to_regclass('question')")).scalar_one() is None


def test_server_that_is_too_old_is_refused_with_both_versions(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "OLDEST_SERVER", 990000)
    with pytest.raises(StoreError, match=r"is \d+\..*; Glassbench needs 99 or newer") as caught:
        connect(database_url)
    assert caught.value.code == "DB-SERVER-001"


def test_database_that_isnt_utf8_is_refused(database_server: str) -> None:
    url = make_url(database_server)
    libpq = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg_connect(libpq, autocommit=True) as admin:
        admin.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
        try:
            with pytest.raises(StoreError, match="stores text as LATIN1") as caught:
                connect(url.set(database="latin").render_as_string(hide_password=False))
        finally:
            admin.execute("DROP DATABASE latin WITH (FORCE)")
    assert caught.value.code == "DB-SERVER-002"


@contextmanager
def closed_port() -> Iterator[int]:
    with socket.socket() as holder:  # bound but not listening: nobody else gets it, nobody answers
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def test_unreachable_server_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as port:
        monkeypatch.setenv("GLASSBENCH_DATABASE_URL", f"postgresql://owner:{SECRET}@127.0.0.1:{port}/bench")
        with pytest.raises(StoreError, match=f"127.0.0.1:{port}/bench can't be reached") as caught:
            open_database()
    assert caught.value.code == "DB-CONN-001"
    assert SECRET not in str(caught.value) + caught.value.hint
    assert caught.value.__suppress_context__


def test_missing_database_is_named(database_server: str) -> None:
    url = make_url(database_server).set(database="nowhere").render_as_string(hide_password=False)
    with pytest.raises(StoreError, match="/nowhere") as caught:
        connect(url)
    assert caught.value.code == "DB-CONN-001"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_the_scheme_opens(database_url: str, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = make_url(database_url).render_as_string(hide_password=False).replace("postgresql+psycopg", scheme, 1)
    monkeypatch.setenv("GLASSBENCH_DATABASE_URL", url)
    with open_database() as database:
        assert schema_status(database).state == "current"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:{}@h/d",
        "postgresql+asyncpg://u:{}@h/d",
        "sqlite:///x?password={}",
        "{}",
        "postgresql://u:{}@h:port/d",
    ],
)
def test_url_of_another_kind_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(url.format(SECRET))
    assert SECRET not in str(caught.value) + caught.value.hint
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_password_is_taken_out_of_any_text_in_every_form() -> None:
    address = parse_address("postgresql://u:p%40ss@h/d?sslpassword=other")
    assert address.without_secrets("p@ss p%40ss other kept") == "*** *** *** kept"
    assert "ss@" not in repr(address)


def test_lost_connection_is_a_clear_error_and_the_next_transaction_works(database: Database) -> None:
    def end_itself() -> None:
        with database.transaction() as connection:
            pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            with database.transaction() as other:
                other.execute(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": pid})
            connection.execute(text("SELECT 1"))

    with pytest.raises(StoreError) as caught:
        end_itself()
    assert caught.value.code == "DB-CONN-002"
    with database.transaction() as connection:
        assert connection.execute(text("SELECT 1")).scalar_one() == 1


def test_error_of_the_caller_rolls_back_and_passes_through(database: Database) -> None:
    def fail_after_writing() -> None:
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO tool VALUES ('p', 'quiet')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_writing()
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM tool")).scalar_one() == 0


def test_message_of_a_refused_row_holds_none_of_its_content(database: Database) -> None:
    with pytest.raises(StoreError) as caught, database.transaction() as connection:
        connection.execute(text("INSERT INTO tool VALUES ('p', :name), ('p', :name)"), {"name": SECRET})
    assert caught.value.code == "DB-CONSTRAINT-001"
    assert "pk_tool" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_role_without_rights_is_told_so(database: Database) -> None:
    script = "CREATE ROLE powerless; SET LOCAL ROLE powerless; SELECT * FROM run"
    with pytest.raises(StoreError) as caught, database.transaction() as connection:
        connection.execute(text(script))
    assert caught.value.code == "DB-PERM-001"


def test_full_disk_is_told_so(database: Database) -> None:
    raising = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    with pytest.raises(StoreError, match="disk is full") as caught, database.transaction() as connection:
        connection.execute(text(raising))
    assert caught.value.code == "DB-DISK-001"


def test_a_downgrade_that_would_lose_facts_is_refused_and_changes_nothing(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO audit_event (event_key, kind, subject, payload, payload_hash, retention, expires_at)"
                " VALUES ('k', 'policy_activated', 's', '{}', repeat('0', 64), 'security', clock_timestamp())"
            )
        )
    with pytest.raises(StoreError, match="audit_event_would_be_lost"), database.transaction() as connection:
        command.downgrade(alembic_config(connection), "base")
    assert schema_status(database).state == "current"


def test_not_even_an_imported_pack_is_lost_by_a_downgrade(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(
            text("INSERT INTO pack (id, version, hash, manifest) VALUES ('p', 1, repeat('0', 64), '{}')")
        )
    with pytest.raises(StoreError, match="pack_would_be_lost"), database.transaction() as connection:
        command.downgrade(alembic_config(connection), "base")
    assert schema_status(database).state == "current"
