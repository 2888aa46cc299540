"""Is this a person's answer? Automatic replies, receipts, invitations, bounces and our own mail are not (check 1)."""

import re
from collections.abc import Collection
from typing import Literal, NamedTuple

from mail.bounces import delivery_report
from mail.headers import Headers, addresses_in, base_address, decode_words, message_ids_in, strip_quoted
from mail.mime import MailMessage, children, leaves
from mail.patterns import patterns
from wire.mail import Automatic

_NO_REPLY = re.compile(
    r"^(?:no-?reply|do-?not-?reply|noreply|donotreply|bounces?|auto(?:matic|reply|responder)?)(?:[+@-]|$)",
    re.IGNORECASE,
)
_AUTO_FIELDS = re.compile(
    r"(?:x-|preference-)?(?:[a-z0-9]+-)*(?:auto-?(?:reply|replied|respon(?:d|se|der)|answer|generated)|vacation|out-?of-?office|ooo)[a-z0-9-]*"
    r"|x-away-message|x-cron-env|x-fc-machinegenerated|x-ms-exchange-generated-message-source"
)
"""Names of fields that programs put into automatic replies. ``X-Auto-Response-Suppress`` is none: people's mail has it too."""
_AUTO_VALUES = {
    "precedence": re.compile(r"auto[_-]?reply|junk|bulk", re.IGNORECASE),
    "preference": re.compile(r"auto[_-]?reply", re.IGNORECASE),
    "delivered-to": re.compile(r"auto-?responder", re.IGNORECASE),
    "x-post-messageclass": re.compile(r".*auto-?responder.*", re.IGNORECASE),
    "x-mailer": re.compile(r".*(?:auto-?respon|auto-?reply|vacation).*", re.IGNORECASE),
    "x-loop": re.compile(r".*(?:auto-?respon|auto-?reply|vacation).*", re.IGNORECASE),
}


_OFF = frozenset({"no", "false", "0", "off", "none"})


class Found(NamedTuple):
    """Kind of automatic mail, why, and for bounces what came back (Message-IDs), from whom, and with which status."""

    kind: Automatic
    reason: str
    bounced_ids: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    status: str = ""


def detect_automatic(
    headers: Headers,
    message: MailMessage | None,
    body: bytes,
    own_addresses: Collection[str],
    own_message_ids: Collection[str],
) -> Found | None:
    """None for what may be a person's answer. ``message`` is None when the mail was not readable as MIME."""
    own = _own(headers, own_addresses, own_message_ids)
    if own is not None:
        return own
    receipt = _receipt(message) if message is not None else None
    reported = receipt or _reported(headers, message, body)
    structural = _structure(message) if message is not None else None
    return reported or structural or _fields(headers) or _subject(headers)


def _own(headers: Headers, own_addresses: Collection[str], own_message_ids: Collection[str]) -> Found | None:
    bases = {base_address(address) for address in own_addresses}
    senders = {base_address(address) for address in addresses_in(headers.all("from"))}
    if senders and senders <= bases:
        return Found("own", "the sender is our own address")
    if set(message_ids_in(headers.all("message-id"), 10)) & set(own_message_ids):
        return Found("own", "the Message-ID is one of ours")
    return None


def _receipt(message: MailMessage) -> Found | None:
    report = str(message.get_param("report-type") or "").lower()
    if report == "disposition-notification" or "message/disposition-notification" in _types(message):
        return Found("receipt", "read receipt (RFC 8098)")
    return None


def _types(message: MailMessage) -> set[str]:
    parts = list(leaves(message)) if not children(message) else [*_levels(message)]
    return {part.get_content_type() for part in parts}


def _reported(headers: Headers, message: MailMessage | None, body: bytes) -> Found | None:
    report = delivery_report(headers, message, body)
    if report is None:
        return None
    kind: Automatic = "bounce" if report.failed else "receipt"
    return Found(kind, report.reason, report.ids, report.recipients, report.status)


def _structure(message: MailMessage) -> Found | None:
    if message.get_content_type() == "multipart/report":
        report = str(message.get_param("report-type") or "").lower()
        return Found("auto-reply", f"report of type {report[:40] or 'unknown'}")
    parts = list(leaves(message)) if not children(message) else [*_levels(message)]
    if any(
        part.get_content_type() == "text/calendar" and part.get_content_disposition() != "attachment" for part in parts
    ):
        return Found("calendar", "calendar message (RFC 6047)")
    return None


def _levels(message: MailMessage) -> list[MailMessage]:
    """The message and its parts, but nothing inside an attached message: what is attached does not make this mail automatic."""
    found = [message]
    for part in found:
        if part.get_content_maintype() == "multipart":
            found.extend(children(part))
    return found


def _fields(headers: Headers) -> Found | None:
    for value in headers.all("auto-submitted"):
        submitted = strip_quoted(value).partition(";")[0].strip().lower()
        if submitted and submitted != "no":
            return Found("auto-reply", f"Auto-Submitted: {submitted[:40]} (RFC 3834)")
    for name, value in headers.fields:
        if _AUTO_FIELDS.fullmatch(name) and name != "x-auto-response-suppress" and value.strip().lower() not in _OFF:
            return Found("auto-reply", f"header {name[:60]}")
        if name in _AUTO_VALUES and _AUTO_VALUES[name].fullmatch(value.strip()):
            return Found("auto-reply", f"{name}: {value.strip()[:40]}")
    rules = set(addresses_in(headers.all("x-ms-exchange-inbox-rules-loop")))
    if rules & set(addresses_in(headers.all("from"))):
        return Found("auto-reply", "sent by an Exchange inbox rule of the sender")
    if headers.first("return-path").replace(" ", "") == "<>":
        return Found("auto-reply", "null return path")
    sender = next((address for address in addresses_in(headers.all("from")) if _NO_REPLY.match(address)), None)
    return Found("auto-reply", f"sender {sender} takes no mail") if sender else None


def _subject(headers: Headers) -> Found | None:
    subject = decode_words(headers.first("subject"))
    bare = (
        re.sub(r"^(?:\[[^\]]{0,40}\]\s*)+", "", subject)
        if subject.lower().startswith(("[ext", "[caution"))
        else subject
    )
    found = patterns().automatic_subject.match(bare)
    return Found("auto-reply", f"subject of an automatic reply: {found[0][:60]}") if found else None


def through_list(headers: Headers) -> bool:
    """Did a mailing list distribute this mail (RFC 2919, RFC 2369)?"""
    names: tuple[
        Literal["list-id", "list-post", "mailing-list", "x-mailman-version", "x-beenthere", "x-mailing-list"], ...
    ]
    names = ("list-id", "list-post", "mailing-list", "x-mailman-version", "x-beenthere", "x-mailing-list")
    return any(headers.has(name) for name in names) or headers.first("precedence").strip().lower() == "list"
