"""What a person's mail program does with a mail: show it, and write a reply that quotes it. Bytes in, values out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr

ASKING = frozenset({"approval_request", "approval_reminder", "fresh_review_request", "clarification_request"})


@dataclass(frozen=True)
class ShownMail:
    """A mail as the program shows it. ``message_type`` is empty for mail that is not Countersign's."""

    sender: str
    reply_to: str
    recipient: str
    subject: str
    date: str
    message_id: str
    references: Sequence[str]
    message_type: str
    run_id: str
    step: str
    review: str
    text: str

    @property
    def asks(self) -> bool:
        """Does it want an answer?"""
        return self.message_type in ASKING


def show_mail(raw: bytes) -> ShownMail:
    """Headers decoded, plain text preferred."""
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(preferencelist=("plain", "html"))
    text = body.get_content() if body is not None else ""
    references = re.findall(r"<[^<>\s]+>", str(message.get("References", "")))
    return ShownMail(
        sender=str(message.get("From", "")),
        reply_to=str(message.get("Reply-To") or message.get("From", "")),
        recipient=str(message.get("To", "")),
        subject=str(message.get("Subject", "")),
        date=str(message.get("Date", "")),
        message_id=str(message.get("Message-ID", "")).strip(),
        references=references,
        message_type=str(message.get("Countersign-Message-Type", "")),
        run_id=str(message.get("Countersign-Run", "")),
        step=str(message.get("Countersign-Step", "")),
        review=str(message.get("Countersign-Review", "")),
        text=str(text),
    )


def write_reply(mail: ShownMail, typed: str, *, author: str, at: datetime, message_id: str) -> bytes:
    """The reply a mail program makes of what was typed above the quote; ``author`` is the person's own address."""
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"] = author
    reply["To"] = parseaddr(mail.reply_to)[1]
    reply["Subject"] = mail.subject if mail.subject.lower().startswith("re:") else f"Re: {mail.subject}"
    reply["Date"] = format_datetime(at)
    reply["Message-ID"] = message_id
    reply["In-Reply-To"] = mail.message_id
    reply["References"] = " ".join([*mail.references, mail.message_id])
    quoted = "\n".join(f"> {line}" if line else ">" for line in mail.text.rstrip().splitlines())
    name, address = parseaddr(mail.sender)
    reply.set_content(
        f"{typed.rstrip()}\n\nOn {at:%a, %d %b %Y at %H:%M}, {name} <{address}> wrote:\n\n{quoted}\n",
        cte="quoted-printable",
    )
    return reply.as_bytes()
