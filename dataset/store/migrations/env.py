"""Alembic's entry: runs inside the transaction and on the connection that `dataset.store.schema` hands over."""

from __future__ import annotations

from alembic import context

from dataset.store import execution_tables

context.configure(connection=context.config.attributes["connection"], target_metadata=execution_tables.metadata)
with context.begin_transaction():
    context.run_migrations()
