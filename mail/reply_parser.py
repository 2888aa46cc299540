"""Raw bytes of a mail -> what it says (``wire.mail.ParsedReply``). Reads, never judges; never raises on any input."""

import hashlib
import re
from collections.abc import Collection, Iterable

from mail.automatic import Found, detect_automatic, through_list
from mail.content_digest import content_digest
from mail.first_line import Reading, read_answer
from mail.headers import (
    Headers,
    addresses_in,
    decode_words,
    message_ids_in,
    read_headers,
    recipients_of,
    references_of,
    split_message,
)
from mail.html_text import HIDDEN, SIGNATURE, STRUCK, html_to_text
from mail.keywords import Keywords, fold, keywords_for
from mail.mime import Budget, MailMessage, TextPart, Unreadable, check_budget, read_message, text_parts
from mail.quoting import written_lines
from wire.mail import ParsedReply

_REF = re.compile(r"(?<![\w-])Ref\s*:[\s*]*([A-Za-z0-9][A-Za-z0-9._-]{3,79})", re.IGNORECASE)


def parse_reply(
    raw: bytes,
    *,
    languages: Iterable[str],
    own_addresses: Collection[str],
    own_message_ids: Collection[str] = (),
    budget: Budget = Budget(),  # noqa: B008 - frozen value
) -> ParsedReply:
    """Read one mail. ``languages`` are the enabled reply languages (English always is), ``own_addresses`` the mailbox's own."""
    headers = read_headers(raw[: budget.size])
    message, problem = _readable(raw, budget)
    _, body = split_message(raw[: budget.size])
    found = detect_automatic(headers, message, body, own_addresses, own_message_ids)
    reading, refs = Reading("unclear", problem or ""), tuple[str, ...]()
    if message is not None:
        try:
            reading, refs = _read_body(message, keywords_for(languages), budget, own_addresses, _names(headers))
        except Unreadable as error:
            problem = str(error)
            reading = Reading("unclear", problem)
    return _parsed(raw, headers, content_digest(headers, message, body), found, reading, refs, problem, budget)


def _readable(raw: bytes, budget: Budget) -> tuple[MailMessage | None, str | None]:
    problem = check_budget(raw, budget)
    if problem is not None:
        return None, problem
    try:
        return read_message(raw, budget), None
    except Unreadable as error:
        return None, str(error)


def _read_body(
    message: MailMessage, keywords: Keywords, budget: Budget, own_addresses: Collection[str], writer: Collection[str]
) -> tuple[Reading, tuple[str, ...]]:
    if any(len(message.get_all(name) or []) > 1 for name in ("content-type", "content-transfer-encoding")):
        return Reading("unclear", "more than one Content-Type or transfer encoding"), ()
    texts = [text for text in _renderings(text_parts(message, budget)) if text.strip()]
    readings = [read_answer(written_lines(text, own_addresses), keywords, writer) for text in texts]
    return _agreed(readings), _refs(texts)


def _names(headers: Headers) -> frozenset[str]:
    """Words of the sender's name and of the local part of the address, folded: how a signature may call the writer. Those of
    the domain begin with ``@``."""
    name, _, domain = fold(decode_words(headers.first("from"))).partition("@")
    return frozenset(
        [*re.findall(r"[^\W\d_]{2,}", name), *(f"@{word}" for word in re.findall(r"[^\W\d_]{3,}", domain))]
    )


def _renderings(parts: tuple[TextPart, ...]) -> list[str]:
    """The body once for each way of showing it: a reader's program may show any of the alternatives."""
    shown = [_visible(part) for part in parts]
    bodies = ["\n".join(shown)]
    for number, part in enumerate(parts):
        bodies.extend(
            "\n".join([*shown[:number], _visible(other), *shown[number + 1 :]]) for other in part.alternatives
        )
    return bodies


def _visible(part: TextPart) -> str:
    if part.subtype == "html":
        return html_to_text(part.text)
    return part.text.translate({ord(mark): "?" for mark in (HIDDEN, STRUCK, SIGNATURE)})


def _agreed(readings: list[Reading]) -> Reading:
    if not readings:
        return Reading("unclear", "no text")
    answers = {reading.answer for reading in readings}
    if len(answers) == 1:
        return readings[0]
    clear = answers - {"unclear"}
    reason = (
        "the text and the HTML of the mail say different things"
        if len(clear) > 1
        else next(r.reason for r in readings if r.answer == "unclear")
    )
    return Reading("unclear", reason, comment=readings[0].comment)


def _refs(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ref.rstrip(".-_") for text in texts for ref in _REF.findall(text)))[:20]


def _parsed(
    raw: bytes,
    headers: Headers,
    digest: str,
    found: Found | None,
    reading: Reading,
    refs: tuple[str, ...],
    problem: str | None,
    budget: Budget,
) -> ParsedReply:
    identifiers = message_ids_in(headers.all("message-id"), 10)
    senders = addresses_in(headers.all("sender"))
    return ParsedReply(
        raw_digest=hashlib.sha256(raw).hexdigest(),
        content_digest=digest,
        size=len(raw),
        message_id=identifiers[0] if identifiers else None,
        automatic=found.kind if found else None,
        automatic_reason=found.reason if found else "",
        bounced_ids=found.bounced_ids if found else (),
        failed_recipients=found.recipients if found else (),
        failure_status=found.status if found else "",
        from_addresses=addresses_in(headers.all("from"))[:20],
        sender_address=senders[0] if senders else None,
        recipients=recipients_of(headers),
        references=references_of(headers, budget.references),
        body_refs=refs,
        subject=decode_words(headers.first("subject"))[:500],
        answer=reading.answer,
        answer_reason=reading.reason,
        keyword=reading.keyword[:120],
        comment=reading.comment[:10_000],
        unreadable=problem,
        through_list=through_list(headers),
    )
