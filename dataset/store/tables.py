"""Every table, as the newest migration leaves it: bank, catalogue, batches and runs.

Entries of a pack share `pack_id`, `id`, `version`, `hash` and `content`, the canonical bytes that the hash
covers; the other columns repeat what is queried. Ids are unique within a pack, so packs of two authors never meet.
Triggers and column storage, which metadata can't say, stand in the migrations alone.
"""

from __future__ import annotations

from typing import get_args

from sqlalchemy import (
    ARRAY,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.schema import SchemaItem

from dataset.artifacts.artifact import RunStatus, Verdict
from dataset.tools.scene import LOGIN_STATES
from dataset.tools.tool import FORBIDDEN_NAME, FORBIDDEN_SEMANTICS, Access

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

DOCUMENT_KINDS = ("pack", "prompt", "guardrails", "template", "transcript")


def _one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(repr(value) for value in values)})"


def _key(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True)


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null)


def _hash(name: str) -> tuple[Column[str], CheckConstraint]:
    return _text(name), CheckConstraint(f"{name} ~ '^[0-9a-f]{{64}}$'", name=f"{name}_is_sha256")


def _entry_table(name: str, *more: SchemaItem, keys: tuple[str, ...] = ("id",)) -> Table:
    """A table of versioned entries: the five columns of every entry, then its own."""
    return Table(
        name,
        metadata,
        _key("pack_id"),
        *(_key(key) for key in keys),
        Column("version", Integer, primary_key=True, autoincrement=False),
        *_hash("hash"),
        Column("content", LargeBinary, nullable=False),
        *more,
    )


# the bank

question = _entry_table("question", _text("category"), _text("scene"), _text("login_state"))
gold = _entry_table(
    "gold",
    Column("question_version", Integer, nullable=False),
    ForeignKeyConstraint(
        ["pack_id", "id", "question_version"], ["question.pack_id", "question.id", "question.version"]
    ),
)
variant = _entry_table(
    "variant",
    _text("locale"),
    _text("tool_delivery"),
    _text("context_strategy"),
    _text("prompt"),
    Column("prompt_version", Integer, nullable=False),
)

# the catalogue

tool = Table(
    "tool",
    metadata,
    _key("pack_id"),
    _key("id"),
    CheckConstraint(f"id !~* '{FORBIDDEN_NAME}'", name="name_is_allowed"),
)
tool_version = _entry_table(
    "tool_version",
    _text("access"),
    _text("semantics"),
    Column("requires_login", Boolean, nullable=False),
    _text("permission", null=True),
    Column("untrusted_output", Boolean, nullable=False),
    ForeignKeyConstraint(["pack_id", "id"], ["tool.pack_id", "tool.id"]),
    CheckConstraint(f"NOT ({_one_of('semantics', FORBIDDEN_SEMANTICS)})", name="semantics_are_allowed"),
    CheckConstraint(_one_of("access", get_args(Access)), name="access"),
)
tool_parameter = Table(
    "tool_parameter",
    metadata,
    _key("pack_id"),
    _key("tool"),
    Column("tool_version", Integer, primary_key=True, autoincrement=False),
    _key("name"),
    Column("position", Integer, nullable=False),
    Column("required", Boolean, nullable=False),
    Column("schema", LargeBinary, nullable=False),
    ForeignKeyConstraint(
        ["pack_id", "tool", "tool_version"], ["tool_version.pack_id", "tool_version.id", "tool_version.version"]
    ),
)
permission = _entry_table("permission", Column("granted_to", ARRAY(Text), nullable=False))
scene = _entry_table("scene")
scene_tool = Table(
    "scene_tool",
    metadata,
    _key("pack_id"),
    _key("scene"),
    Column("scene_version", Integer, primary_key=True, autoincrement=False),
    _key("login_state"),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _text("tool"),
    ForeignKeyConstraint(["pack_id", "scene", "scene_version"], ["scene.pack_id", "scene.id", "scene.version"]),
    ForeignKeyConstraint(["pack_id", "tool"], ["tool.pack_id", "tool.id"]),
    CheckConstraint(_one_of("login_state", LOGIN_STATES), name="login_state"),
)
fixture_set = _entry_table("fixture_set")
fixture = _entry_table(
    "fixture",
    _text("fixture_set"),
    _text("call_key"),
    _text("tool"),
    Column("tool_version", Integer, nullable=False),
    _text("status"),
    Column("hostile", Boolean, nullable=False),
    ForeignKeyConstraint(
        ["pack_id", "fixture_set", "version"], ["fixture_set.pack_id", "fixture_set.id", "fixture_set.version"]
    ),
    ForeignKeyConstraint(
        ["pack_id", "tool", "tool_version"], ["tool_version.pack_id", "tool_version.id", "tool_version.version"]
    ),
    UniqueConstraint("pack_id", "fixture_set", "version", "call_key"),
)

# the pack as a whole

document = _entry_table("document", CheckConstraint(_one_of("kind", DOCUMENT_KINDS), name="kind"), keys=("kind", "id"))
pack = Table(
    "pack",
    metadata,
    _key("id"),
    Column("version", Integer, primary_key=True, autoincrement=False),
    *_hash("hash"),
    Column("manifest", LargeBinary, nullable=False),
    Column("imported_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
)

# batches and their runs

batch = Table(
    "batch",
    metadata,
    _key("id"),
    _text("pack_id"),
    Column("pack_version", Integer, nullable=False),
    Column("definition", LargeBinary, nullable=False),
    *_hash("definition_hash"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
    Column("terms", LargeBinary),
    Column("terms_hash", Text),
    CheckConstraint(
        "(terms IS NULL) = (terms_hash IS NULL) AND terms_hash ~ '^[0-9a-f]{64}$'", name="terms_hash_is_sha256"
    ),
    ForeignKeyConstraint(["pack_id", "pack_version"], ["pack.id", "pack.version"]),
)
run = Table(
    "run",
    metadata,
    _key("run_id"),
    Column("batch_id", Text, ForeignKey("batch.id"), nullable=False),
    Column("position", Integer, nullable=False),
    _text("case_id"),
    _text("variant_id"),
    Column("repeat", Integer, nullable=False),
    _text("model_key"),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("supersedes", Text, ForeignKey("run.run_id")),
    UniqueConstraint("batch_id", "position", "revision"),
    UniqueConstraint("batch_id", "case_id", "variant_id", "repeat", "model_key", "revision"),
    CheckConstraint("(revision = 1) = (supersedes IS NULL)", name="a_later_revision_supersedes"),
)
event = Table(
    "event",
    metadata,
    Column("run_id", Text, ForeignKey("run.run_id"), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    _text("kind"),
    Column("body", LargeBinary, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
)
artifact = Table(
    "artifact",
    metadata,
    Column("run_id", Text, ForeignKey("run.run_id"), primary_key=True),
    Column("attempt", Integer, nullable=False),
    *_hash("artifact_hash"),
    _text("verdict"),
    _text("status"),
    Column("bytes", LargeBinary, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    CheckConstraint(_one_of("verdict", get_args(Verdict)), name="verdict"),
    CheckConstraint(_one_of("status", get_args(RunStatus)), name="status"),
)
release = Table(
    "release",
    metadata,
    _key("digest"),
    Column("batch_ids", ARRAY(Text), nullable=False),
    _text("target_name"),
    Column("run_count", Integer, nullable=False),
    Column("published_at", DateTime(timezone=True), nullable=False),
    Column("number", Integer, nullable=True),
    Column("revised_ids", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("signed_by", ARRAY(Text), nullable=False, server_default=text("'{}'")),
)
