"""Digest of what a mail says, apart from how it travelled: a redelivered, copied or migrated mail keeps it."""

import hashlib
import json
import re

from mail.headers import Headers, addresses_in, message_ids_in
from mail.mime import MailMessage, Unreadable, decode_text, leaves


def content_digest(headers: Headers, message: MailMessage | None, raw_body: bytes) -> str:
    """SHA-256 (hex) over who, to whom, when, answering what, and the decoded leaves.

    Trace fields, subject tags that gateways add, boundaries, transfer encodings, charsets and line ends do not count.
    ``message`` is None when the mail was not readable; then the body counts as it stands, without line ends.
    """
    facts: list[object] = [
        addresses_in(headers.all("from")),
        sorted(addresses_in([*headers.all("to"), *headers.all("cc")])),
        [" ".join(value.split()) for value in headers.all("date")],
        message_ids_in(headers.all("message-id"), 1),
        message_ids_in([*headers.all("references"), *headers.all("in-reply-to")], 100),
    ]
    if message is None:
        facts.append(hashlib.sha256(re.sub(rb"\s+", b" ", raw_body)).hexdigest())
    else:
        facts.extend(_leaf(part) for part in leaves(message))
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()


def _leaf(part: MailMessage) -> list[str]:
    kind = part.get_content_type()
    if part.get_content_maintype() == "text":
        try:
            text = "\n".join(line.rstrip() for line in re.split(r"\r\n|\n|\r", decode_text(part))).strip()
            return [kind, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()]
        except Unreadable:
            pass  # the charset is unknown: the bytes themselves are the content
    content = part.get_payload(decode=True)
    return [kind, hashlib.sha256(content if isinstance(content, bytes) else b"").hexdigest()]
