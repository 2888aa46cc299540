"""The tables of approval and effect: requests, mails, evidence, decisions, blocks, effects.

Two constraints keep a write and anything that speaks against it apart (design.md section 4, dispatch gate): while an effect's
outcome is open its ``guard_open`` is 1 and refers to ``steps.is_open`` and ``requests.is_live``; a block sets ``is_open`` to
0, a withdrawal or a newer review sets ``is_live`` to 0, and neither can while the intent refers to it, nor the other way round.
"""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from ledger.columns import METADATA, Instant, digest_column, run_column

ASKED = Table(
    "asked",
    METADATA,
    run_column(primary_key=True),
    digest_column("call_digest", primary_key=True),
    Column("step", Integer, nullable=False),
)

REQUESTS = Table(
    "requests",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("review", Integer, primary_key=True, autoincrement=False),
    digest_column("call_digest", nullable=False),
    Column("policy_version", String(255), nullable=False),
    Column("plan", Text, nullable=False),
    Column("cause", String(32), nullable=False),
    Column("opaque_id", String(255), nullable=False, unique=True),
    Column("reply_address", String(320), nullable=False, unique=True),
    Column("status", String(32), nullable=False),
    Column("is_live", Integer, nullable=False),
    Column("detail", Text, nullable=False),
    Column("composed_at", Instant, nullable=False),
    Column("deadline", Instant, nullable=False),
    Column("opens_at", Instant),
    Column("accepted_at", Instant),
    ForeignKeyConstraint(["run_id", "step"], ["steps.run_id", "steps.step"]),
    UniqueConstraint("run_id", "step", "review", "is_live"),
    CheckConstraint("is_live IN (0, 1)", name="is_live"),
)

REQUEST_MAILS = Table(
    "request_mails",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("review", Integer, primary_key=True, autoincrement=False),
    Column("addressee", Integer, primary_key=True, autoincrement=False),
    Column("person", String(255), nullable=False),
    Column("address", String(320), nullable=False),
    Column("message_id", String(255), nullable=False, unique=True),
    digest_column("content_digest", nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("copies", Integer, nullable=False),
    Column("sending_at", Instant),
    Column("accepted_at", Instant),
    Column("response", Text, nullable=False),
    Column("failure", Text),
    ForeignKeyConstraint(
        ["run_id", "step", "review"],
        ["requests.run_id", "requests.step", "requests.review"],
        name="fk_request_mails_request",
    ),
)

SENT_IDS = Table(
    "sent_ids",
    METADATA,
    Column("message_id", String(255), primary_key=True),
    run_column(),
    Column("step", Integer, nullable=False),
    Column("review", Integer, nullable=False),
    Column("message_type", String(32), nullable=False),
)

MAILS = Table(
    "mails",
    METADATA,
    digest_column("raw_digest", primary_key=True),
    run_column(),
    Column("step", Integer),
    Column("review", Integer),
    Column("outcome", String(32), nullable=False),
    Column("check_number", Integer, nullable=False),
    Column("reason", String(255), nullable=False),
    digest_column("message_key"),
    Column("message_id", Text),
    digest_column("content_digest", nullable=False),
    Column("person", String(255)),
    Column("judgement", Text, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "run_id"),
    Index(None, "outcome"),
)

EVIDENCE = Table(
    "evidence",
    METADATA,
    Column("evidence_id", String(64), ForeignKey("mails.raw_digest"), primary_key=True),
    digest_column("message_key", nullable=False, unique=True),
    digest_column("content_digest", nullable=False),
    run_column(),
    Column("step", Integer, nullable=False),
    Column("review", Integer, nullable=False),
    Column("person", String(255), nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "run_id", "step"),
)

DECISIONS = Table(
    "decisions",
    METADATA,
    Column("evidence_id", String(64), ForeignKey("mails.raw_digest"), primary_key=True),
    run_column(primary_key=True),
    Column("step", Integer, nullable=False),
    Column("review", Integer, nullable=False),
    Column("outcome", String(32), nullable=False),
    Column("reason", String(255), nullable=False),
    Column("person", String(255), nullable=False),
    Column("principal", String(255), nullable=False),
    Column("received_at", Instant, nullable=False),
    digest_column("call_digest", nullable=False),
    Column("policy_version", String(255), nullable=False),
    digest_column("comment_digest"),
    Column("clock_skew_seconds", Float),
    Column("at", Instant, nullable=False),
    Index(None, "run_id", "step", "review"),
)

VOTES = Table(
    "votes",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("review", Integer, primary_key=True, autoincrement=False),
    Column("person", String(255), primary_key=True),
    Column("principal", String(255), nullable=False),
    digest_column("call_digest", nullable=False),
    Column("evidence_id", String(64), ForeignKey("evidence.evidence_id"), nullable=False, unique=True),
    ForeignKeyConstraint(
        ["run_id", "step", "review"], ["requests.run_id", "requests.step", "requests.review"], name="fk_votes_request"
    ),
)

BLOCKS = Table(
    "blocks",
    METADATA,
    Column("id", Integer, primary_key=True),
    run_column(),
    Column("step", Integer),
    Column("kind", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("evidence_id", String(64)),
    Column("actor", String(255)),
    Column("waits", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    Column("lifted_at", Instant),
    Column("lifted_by", String(255)),
    Index(None, "run_id"),
)

EFFECTS = Table(
    "effects",
    METADATA,
    Column("effect_key", String(255), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("step", Integer, nullable=False),
    Column("review", Integer, nullable=False),
    digest_column("call_digest", nullable=False),
    Column("repeatability_id", String(64), nullable=False, unique=True),
    Column("guard_open", Integer),
    Column("outcome", String(16)),
    digest_column("result_digest"),
    Column("settled_by", String(255)),
    Column("opened_at", Instant, nullable=False),
    Column("recorded_at", Instant),
    UniqueConstraint("run_id", "step"),
    ForeignKeyConstraint(
        ["run_id", "step", "review"], ["requests.run_id", "requests.step", "requests.review"], name="fk_effects_request"
    ),
    ForeignKeyConstraint(
        ["run_id", "step", "guard_open"], ["steps.run_id", "steps.step", "steps.is_open"], name="fk_effects_open_step"
    ),
    ForeignKeyConstraint(
        ["run_id", "step", "review", "guard_open"],
        ["requests.run_id", "requests.step", "requests.review", "requests.is_live"],
        name="fk_effects_live_request",
    ),
    CheckConstraint("guard_open = 1", name="guard_open"),
)
