"""Subjects, and the replies that a mail offers to begin: what stands in a list of two hundred. Pure."""

import re
from urllib.parse import quote

from mail.cleaning import clean_line
from mail.phrases import Phrases
from wire.approval import MailContent, MessageType

NAMES = {
    MessageType.APPROVAL_REQUEST: "request",
    MessageType.APPROVAL_REMINDER: "reminder",
    MessageType.FRESH_REVIEW_REQUEST: "fresh",
    MessageType.CLARIFICATION_REQUEST: "clarification",
    MessageType.WITHDRAWAL_NOTICE: "withdrawal",
    MessageType.REFUSAL_NOTICE: "refusal",
    MessageType.ESCALATION_NOTICE: "escalation",
    MessageType.EVIDENCE_NOTIFICATION: "evidence",
    MessageType.OPERATOR_ALERT: "alert",
}
ASKING = frozenset(
    {
        MessageType.APPROVAL_REQUEST,
        MessageType.APPROVAL_REMINDER,
        MessageType.FRESH_REVIEW_REQUEST,
        MessageType.CLARIFICATION_REQUEST,
    }
)
LONGEST = 120
LONGEST_IN_ANSWER = 60
_MARK = re.compile(r"(?i)\[(?=\s*approval\b)")


def subject_of(content: MailContent, phrases: Phrases) -> str:
    """The kind of mail where it is no first request, the business content, and last the mark that our mailbox looks for.

    Phones show 35 to 40 characters. No id stands in it (design.md section 4): what names the run is shortened.
    """
    name = NAMES[content.message_type]
    tag = "" if name == "request" else phrases(f"tag_{name}")
    mark = _mark(content)
    return f"{tag}{_titled(content, LONGEST - len(tag) - len(mark) - 1)} {mark}"


def answer_url(content: MailContent, word: str) -> str:
    """RFC 6068: a reply with the word and the ref filled in; the mail program threads it by In-Reply-To where it can."""
    body = f"{word}\r\n\r\nRef: {content.ref}\r\n"
    subject = f"Re: {_titled(content, LONGEST_IN_ANSWER)} {_mark(content)}"
    fields = {"subject": subject, "In-Reply-To": f"<{content.message_id.strip('<>')}>", "body": body}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items())
    return f"mailto:{quote(content.reply_to, safe='@+')}?{query}"


def _titled(content: MailContent, limit: int) -> str:
    return _MARK.sub("(", clean_line(content.title, limit))


def _mark(content: MailContent) -> str:
    run = clean_line(content.run_id, 40).removeprefix("run-")[:6]
    return f"[Approval {run}/{content.step}]" if content.step else f"[Approval {run}]"
