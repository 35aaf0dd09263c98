"""The Alembic environment and every version of the schema."""
