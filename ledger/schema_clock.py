"""The table of probe mails: our own mail to our own mailbox, whose receipt time shows what the mail server's clock says."""

from sqlalchemy import Column, Integer, String, Table, Text

from ledger.columns import METADATA, Instant

CLOCK_PROBES = Table(
    "clock_probes",
    METADATA,
    Column("mailbox", String(255), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("message_id", String(255), nullable=False, unique=True),
    Column("sent_at", Instant, nullable=False),
    Column("accepted_at", Instant),
    Column("stored_at", Instant),
    Column("seen_at", Instant),
    Column("failure", Text),
)
"""``sent_at``, ``accepted_at``, ``seen_at`` by our clock; ``stored_at``: INTERNALDATE, whole seconds of the server's clock."""
