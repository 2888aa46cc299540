"""A mailbox as a bank's would be: many strangers' mails, and replies in the layouts of many mail programs among them.

Everything follows from a seed. Strangers' mails carry what such mails carry (traces, DKIM, threads, plus addresses, list
headers); none names anything of ours.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime

from evaluation.reply_matrix.message import REF, Body, content
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import languages
from evaluation.reply_world import Request

APPROVALS = "approvals@countersign.example"
AUTHSERV_ID = "mx.countersign.example"
_WORDS = (
    "order",
    "delivery",
    "invoice",
    "meeting",
    "supplier",
    "plant",
    "report",
    "draft",
    "price",
    "offer",
    "budget",
    "audit",
)
_KINDS = (("letter", 60), ("thread", 22), ("newsletter", 8), ("notice", 5), ("plus", 2), ("bounce", 1), ("vacation", 2))


@dataclass(frozen=True)
class StoredMail:
    """A mail as it lies in the mailbox: bytes and receipt time."""

    raw: bytes
    received_at: datetime


def mailbox_mails(asked: list[Request], strangers: int, before: datetime, seed: int) -> Iterator[StoredMail]:
    """The replies in random order among the strangers' mails, all received in the year that ends at ``before``.

    Replies come in the last minute, whatever stands beside them: only so are they in time.
    """
    rng = random.Random(seed)
    order: list[Request | None] = [*asked, *[None] * strangers]
    rng.shuffle(order)
    for number, request in enumerate(order):
        if request is None:
            at = before - timedelta(minutes=525_600 * (1 - number / len(order)))
            yield StoredMail(_stranger(rng, number, at), at)
        else:
            at = before - timedelta(seconds=60 * (1 - number / len(order)))
            yield StoredMail(reply(request, number, at), at)


def reply(request: Request, number: int, at: datetime, stamped: bool = True) -> bytes:
    """An approval as the approver's mail program writes it, one layout after the other. ``stamped``: as our own server has
    delivered it, with its word for the sender."""
    words = languages()[0]
    shape = list(SHAPES.values())[number % len(SHAPES)]
    body = shape(words, [words.approve[number % len(words.approve)]])
    lines = [*(_stamp(request, at) if stamped else ()), *_written(request, f"{number}.reply@corp.example", at)]
    return ("\r\n".join(lines) + "\r\n").encode() + content(_about(body, request))


def _about(body: Body, request: Request) -> Body:
    texts = {
        name: text.replace(REF, request.ref) for name in ("plain", "html") if (text := getattr(body, name)) is not None
    }
    # Some layouts put all HTML into one line, which SMTP bounds.
    return replace(body, encoding="quoted-printable", **texts)


def _stamp(request: Request, at: datetime) -> list[str]:
    sender = request.approvers[0]
    domain = sender.rpartition("@")[2]
    return [
        f"Return-Path: <{sender}>",
        f"Delivered-To: {request.address}",
        f"Authentication-Results: {AUTHSERV_ID}; dkim=pass header.d={domain}; dmarc=pass header.from={domain}",
        f"Received: from mail.{domain} by {AUTHSERV_ID} with ESMTPS; {format_datetime(at)}",
    ]


def _written(request: Request, message_id: str, at: datetime) -> list[str]:
    return [
        f"From: Approver <{request.approvers[0]}>",
        f"To: Countersign <{request.address}>",
        f"Subject: Re: [approval {request.run_id}/1] Post 4 x P-100",
        f"Date: {format_datetime(at)}",
        f"Message-ID: <{message_id}>",
        f"In-Reply-To: {request.message_id}",
        f"References: {request.message_id}",
        "MIME-Version: 1.0",
    ]


def _stranger(rng: random.Random, number: int, at: datetime) -> bytes:
    kind = rng.choices([name for name, _ in _KINDS], [weight for _, weight in _KINDS])[0]
    domain = f"company-{rng.randrange(400)}.example"
    sender = f"{rng.choice(_WORDS)}.{rng.randrange(90)}@{domain}"
    lines = _traces(rng, sender, domain, at)
    lines += [f"From: {rng.choice(_WORDS).title()} Person <{sender}>", *_kind_lines(rng, kind, domain, number)]
    lines += [f"Date: {format_datetime(at)}", f"Message-ID: <{rng.getrandbits(96):x}@{domain}>", "MIME-Version: 1.0"]
    lines += ["Content-Type: text/plain; charset=utf-8", "", _prose(rng, rng.randrange(20, 400))]
    return "\r\n".join(lines).encode()


def _kind_lines(rng: random.Random, kind: str, domain: str, number: int) -> list[str]:
    """What tells the kinds apart: recipients, subject, threads, list headers."""
    subject = f"Subject: {_prose(rng, 6)}"
    if kind == "thread":
        ids = [f"<{rng.getrandbits(96):x}@{domain}>" for _ in range(rng.randrange(1, 9))]
        thread = ["References: " + "\r\n ".join(ids), f"In-Reply-To: {ids[-1]}"]
        return [f"To: Approvals <{APPROVALS}>, team+{number}@{domain}", f"Subject: Re: {_prose(rng, 5)}", *thread]
    if kind == "newsletter":
        listed = [f"List-Id: <news.{domain}>", f"List-Unsubscribe: <https://{domain}/{number}>", "Precedence: bulk"]
        return [f"To: {APPROVALS}", subject, *listed]
    if kind == "notice":
        return [f"To: {APPROVALS}", subject, "Auto-Submitted: auto-generated"]
    if kind == "plus":
        return [f"To: approvals+{rng.choice(_WORDS)}@{APPROVALS.partition('@')[2]}", subject]
    if kind == "bounce":
        return [f"To: {APPROVALS}", "Subject: Undelivered Mail Returned to Sender", "Auto-Submitted: auto-replied"]
    if kind == "vacation":
        return [f"To: {APPROVALS}", f"Subject: Automatic reply: {_prose(rng, 4)}", "Auto-Submitted: auto-replied"]
    return [f"To: Approvals <{APPROVALS}>", f"Cc: {rng.choice(_WORDS)}+{number}@{domain}", subject]


def _traces(rng: random.Random, sender: str, domain: str, at: datetime) -> list[str]:
    """What servers write on top: about two kilobytes."""
    stamp = format_datetime(at)
    signature = "".join(rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=344))
    folded = "\r\n\t".join(signature[start : start + 72] for start in range(0, len(signature), 72))
    fields = "h=from:to:subject:date:message-id:mime-version:content-type:in-reply-to:references"
    hops = [
        f"Received: from relay{hop}.{domain} (relay{hop}.{domain} [192.0.2.{hop + 1}])\r\n\tby mx{hop}.{domain} with ESMTPS id"
        f" {rng.getrandbits(64):x}\r\n\tfor <{APPROVALS}>; {stamp}"
        for hop in range(3)
    ]
    return [
        f"Return-Path: <{sender}>",
        f"Delivered-To: {APPROVALS}",
        f"Authentication-Results: {AUTHSERV_ID};\r\n\tdkim=pass header.d={domain};\r\n\tdmarc=pass header.from={domain}",
        *hops,
        f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s=s1;\r\n\t{fields};\r\n\tb={folded}",
        f"X-Google-Smtp-Source: {signature[:120]}",
        f"X-Received: by 2002:a05:6402:{rng.getrandbits(16):x} with SMTP id {rng.getrandbits(60):x}; {stamp}",
    ]


def _prose(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(_WORDS, k=count))
