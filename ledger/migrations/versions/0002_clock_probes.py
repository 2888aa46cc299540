"""Probe mails that measure the mail server's clock, and the skew that a decision was made with (ledger.schema_clock)."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column; decisions before it were made with the policy's skew alone."""
    op.create_table(
        "clock_probes",
        sa.Column("mailbox", sa.String(length=255), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.String(length=255), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("mailbox", "number", name=op.f("pk_clock_probes")),
        sa.UniqueConstraint("message_id", name=op.f("uq_clock_probes_message_id")),
    )
    op.add_column("decisions", sa.Column("clock_skew_seconds", sa.Float(), nullable=True))


def downgrade() -> None:
    """Never: dropping tables would destroy evidence."""
    raise RuntimeError("the ledger holds evidence and is never taken back: restore a backup instead")
