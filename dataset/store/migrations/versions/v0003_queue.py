"""The schema of the queue library, as the library itself makes it.

Revision ID: 0003
Revises: 0002
"""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Straight to the driver: the script holds percent signs, which are no parameters.
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    driver.execute(SchemaManager.get_schema())


def downgrade() -> None:
    """Tickets are signals, not facts: what is open follows from batches and slices."""
    op.execute(
        """
        DO $$ DECLARE made record;
        BEGIN
            FOR made IN SELECT oid::regclass AS name FROM pg_class
                WHERE relkind = 'r' AND relname LIKE 'procrastinate\\_%' AND pg_table_is_visible(oid) LOOP
                EXECUTE format('DROP TABLE %s CASCADE', made.name);
            END LOOP;
            FOR made IN SELECT oid::regprocedure AS name FROM pg_proc
                WHERE proname LIKE 'procrastinate\\_%' AND pg_function_is_visible(oid) LOOP
                EXECUTE format('DROP FUNCTION %s CASCADE', made.name);
            END LOOP;
            FOR made IN SELECT oid::regtype AS name FROM pg_type
                WHERE typname LIKE 'procrastinate\\_%' AND typtype IN ('e', 'c') AND pg_type_is_visible(oid) LOOP
                EXECUTE format('DROP TYPE %s CASCADE', made.name);
            END LOOP;
        END $$
        """
    )
