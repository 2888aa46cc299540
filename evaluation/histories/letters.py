"""Letters as people and programs write them, in twelve languages and the layouts of many mail programs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from evaluation.histories.scenes import APPROVALS, DOMAIN
from evaluation.histories.shown import Shown
from evaluation.reply_matrix.forgeries import RESULTS
from evaluation.reply_matrix.message import ADDRESS, ASKED_ID, AUTHENTIC, REF, Body, Head, message, multipart, part
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import Words, languages

Lines = tuple[str, ...]
FORGED_RESULTS = tuple(results for name, results in RESULTS.items() if name != "other-domain")
AUTOMATIC = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated (vacation)",
    "X-Autoreply: yes",
    "Precedence: auto_reply",
    "X-Auto-Response-Suppress: All\r\nAuto-Submitted: auto-replied",
)
DISGUISES = (
    '"{address}" <mallory@evil.example>',
    "=?utf-8?q?{name}?= <mallory@evil.example>",
    "{address}, mallory@evil.example",
    "<mallory@evil.example> <{address}>",
)


@dataclass(frozen=True)
class Envelope:
    """Where a letter comes from and goes to. ``to``, ``thread`` and ``quoted`` are the places that may name a request."""

    name: str
    sender: str
    to: str
    thread: str | None
    quoted: str
    results: tuple[str, ...] = (AUTHENTIC,)
    extra: tuple[str, ...] = ()
    signed: str = ""
    shape: str = ""


def answer_to(shown: Shown, name: str, person: str, address: str, rng: Random) -> Envelope:
    """The envelope of an honest reply to that mail."""
    local = person.partition("@")[0]
    sender = sender_of(local, address, rng)
    return Envelope(
        name, sender, shown.review, shown.message_id, opaque_of(shown), vouched(address), signed=full_name(local)
    )


def opaque_of(shown: Shown) -> str:
    """What follows the plus in the reply address."""
    return shown.review.partition("+")[2].partition("@")[0]


def write(envelope: Envelope, words: Words, lines: Lines, rng: Random) -> bytes:
    """The raw mail."""
    signature = words.signoff[1]
    signed = envelope.signed if signature.isascii() and envelope.signed else signature
    body = _laid_out(
        words, tuple(signed if line == signature else line for line in lines), envelope.shape or _shape(rng)
    )
    asked = envelope.thread or "none@nowhere.example"
    plain, html = (_renamed(text, envelope.quoted, asked) for text in (body.plain, body.html))
    encoding = rng.choice(("8bit", "quoted-printable", "base64"))
    head = Head(
        name=envelope.name,
        sender=envelope.sender,
        to=envelope.to,
        subject="Re: [Approval] Create Order",
        results=envelope.results,
        in_reply_to=f"<{envelope.thread}>" if envelope.thread else None,
        extra=envelope.extra,
    )
    return message(head, Body(plain, html, "utf-8", encoding, body.parameters))


def bounce(shown: Shown, name: str, recipient: str) -> bytes:
    """A failed delivery of that mail, as a mail server reports it."""
    head = Head(name, sender="MAILER-DAEMON@mx.agent.example", to=APPROVALS, results=(), in_reply_to=None)
    told = (
        f"Reporting-MTA: dns; mx.agent.example\n\nFinal-Recipient: rfc822; {recipient}\nAction: failed\nStatus: 5.1.1\n"
    )
    parts = [
        part("text/plain", "The mail could not be delivered."),
        part("message/delivery-status", told),
        part("message/rfc822", f"Message-ID: <{shown.message_id}>\nFrom: {APPROVALS}\nTo: {recipient}\n\nx\n"),
    ]
    return head.raw() + multipart("report", parts, "=_dsn", " report-type=delivery-status;")


def said(meaning: str, rng: Random) -> tuple[Words, Lines]:
    """Words and authored lines of that meaning."""
    words = rng.choice(languages())
    return words, _SAYINGS[meaning](words, rng)


def _yes(words: Words, rng: Random) -> Lines:
    return (rng.choice(words.approve), *_below(words, rng))


def _no(words: Words, rng: Random) -> Lines:
    return (rng.choice(words.reject), *_below(words, rng))


def _below(words: Words, rng: Random) -> Lines:
    """What may stand below a clear answer."""
    kind = rng.randrange(5)
    if kind == 0:
        return ("", *words.comment)
    return ("", *words.signoff) if kind == 1 else ()


def _unclear(words: Words, rng: Random) -> Lines:
    kind = rng.choice(("asked", "conditional", "later", "chatter", "empty", "limited", "within"))
    if kind == "empty":
        return ()
    if kind == "limited":
        return (rng.choice(words.approve), "", rng.choice(words.limiting))
    if kind == "within":
        return (f"{words.comment[0]} {words.approve[0]}",)
    return (rng.choice(getattr(words, kind)),)


def _negated(words: Words, rng: Random) -> Lines:
    return (rng.choice(words.negated),) if rng.random() < 0.5 else (words.approve[0], words.reject[0])


def _away(words: Words, rng: Random) -> Lines:
    return (rng.choice(words.approve), "", *words.vacation[:1])


_SAYINGS: dict[str, Callable[[Words, Random], Lines]] = {
    "yes": _yes, "no": _no, "unclear": _unclear, "negated": _negated, "automatic": _away,
}  # fmt: skip


def sender_of(name: str, address: str, rng: Random) -> str:
    """One of the forms in which programs write From."""
    forms = ("{N} <{a}>", '"{N}" <{a}>', "{a} ({N})", "{N} <{A}>")
    return rng.choice(forms).replace("{N}", full_name(name)).replace("{a}", address).replace("{A}", address.upper())


def full_name(name: str) -> str:
    """How that person signs."""
    return f"{name.title()} Approver"


def vouched(address: str) -> tuple[str, ...]:
    """What our server truly says of a mail from that address."""
    return (AUTHENTIC.replace(DOMAIN, address.rpartition("@")[2]),)


def _shape(rng: Random) -> str:
    light, all_shapes = _shapes()
    return rng.choice(light if rng.random() < 0.7 else all_shapes)


@lru_cache(maxsize=1)
def _shapes() -> tuple[tuple[str, ...], tuple[str, ...]]:
    words = languages()[0]
    light = tuple(name for name, shape in SHAPES.items() if shape(words, ["x"]).html is None)
    return light, tuple(SHAPES)


@lru_cache(maxsize=65_536)
def _laid_out(words: Words, lines: Lines, shape: str) -> Body:
    return SHAPES[shape](words, list(lines))


def _renamed(text: str | None, ref: str, asked: str) -> str | None:
    """The quote of the fixed request becomes one of the request that is answered."""
    if text is None:
        return None
    return (
        text.replace(ADDRESS, f"approvals+{ref}@agent.example").replace(REF, ref).replace(ASKED_ID.strip("<>"), asked)
    )
