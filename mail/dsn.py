"""What we ask of servers that know delivery status notifications (RFC 3461): reports of failure only, which name our mail."""

import re

from mail.headers import read_headers

LONGEST_ENVELOPE_ID = 100
"""Characters that a server must be able to take (RFC 3461, 4.4)."""


def mail_options(raw: bytes) -> list[str]:
    """Of MAIL: the headers come back, and the envelope id is the Message-ID of the mail."""
    envelope = xtext(read_headers(raw[: 1 << 17]).first("message-id").strip().strip("<>"))
    return ["RET=HDRS", *([f"ENVID={envelope}"] if 0 < len(envelope) <= LONGEST_ENVELOPE_ID else [])]


def recipient_options(recipient: str) -> list[str]:
    """Of RCPT: nobody tells us of success or delay; a failure names the address that we sent to, wherever it was sent on."""
    return ["NOTIFY=FAILURE", *([f"ORCPT=rfc822;{xtext(recipient)}"] if recipient.isascii() else [])]


def xtext(text: str) -> str:
    """RFC 3461, 4: printable ASCII but ``+`` and ``=``; all else as ``+`` and two hex digits. Empty for what is not ASCII."""
    if not text.isascii():
        return ""
    return re.sub(r"[^!-~]|[+=]", lambda found: f"+{ord(found[0]):02X}", text)


def from_xtext(text: str) -> str:
    """The text that was encoded."""
    return re.sub(r"\+([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)
