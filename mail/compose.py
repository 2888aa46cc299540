"""MailContent -> the bytes of a mail (RFC 5322, 2045, 2047).

A pure function: a mail sent again after a crash is the same message.
"""

import hashlib
import quopri
import re
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime

from mail.compose_html import render_html
from mail.compose_text import render_text
from mail.compose_view import view_of
from mail.errors import ComposeError
from mail.view import View
from wire.approval import MailContent

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_MESSAGE_ID = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+")


def compose(content: MailContent) -> bytes:
    """The mail. Raises ComposeError naming the field that cannot stand in a mail."""
    view = view_of(content)
    text, html = render_text(view), render_html(view)
    boundary = "=_" + hashlib.sha256(f"{content.message_id}\n{text}\n{html}".encode()).hexdigest()[:32]
    lines = [
        *_headers(content, view),
        "MIME-Version: 1.0",
        f'Content-Type: multipart/alternative; boundary="{boundary}"',
        "",
    ]
    for subtype, body in (("plain", text), ("html", html)):
        part = [
            f"--{boundary}",
            f"Content-Type: text/{subtype}; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            "",
        ]
        lines += [*part, _quoted_printable(body)]
    return "\r\n".join([*lines, f"--{boundary}--", ""]).encode("ascii")


def _headers(content: MailContent, view: View) -> list[str]:
    headers = [
        f"Date: {format_datetime(content.composed_at.astimezone(UTC))}",
        _mailbox("From", content.from_name, content.from_address, "from_address"),
        _mailbox("To", content.to_name, content.to_address, "to_address"),
        _mailbox("Reply-To", content.from_name, content.reply_to, "reply_to"),
        f"Message-ID: {_message_id(content.message_id, 'message_id')}",
    ]
    references = [_message_id(reference, "references") for reference in content.references]
    if content.in_reply_to:
        answered = _message_id(content.in_reply_to, "in_reply_to")
        headers.append(f"In-Reply-To: {answered}")
        references = [*(reference for reference in references if reference != answered), answered]
    if references:
        headers.append("References: " + "\r\n ".join(references))
    headers.append(_encoded("Subject", view.subject))
    return [*headers, *_machine_headers(content), "Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All"]


def _machine_headers(content: MailContent) -> list[str]:
    step = bool(content.step)
    facts = (
        ("Run", "run_id", content.run_id),
        ("Step", "step", str(content.step) if step else ""),
        ("Review", "review", str(content.review) if step else ""),
        ("Message-Type", "message_type", content.message_type.value),
        ("Policy-Version", "policy_version", content.policy_version),
        ("Deadline", "deadline", _iso(content.deadline) if content.deadline else ""),
        ("Call-Digest", "call_digest", content.call_digest),
        ("Ref", "ref", content.ref),
    )
    return [f"Countersign-{name}: {_token(value, field)}" for name, field, value in facts if value]


def _iso(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


def _token(value: str, field: str) -> str:
    """Printable ASCII without line ends, else the mail is not made: these headers are ids, nothing to repair."""
    if not re.fullmatch(r"[!-~](?:[ -~]{0,900}[!-~])?", value):
        raise ComposeError(f"{field}: {value[:60]!r} cannot stand in a header; use printable ASCII")
    return value


def _message_id(value: str, field: str) -> str:
    bare = value.strip().removeprefix("<").removesuffix(">")
    if not _MESSAGE_ID.fullmatch(bare) or len(bare) > 900:
        raise ComposeError(f"{field}: {value[:80]!r} is no Message-ID")
    return f"<{bare}>"


def _mailbox(header: str, name: str, address: str, field: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ComposeError(f"{field}: {address[:80]!r} is no mail address")
    shown = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", " ", name).split())[:100]
    if not shown:
        return f"{header}: {address}"
    if shown.isascii():
        escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
        return f'{header}: "{escaped}"\r\n <{address}>'
    return f"{_encoded(header, shown)}\r\n <{address}>"


def _encoded(header: str, text: str) -> str:
    """``header: text`` folded, in encoded words (RFC 2047) where it is not ASCII."""
    charset = "us-ascii" if text.isascii() and "=?" not in text else "utf-8"
    return f"{header}: " + Header(text, charset, header_name=header, maxlinelen=76).encode(linesep="\r\n")


def _quoted_printable(text: str) -> str:
    encoded = quopri.encodestring(text.encode("utf-8"), quotetabs=False).decode("ascii")
    return encoded.replace("\r\n", "\n").replace("\n", "\r\n")
