"""What a release did besides adding batches, and who signed it. Rows from before have no number.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NAMES = sa.ARRAY(sa.Text)


def upgrade() -> None:
    op.add_column("release", sa.Column("number", sa.Integer, nullable=True))
    op.add_column("release", sa.Column("revised_ids", NAMES, nullable=False, server_default=sa.text("'{}'")))
    op.add_column("release", sa.Column("signed_by", NAMES, nullable=False, server_default=sa.text("'{}'")))


def downgrade() -> None:
    op.execute(
        """
        DO $$ BEGIN
            IF EXISTS (SELECT FROM release WHERE revised_ids <> '{}' OR signed_by <> '{}') THEN
                RAISE EXCEPTION 'release holds facts that no older schema has a place for'
                    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'release_would_be_lost';
            END IF;
        END $$
        """
    )
    for column in ("signed_by", "revised_ids", "number"):
        op.drop_column("release", column)
