"""A probe mail: ours, to our own mailbox, sent to see what the mail server's clock says."""

from datetime import datetime

from wire.base import Wire


class ClockProbe(Wire):
    """One probe. ``sent_at``, ``accepted_at`` and ``seen_at`` are by our clock; ``stored_at`` is INTERNALDATE.

    ``sent_at`` was taken before the first byte went out, ``seen_at`` after the mail was found in the mailbox, so that the
    server stored it in between. INTERNALDATE has whole seconds (RFC 9051, 2.3.3).
    """

    mailbox: str
    number: int
    message_id: str
    sent_at: datetime
    accepted_at: datetime | None = None
    stored_at: datetime | None = None
    seen_at: datetime | None = None
    failure: str | None = None
