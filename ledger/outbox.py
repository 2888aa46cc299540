"""What a committed transaction still owes the world: signals to runs, and mails."""

import json
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from ledger import audit
from ledger.content import put_model
from ledger.errors import IdClash
from ledger.schema import OUTBOX, RUNS
from ledger.schema_approval import SENT_IDS
from ledger.text import storable
from ledger.transactions import Store
from policies.canonical import canonical_json
from wire.approval import MailContent, OutboxItem


def add_item(
    connection: Connection,
    kind: Literal["signal", "mail"],
    key: str,
    run_id: str | None,
    payload: dict[str, Any],
    at: datetime,
) -> bool:
    """Add an item once; False when its key is known."""
    if connection.scalar(select(OUTBOX.c.id).where(OUTBOX.c.key == key)) is not None:
        return False
    text = canonical_json(payload).decode()
    connection.execute(insert(OUTBOX).values(kind=kind, key=key, run_id=run_id, payload=text, attempts=0, at=at))
    return True


def add_signal(connection: Connection, run_id: str, step: int, review: int, evidence_id: str, at: datetime) -> bool:
    """Owe a run the news that ``evidence_id`` was decided; a signal carries nothing else."""
    payload = {"run_id": run_id, "step": step, "review": review, "evidence_id": evidence_id}
    return add_item(connection, "signal", f"signal/{run_id}/{step}/{review}/{evidence_id}", run_id, payload, at)


def act_id(connection: Connection, run_id: str) -> str:
    """Stands for an evidence id where an act and no mail is the news: names the audit event that records it."""
    return f"act-{connection.scalar(select(RUNS.c.audit_seq).where(RUNS.c.run_id == run_id))}"


def claim_message_id(connection: Connection, content: MailContent) -> bool:
    """Make a Message-ID of ours known, so that replies to it find their request. False when another mail has it."""
    here = {
        "run_id": content.run_id,
        "step": content.step,
        "review": content.review,
        "message_type": content.message_type.value,
    }
    known = connection.execute(select(SENT_IDS).where(SENT_IDS.c.message_id == content.message_id)).one_or_none()
    if known is None:
        connection.execute(insert(SENT_IDS).values(message_id=content.message_id, **here))
        return True
    return bool(here.items() <= dict(known._mapping).items())


def add_mail_item(connection: Connection, key: str, content: MailContent, at: datetime) -> bool:
    """Queue a mail once and make its Message-ID known; False when its key is known. Raises IdClash."""
    if not add_item(connection, "mail", key, content.run_id, content.model_dump(mode="json"), at):
        return False
    if not claim_message_id(connection, content):
        raise IdClash(content.run_id, content.message_id)
    named = {"content": put_model(connection, content, at)}
    payload = {"message_type": content.message_type.value, "message_id": content.message_id, "key": key}
    audit.append(connection, content.run_id, "mail_queued", at, payload, named)
    return True


class Outbox(Store):
    """Reading the outbox and settling its items. An item may be seen by two dispatchers: what it causes is idempotent."""

    def add_mail(self, key: str, content: MailContent, at: datetime) -> bool:
        """Queue a mail; False when ``key`` was queued before."""
        with self.writing(content.run_id, across_runs=True) as connection:
            return add_mail_item(connection, key, content, at)

    def pending_outbox(self, kind: Literal["signal", "mail"], limit: int = 100) -> tuple[OutboxItem, ...]:
        """Items not done, least tried first, so that one that always fails holds up no other."""
        query = select(OUTBOX).where(OUTBOX.c.kind == kind, OUTBOX.c.done_at.is_(None))
        with self.reading() as connection:
            rows = connection.execute(query.order_by(OUTBOX.c.attempts, OUTBOX.c.id).limit(limit)).all()
        return tuple(
            OutboxItem(
                id=r.id, kind=r.kind, key=r.key, run_id=r.run_id, payload=json.loads(r.payload), attempts=r.attempts
            )
            for r in rows
        )

    def done(self, item_id: int, at: datetime) -> None:
        """The item has been delivered."""
        with self.writing() as connection:
            connection.execute(
                update(OUTBOX).where(OUTBOX.c.id == item_id, OUTBOX.c.done_at.is_(None)).values(done_at=at)
            )

    def failed(self, item_id: int, error: str, at: datetime) -> None:
        """One more attempt came to nothing; the item stays pending."""
        values = {"attempts": OUTBOX.c.attempts + 1, "error": storable(f"{at.isoformat()} {error}")}
        with self.writing() as connection:
            connection.execute(update(OUTBOX).where(OUTBOX.c.id == item_id).values(**values))
