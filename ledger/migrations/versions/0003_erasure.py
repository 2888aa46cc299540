"""Erasure by retention: events whose hash outlives their payload, who names which content, and effects settled by a person."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KEYS = {"sqlite": "lower(hex(randomblob(16)))", "postgresql": "replace(gen_random_uuid()::text, '-', '')"}


def upgrade() -> None:
    """Events so far stay at version 1 of the hash; what they name and under which policy is read from them."""
    op.add_column("runs", sa.Column("trail_key", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("runs", sa.Column("policy_version", sa.String(length=255), nullable=False, server_default=""))
    op.add_column("runs", sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("runs", sa.Column("folders_erased_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_runs_registered_at"), "runs", ["registered_at"])
    op.create_index(op.f("ix_runs_closed_at"), "runs", ["closed_at"])
    op.create_index(op.f("ix_mails_outcome"), "mails", ["outcome"])
    op.add_column("audit", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("audit", sa.Column("public", sa.Text(), nullable=True))
    op.add_column("audit", sa.Column("whole", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("salt", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("erased", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("effects", sa.Column("settled_by", sa.String(length=255), nullable=True))
    op.create_table(
        "content_uses",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_content_uses_run_id")),
        sa.PrimaryKeyConstraint("digest", "run_id", name=op.f("pk_content_uses")),
    )
    op.create_index(op.f("ix_content_uses_run_id"), "content_uses", ["run_id"])
    _fill()


def _fill() -> None:
    connection = op.get_bind()
    connection.execute(sa.text(f"UPDATE runs SET trail_key = {KEYS[connection.dialect.name]}"))
    for run_id, task in connection.execute(sa.text("SELECT run_id, task FROM runs")).all():
        version = json.loads(task).get("policy_version", "")
        change = sa.text("UPDATE runs SET policy_version = :version WHERE run_id = :run")
        connection.execute(change, {"version": version, "run": run_id})
    known: set[tuple[str, str]] = set()
    for run_id, payload in connection.execute(sa.text("SELECT run_id, payload FROM audit")):
        known |= {(digest, run_id) for digest in _named(payload)}
    rows = [{"digest": digest, "run": run_id} for digest, run_id in sorted(known)]
    if rows:
        connection.execute(sa.text("INSERT INTO content_uses (digest, run_id) VALUES (:digest, :run)"), rows)


def _named(payload: str) -> set[str]:
    """Digests that an event names; one that was altered is for the audit to report."""
    try:
        content = json.loads(payload).get("content", {})
        return {str(digest) for digest in content.values()}
    except (ValueError, AttributeError):
        return set()


def downgrade() -> None:
    """Never: dropping tables would destroy evidence."""
    raise RuntimeError("the ledger holds evidence and is never taken back: restore a backup instead")
