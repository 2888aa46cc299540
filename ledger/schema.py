"""The tables of runs and of the ledger itself. Plain SQL types only: what SQLite and PostgreSQL both take."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from ledger.columns import METADATA, Instant, digest_column, run_column

META = Table("meta", METADATA, Column("id", Integer, primary_key=True), Column("epoch", String(64), nullable=False))

CONTENT = Table(
    "content",
    METADATA,
    digest_column("digest", primary_key=True),
    Column("media_type", String(100), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("at", Instant, nullable=False),
)

CONTENT_USES = Table(
    "content_uses",
    METADATA,
    digest_column("digest", primary_key=True),
    run_column(primary_key=True),
    Index(None, "run_id"),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    digest_column("task_key_digest", nullable=False),
    digest_column("request_digest", nullable=False),
    Column("task", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("requester", String(255), nullable=False),
    Column("state", String(32), nullable=False),
    Column("detail", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("temporal_run_id", String(64)),
    Column("registered_at", Instant, nullable=False),
    Column("state_at", Instant, nullable=False),
    Column("closed_at", Instant),
    Column("audit_seq", Integer, nullable=False),
    digest_column("audit_hash", nullable=False),
    Column("trail_key", String(64), nullable=False, server_default=""),
    Column("policy_version", String(255), nullable=False, server_default=""),
    Column("erased_at", Instant),
    Column("folders_erased_at", Instant),
    Index(None, "state"),
    Index(None, "registered_at"),
    Index(None, "closed_at"),
)

TURNS = Table(
    "turns",
    METADATA,
    run_column(primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("step", Integer),
    Column("action", String(16), nullable=False),
    digest_column("turn_digest", nullable=False),
    digest_column("context_digest", nullable=False),
    Column("at", Instant, nullable=False),
)

STEPS = Table(
    "steps",
    METADATA,
    run_column(primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    Column("is_open", Integer, nullable=False),
    digest_column("verdict_digest"),
    digest_column("validated_digest"),
    digest_column("call_digest"),
    UniqueConstraint("run_id", "turn"),
    UniqueConstraint("run_id", "step", "is_open"),
    CheckConstraint("is_open IN (0, 1)", name="is_open"),
)

OBSERVATIONS = Table(
    "observations",
    METADATA,
    run_column(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    digest_column("digest", nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("run_id", "turn", "digest"),
)

OUTBOX = Table(
    "outbox",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("key", String(500), nullable=False, unique=True),
    Column("run_id", String(64), ForeignKey("runs.run_id")),
    Column("payload", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", Text),
    Column("at", Instant, nullable=False),
    Column("done_at", Instant),
    Index(None, "done_at", "kind"),
)

MAILBOXES = Table(
    "mailboxes",
    METADATA,
    Column("mailbox", String(255), primary_key=True),
    Column("uidvalidity", BigInteger, nullable=False),
    Column("uid", BigInteger, nullable=False),
    Column("read_past", Instant),
    Column("at", Instant, nullable=False),
)

LEASES = Table(
    "leases",
    METADATA,
    Column("name", String(255), primary_key=True),
    Column("holder", String(255), nullable=False),
    Column("expires_at", Instant, nullable=False),
)

OPERATOR_ACTS = Table(
    "operator_acts",
    METADATA,
    Column("id", Integer, primary_key=True),
    run_column(),
    Column("kind", String(32), nullable=False),
    Column("actor", String(255), nullable=False),
    Column("role", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "run_id"),
)

AUDIT = Table(
    "audit",
    METADATA,
    run_column(primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    Column("payload", Text, nullable=False),
    digest_column("prev_hash", nullable=False),
    digest_column("hash", nullable=False, unique=True),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("public", Text),
    Column("whole", String(64), nullable=False, server_default=""),
    Column("salt", String(64), nullable=False, server_default=""),
    Column("erased", Integer, nullable=False, server_default="0"),
)
