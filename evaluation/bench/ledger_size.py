"""How much the ledger holds: rows, bytes, mails."""

from sqlalchemy import func, select

from evaluation.bench.recorded import LedgerSize
from ledger.columns import METADATA
from ledger.schema import CONTENT, OUTBOX, TURNS
from ledger.schema_approval import EFFECTS, REQUEST_MAILS
from ledger.store import Ledger


def ledger_size(ledger: Ledger) -> LedgerSize:
    """A consistent count of everything."""
    tables = {name: table for name, table in METADATA.tables.items() if name != "alembic_version"}
    content = select(CONTENT.c.media_type, func.sum(func.length(CONTENT.c.body))).group_by(CONTENT.c.media_type)
    contexts = select(func.sum(func.length(CONTENT.c.body))).where(CONTENT.c.digest.in_(select(TURNS.c.context_digest)))
    queued = select(func.count()).select_from(OUTBOX).where(OUTBOX.c.kind == "mail", OUTBOX.c.done_at.is_not(None))
    executed = select(func.count()).select_from(EFFECTS).where(EFFECTS.c.outcome == "executed")
    with ledger.reading() as connection:
        return LedgerSize(
            rows={name: connection.scalar(select(func.count()).select_from(t)) or 0 for name, t in tables.items()},
            content_bytes={media_type: int(size) for media_type, size in connection.execute(content).tuples()},
            context_bytes=int(connection.scalar(contexts) or 0),
            request_mails=int(connection.scalar(select(func.sum(REQUEST_MAILS.c.copies))) or 0),
            other_mails=connection.scalar(queued) or 0,
            effects=connection.scalar(executed) or 0,
        )


def grown(before: LedgerSize, after: LedgerSize) -> LedgerSize:
    """What came in between."""
    return LedgerSize(
        rows={name: count - before.rows.get(name, 0) for name, count in after.rows.items()},
        content_bytes={kind: size - before.content_bytes.get(kind, 0) for kind, size in after.content_bytes.items()},
        context_bytes=after.context_bytes - before.context_bytes,
        request_mails=after.request_mails - before.request_mails,
        other_mails=after.other_mails - before.other_mails,
        effects=after.effects - before.effects,
    )
