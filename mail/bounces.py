"""Reports of mail systems: what did not arrive, at which address, and which mail of ours came back.

Read in the form of RFC 3464 and RFC 6533 wherever it stands in the mail, else from plain text as qmail, older Exim and others
write it. A report is not authenticated by nature: what it says is only worth what it proves to know (``ledger.bounces``).
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from mail.dsn import from_xtext
from mail.headers import Headers, addresses_in, decode_words, message_ids_in, read_headers
from mail.html_text import html_to_text
from mail.mime import MailMessage, Unreadable, children, decode_text, guessed_text

_SYSTEM = re.compile(
    r"^(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon|mdaemon|microsoftexchange\w*)(?:[+@]|$)", re.IGNORECASE
)
_STATUS_TYPES = ("message/delivery-status", "message/global-delivery-status")
_RETURNED_TYPES = (
    "message/rfc822",
    "message/global",
    "text/rfc822-headers",
    "message/rfc822-headers",
    "message/global-headers",
)
_ID_FIELDS = ("message-id", "x-original-message-id", "original-message-id", "x-google-original-message-id")
_ID_LINE = re.compile(
    r"(?im)^[> \t|]{0,40}(?:X-(?:Google-)?)?(?:Original-)?Message-ID[ \t]{0,40}:\s{0,40}(<[^<>\s]{1,998}>)"
)
_STATUS = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])")
_REPLY_CODE = re.compile(r"(?m)(?<![\d.])(5[0-5]\d)(?=[ -])")
_TEXT_LOOKED_AT = 64 << 10
MOST_RECIPIENTS = 50


class DeliveryReport(NamedTuple):
    """``ids``: Message-IDs of the mail that is reported on; ``recipients``: addresses that it did not reach, lower case."""

    failed: bool
    reason: str
    ids: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    status: str = ""


class _Words(NamedTuple):
    failures: re.Pattern[str]
    delays: re.Pattern[str]
    copies: re.Pattern[str]


def delivery_report(headers: Headers, message: MailMessage | None, body: bytes) -> DeliveryReport | None:
    """What a mail system reports; None for mail that is no such report. ``message`` is None where MIME was not readable."""
    parts = list(_levels(message)) if message is not None else []
    status = [part for part in parts if part.get_content_type() in _STATUS_TYPES]
    if _is_report(message) or (status and _from_system(headers)):
        return _structured(headers, parts, status, body)
    if headers.has("x-failed-recipients") or _sent_by_system(headers):
        return _plain(headers, parts, body)
    return None


def _is_report(message: MailMessage | None) -> bool:
    if message is None:
        return False
    kind = str(message.get_param("report-type") or "").lower()
    return kind == "delivery-status" or (
        message.get_content_type() == "multipart/report"
        and any(part.get_content_type() in _STATUS_TYPES for part in _levels(message))
    )


def _sent_by_system(headers: Headers) -> bool:
    return any(_SYSTEM.match(sender) for sender in addresses_in(headers.all("from")))


def _from_system(headers: Headers) -> bool:
    automatic = headers.first("auto-submitted").strip().lower() not in ("", "no")
    return _sent_by_system(headers) or automatic or headers.first("return-path").replace(" ", "") == "<>"


def _levels(message: MailMessage) -> Iterator[MailMessage]:
    """The message and its parts; what is returned inside counts as one part."""
    found = [message]
    for part in found:
        yield part
        if part.get_content_maintype() == "multipart":
            found.extend(children(part))


def _structured(headers: Headers, parts: list[MailMessage], status: list[MailMessage], body: bytes) -> DeliveryReport:
    blocks = [block for part in status for block in _blocks(part)]
    actions = {_word(block, "action") for block in blocks} - {""}
    failed = [block for block in blocks if _has_failed(block)]
    if not actions and not failed:
        return _plain(headers, parts, body)
    if not failed:
        return DeliveryReport(False, f"delivery report: {', '.join(sorted(actions))[:60]}")
    named = [value.partition(";")[2] or value for block in failed for value in _recipient_fields(block)]
    recipients = addresses_in([*named, *headers.all("x-failed-recipients")])[:MOST_RECIPIENTS]
    code = next((found[0] for block in failed if (found := _STATUS.search(block.first("status")))), "")
    envelope = [_as_id(value) for block in blocks for value in block.all("original-envelope-id")]
    ids = tuple(dict.fromkeys([*_returned_ids(parts), *(value for value in envelope if value)]))
    return DeliveryReport(True, "delivery failed (RFC 3464)", ids or _ids_in_text(parts, body), recipients, code)


def _recipient_fields(block: Headers) -> tuple[str, ...]:
    return (*block.all("final-recipient"), *block.all("original-recipient"))


def _has_failed(block: Headers) -> bool:
    action = _word(block, "action")
    return action == "failed" or (not action and block.first("status").strip().startswith("5."))


def _word(block: Headers, name: str) -> str:
    found = re.match(r"\s*([A-Za-z-]+)", block.first(name))
    return found[1].lower() if found else ""


def _blocks(part: MailMessage) -> Iterator[Headers]:
    """Groups of fields of a status part: per message, then one per recipient."""
    for child in children(part):
        yield Headers(tuple((name.lower(), _unfolded(value)) for name, value in child.items()))
        # Python splits message/delivery-status into its groups, but leaves those of RFC 6533 in one body.
        rest = child.get_payload(decode=True)
        if isinstance(rest, bytes):
            yield from (read_headers(group) for group in re.split(rb"\r?\n\r?\n", rest))


def _unfolded(value: object) -> str:
    return re.sub(r"[\r\n]+[ \t]*", " ", str(value))


def _as_id(envelope: str) -> str:
    """An envelope id of ours is the Message-ID of its mail (``mail.dsn``)."""
    found = from_xtext(envelope.strip()).strip("<>")
    return found[:998] if "@" in found and not re.search(r"\s", found) else ""


def _returned_ids(parts: list[MailMessage]) -> tuple[str, ...]:
    """Message-IDs of what came back. Those that it answered or refers to are other mails."""
    for part in parts:
        if part.get_content_type() not in _RETURNED_TYPES:
            continue
        nested = children(part)
        if nested:
            fields = Headers(tuple((name.lower(), _unfolded(value)) for name, value in nested[0].items()))
            # Headers alone are labelled message/rfc822 by some: then they may stand in what Python takes for the body.
        else:
            fields = read_headers(_text_of(part).lstrip().encode("utf-8", "replace"))
        found = message_ids_in([value for name in _ID_FIELDS for value in fields.all(name)], 4)
        if found:
            return tuple(dict.fromkeys(found))
    return ()


def _plain(headers: Headers, parts: list[MailMessage], body: bytes) -> DeliveryReport:
    """A report in words."""
    words, text = _words(), _words_of(parts, body)
    mark = words.copies.search(text)
    told = text[: mark.start()] if mark else _ID_LINE.split(text, maxsplit=1)[0]
    said = f"{decode_words(headers.first('subject'))}\n{told}"
    code = next((found for found in _STATUS.findall(told) if found[0] in "45"), "") or _first(_REPLY_CODE, told)
    failed = headers.has("x-failed-recipients") or code.startswith("5") or bool(words.failures.search(said))
    if not failed or (words.delays.search(said) and not code.startswith("5")):
        return DeliveryReport(False, "from a mail system, and reports no failure")
    named = addresses_in([*headers.all("x-failed-recipients"), *told.splitlines()])
    recipients = tuple(address for address in named if not _SYSTEM.match(address))[:MOST_RECIPIENTS]
    ids = _returned_ids(parts) or _ids_in_text(parts, body)
    return DeliveryReport(True, "from a mail system, not a person", ids, recipients, code)


def _ids_in_text(parts: list[MailMessage], body: bytes) -> tuple[str, ...]:
    """The Message-ID in the copy below the words, else the first that stands on a line of its own."""
    text = _words_of(parts, body)
    for mark in _words().copies.finditer(text):
        found = _ID_LINE.search(text, mark.end())
        if found is not None:
            return message_ids_in([found[1]], 1)
    found = _ID_LINE.search(text)
    return message_ids_in([found[1]], 1) if found else ()


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _words_of(parts: list[MailMessage], body: bytes) -> str:
    """What the mail system wrote for people; the whole body where that cannot be told."""
    texts = [_text_of(part) for part in parts if part.get_content_type() in ("text/plain", "text/html")]
    text = "\n".join(texts) if texts else body.decode("utf-8", "replace")
    return text[:_TEXT_LOOKED_AT]


def _text_of(part: MailMessage) -> str:
    try:
        text = decode_text(part)
        return html_to_text(text) if part.get_content_subtype() == "html" else text
    except Unreadable:
        return guessed_text(part)


@cache
def _words() -> _Words:
    table = tomllib.loads(resources.files("mail").joinpath("data/bounces.toml").read_text(encoding="utf-8"))

    def joined(name: str) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{one})" for one in table[name]), re.IGNORECASE)

    copies = "|".join(f"(?:{one})" for one in table["copies"])
    return _Words(joined("failures"), joined("delays"), re.compile(rf"(?im)^[^\w\r\n]{{0,40}}_{{0,40}}(?:{copies}).*$"))
