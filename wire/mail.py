"""What the mail side reads out of raw bytes, before anybody judges it."""

from typing import Literal

from wire.base import Wire

Automatic = Literal["auto-reply", "receipt", "calendar", "bounce", "own"]
Answer = Literal["approve", "reject", "unclear"]


class ParsedReply(Wire):
    """One message of the mailbox as values. All addresses are lower case, all ids without angle brackets.

    ``raw_digest`` is SHA-256 (hex) over the raw bytes; ``content_digest`` over the content without trace headers and transfer
    encoding, so that a redelivered or migrated copy has the same one. ``references`` is In-Reply-To and References, last first.
    For a bounce ``bounced_ids`` is what came back, ``failed_recipients`` whom it did not reach, ``failure_status`` the code.
    ``unreadable`` names the budget that the message broke (size, depth, parts, header length) or the charset that failed.
    """

    raw_digest: str
    content_digest: str
    size: int
    message_id: str | None
    automatic: Automatic | None = None
    automatic_reason: str = ""
    bounced_ids: tuple[str, ...] = ()
    failed_recipients: tuple[str, ...] = ()
    failure_status: str = ""
    from_addresses: tuple[str, ...] = ()
    sender_address: str | None = None
    recipients: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    body_refs: tuple[str, ...] = ()
    subject: str = ""
    answer: Answer = "unclear"
    answer_reason: str = ""
    keyword: str = ""
    comment: str = ""
    unreadable: str | None = None
    through_list: bool = False


class Authenticity(Wire):
    """Whether our own server (or local DKIM) vouches for the one address in From."""

    authenticated: bool
    address: str | None
    method: str = ""
    reason: str = ""


class Delivered(Wire):
    """What an SMTP server said of one message."""

    accepted_at: str
    response: str
