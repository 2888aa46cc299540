"""The first schema (ledger.schema, ledger.schema_approval)."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    _ledger()
    _runs()
    _turns()
    _trail()
    _requests()
    _request_mails()
    _mails()
    _decisions()
    _effects()


def downgrade() -> None:
    """Never: dropping tables would destroy evidence."""
    raise RuntimeError("the ledger holds evidence and is never taken back: restore a backup instead")


def _ledger() -> None:
    """Of the ledger itself."""
    op.create_table(
        "content",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_content")),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("holder", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "mailboxes",
        sa.Column("mailbox", sa.String(length=255), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("read_past", sa.DateTime(timezone=True), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", name=op.f("pk_mailboxes")),
    )
    op.create_table(
        "meta",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meta")),
    )


def _runs() -> None:
    """Runs and what was done to them."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("task_key_digest", sa.String(length=64), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("requester", sa.String(length=255), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("temporal_run_id", sa.String(length=64), nullable=True),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("audit_seq", sa.Integer(), nullable=False),
        sa.Column("audit_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_state"), "runs", ["state"], unique=False)
    op.create_table(
        "operator_acts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=255), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_operator_acts_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_acts")),
    )
    op.create_index(op.f("ix_operator_acts_run_id"), "operator_acts", ["run_id"], unique=False)


def _turns() -> None:
    """Turns of the brain, steps, observations."""
    op.create_table(
        "turns",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("turn", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("turn_digest", sa.String(length=64), nullable=False),
        sa.Column("context_digest", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_turns_run_id")),
        sa.PrimaryKeyConstraint("run_id", "turn", name=op.f("pk_turns")),
    )
    op.create_table(
        "steps",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("is_open", sa.Integer(), nullable=False),
        sa.Column("verdict_digest", sa.String(length=64), nullable=True),
        sa.Column("validated_digest", sa.String(length=64), nullable=True),
        sa.Column("call_digest", sa.String(length=64), nullable=True),
        sa.CheckConstraint("is_open IN (0, 1)", name=op.f("ck_steps_is_open")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_steps_run_id")),
        sa.PrimaryKeyConstraint("run_id", "step", name=op.f("pk_steps")),
        sa.UniqueConstraint("run_id", "step", "is_open", name=op.f("uq_steps_run_id_step_is_open")),
        sa.UniqueConstraint("run_id", "turn", name=op.f("uq_steps_run_id_turn")),
    )
    op.create_table(
        "observations",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_observations_run_id")),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_observations")),
        sa.UniqueConstraint("run_id", "turn", "digest", name=op.f("uq_observations_run_id_turn_digest")),
    )


def _trail() -> None:
    """Outbox and audit chain."""
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=500), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_outbox_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
    )
    op.create_index(op.f("ix_outbox_done_at_kind"), "outbox", ["done_at", "kind"], unique=False)
    op.create_table(
        "audit",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_audit_run_id")),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_audit")),
        sa.UniqueConstraint("hash", name=op.f("uq_audit_hash")),
    )


def _requests() -> None:
    """Requests for approval."""
    op.create_table(
        "asked",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("call_digest", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_asked_run_id")),
        sa.PrimaryKeyConstraint("run_id", "call_digest", name=op.f("pk_asked")),
    )
    op.create_table(
        "requests",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("review", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("call_digest", sa.String(length=64), nullable=False),
        sa.Column("policy_version", sa.String(length=255), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("cause", sa.String(length=32), nullable=False),
        sa.Column("opaque_id", sa.String(length=255), nullable=False),
        sa.Column("reply_address", sa.String(length=320), nullable=False),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("is_live", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("composed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("is_live IN (0, 1)", name=op.f("ck_requests_is_live")),
        sa.ForeignKeyConstraint(
            ["run_id", "step"], ["steps.run_id", "steps.step"], name=op.f("fk_requests_run_id_step")
        ),
        sa.PrimaryKeyConstraint("run_id", "step", "review", name=op.f("pk_requests")),
        sa.UniqueConstraint("opaque_id", name=op.f("uq_requests_opaque_id")),
        sa.UniqueConstraint("reply_address", name=op.f("uq_requests_reply_address")),
        sa.UniqueConstraint("run_id", "step", "review", "is_live", name=op.f("uq_requests_run_id_step_review_is_live")),
    )


def _request_mails() -> None:
    """Copies sent, and every Message-ID of ours."""
    op.create_table(
        "request_mails",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("review", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("addressee", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.String(length=255), nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("message_id", sa.String(length=255), nullable=False),
        sa.Column("content_digest", sa.String(length=64), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("copies", sa.Integer(), nullable=False),
        sa.Column("sending_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id", "step", "review"],
            ["requests.run_id", "requests.step", "requests.review"],
            name="fk_request_mails_request",
        ),
        sa.PrimaryKeyConstraint("run_id", "step", "review", "addressee", name=op.f("pk_request_mails")),
        sa.UniqueConstraint("message_id", name=op.f("uq_request_mails_message_id")),
    )
    op.create_table(
        "sent_ids",
        sa.Column("message_id", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("review", sa.Integer(), nullable=False),
        sa.Column("message_type", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_sent_ids_run_id")),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_sent_ids")),
    )


def _mails() -> None:
    """Judged mail and the evidence that it claims."""
    op.create_table(
        "mails",
        sa.Column("raw_digest", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("review", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("check_number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=255), nullable=False),
        sa.Column("message_key", sa.String(length=64), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("content_digest", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=255), nullable=True),
        sa.Column("judgement", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_mails_run_id")),
        sa.PrimaryKeyConstraint("raw_digest", name=op.f("pk_mails")),
    )
    op.create_index(op.f("ix_mails_run_id"), "mails", ["run_id"], unique=False)
    op.create_table(
        "evidence",
        sa.Column("evidence_id", sa.String(length=64), nullable=False),
        sa.Column("message_key", sa.String(length=64), nullable=False),
        sa.Column("content_digest", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("review", sa.Integer(), nullable=False),
        sa.Column("person", sa.String(length=255), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["evidence_id"], ["mails.raw_digest"], name=op.f("fk_evidence_evidence_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_evidence_run_id")),
        sa.PrimaryKeyConstraint("evidence_id", name=op.f("pk_evidence")),
        sa.UniqueConstraint("message_key", name=op.f("uq_evidence_message_key")),
    )
    op.create_index(op.f("ix_evidence_run_id_step"), "evidence", ["run_id", "step"], unique=False)


def _decisions() -> None:
    """Decisions and votes."""
    op.create_table(
        "decisions",
        sa.Column("evidence_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("review", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("reason", sa.String(length=255), nullable=False),
        sa.Column("person", sa.String(length=255), nullable=False),
        sa.Column("principal", sa.String(length=255), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("call_digest", sa.String(length=64), nullable=False),
        sa.Column("policy_version", sa.String(length=255), nullable=False),
        sa.Column("comment_digest", sa.String(length=64), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["evidence_id"], ["mails.raw_digest"], name=op.f("fk_decisions_evidence_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_decisions_run_id")),
        sa.PrimaryKeyConstraint("evidence_id", "run_id", name=op.f("pk_decisions")),
    )
    op.create_index(op.f("ix_decisions_run_id_step_review"), "decisions", ["run_id", "step", "review"], unique=False)
    op.create_table(
        "votes",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("review", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.String(length=255), nullable=False),
        sa.Column("principal", sa.String(length=255), nullable=False),
        sa.Column("call_digest", sa.String(length=64), nullable=False),
        sa.Column("evidence_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["evidence_id"], ["evidence.evidence_id"], name=op.f("fk_votes_evidence_id")),
        sa.ForeignKeyConstraint(
            ["run_id", "step", "review"],
            ["requests.run_id", "requests.step", "requests.review"],
            name="fk_votes_request",
        ),
        sa.PrimaryKeyConstraint("run_id", "step", "review", "person", name=op.f("pk_votes")),
        sa.UniqueConstraint("evidence_id", name=op.f("uq_votes_evidence_id")),
    )


def _effects() -> None:
    """Blocks and effects, kept apart by the guards."""
    op.create_table(
        "blocks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.String(length=64), nullable=True),
        sa.Column("actor", sa.String(length=255), nullable=True),
        sa.Column("waits", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lifted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lifted_by", sa.String(length=255), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_blocks_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
    )
    op.create_index(op.f("ix_blocks_run_id"), "blocks", ["run_id"], unique=False)
    op.create_table(
        "effects",
        sa.Column("effect_key", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("review", sa.Integer(), nullable=False),
        sa.Column("call_digest", sa.String(length=64), nullable=False),
        sa.Column("repeatability_id", sa.String(length=64), nullable=False),
        sa.Column("guard_open", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("result_digest", sa.String(length=64), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("guard_open = 1", name=op.f("ck_effects_guard_open")),
        sa.ForeignKeyConstraint(
            ["run_id", "step", "guard_open"],
            ["steps.run_id", "steps.step", "steps.is_open"],
            name="fk_effects_open_step",
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "step", "review", "guard_open"],
            ["requests.run_id", "requests.step", "requests.review", "requests.is_live"],
            name="fk_effects_live_request",
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "step", "review"],
            ["requests.run_id", "requests.step", "requests.review"],
            name="fk_effects_request",
        ),
        sa.PrimaryKeyConstraint("effect_key", name=op.f("pk_effects")),
        sa.UniqueConstraint("repeatability_id", name=op.f("uq_effects_repeatability_id")),
        sa.UniqueConstraint("run_id", "step", name=op.f("uq_effects_run_id_step")),
    )
