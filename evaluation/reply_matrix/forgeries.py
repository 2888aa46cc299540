"""Mail that claims to be the approver's and is not, or that somebody else may send but not decide with."""

from collections.abc import Iterator

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.message import AUTHENTIC, Body, Head, content, message, multipart, part
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import languages

EVIL = AUTHENTIC.replace("corp.example", "evil.example")
PASS = "dmarc=pass header.from=corp.example"
RESULTS: dict[str, tuple[str, ...]] = {
    "none": (),
    "foreign": (AUTHENTIC.replace("mx.agent.example", "mx.evil.example"),),
    "two-of-ours": (AUTHENTIC, AUTHENTIC),
    "real-then-forged": ("mx.agent.example; dmarc=fail header.from=corp.example", AUTHENTIC),
    "longer-id": (AUTHENTIC.replace("mx.agent.example", "mx.agent.example.evil.example"),),
    "shorter-id": (AUTHENTIC.replace("mx.agent.example", "agent.example"),),
    "id-in-comment": (f"(mx.agent.example) mx.evil.example; {PASS}",),
    "id-homoglyph": (AUTHENTIC.replace("mx.agent", "mx.\u0430gent"),),
    "no-id": (PASS,),
    "fail": ("mx.agent.example; dmarc=fail header.from=corp.example",),
    "absent": ("mx.agent.example; spf=pass smtp.mailfrom=corp.example",),
    "none-stated": ("mx.agent.example; none",),
    "dmarc-none": ("mx.agent.example; dmarc=none header.from=corp.example",),
    "temperror": ("mx.agent.example; dmarc=temperror header.from=corp.example",),
    "permerror": ("mx.agent.example; dmarc=permerror header.from=corp.example",),
    "bestguess": ("mx.agent.example; dmarc=bestguesspass action=none header.from=corp.example",),
    "other-domain": (EVIL,),
    "sub-domain": ("mx.agent.example; dmarc=pass header.from=mail.corp.example",),
    "longer-domain": ("mx.agent.example; dmarc=pass header.from=corp.example.evil.example",),
    "two-dmarc": (f"mx.agent.example; dmarc=fail header.from=corp.example; {PASS}",),
    "dmarc-in-comment": (f"mx.agent.example; spf=pass ({PASS}) smtp.mailfrom=evil.example",),
    "dmarc-in-quotes": (f'mx.agent.example; spf=pass smtp.mailfrom="x; {PASS}"',),
    "dmarc-in-value": ("mx.agent.example; spf=pass smtp.mailfrom=dmarc=pass header.from=corp.example",),
    "dkim-only-evil": ("mx.agent.example; dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=evil.example",),
    "from-in-comment": ("mx.agent.example; dmarc=pass header.from=evil.example (header.from=corp.example)",),
    "two-froms": ("mx.agent.example; dmarc=pass header.from=evil.example header.from=corp.example",),
    "open-comment": (f"mx.agent.example; spf=fail (; {PASS}",),
    "fail-and-comment": (f"mx.agent.example; dmarc=fail (p=reject) header.from=corp.example; arc=pass; x={PASS}",),
}
SENDERS: dict[str, str] = {
    "display": '"ann@corp.example" <eve@evil.example>',
    "display-bare": "ann@corp.example <eve@evil.example>",
    "encoded-display": "=?utf-8?q?ann=40corp=2Eexample?= <eve@evil.example>",
    "encoded-whole": "=?utf-8?q?Ann_=3Cann=40corp=2Eexample=3E?= <eve@evil.example>",
    "two": "ann@corp.example, eve@evil.example",
    "two-turned": "eve@evil.example, ann@corp.example",
    "group": "undisclosed: ann@corp.example;",
    "two-angles": "<eve@evil.example> <ann@corp.example>",
    "two-angles-turned": "<ann@corp.example> <eve@evil.example>",
    "comment": "eve@evil.example (<ann@corp.example>)",
    "comment-first": "(ann@corp.example) eve@evil.example",
    "route": "<@evil.example:ann@corp.example>",
    "double-at": "ann@corp.example@evil.example",
    "homoglyph": "ann@c\u043erp.example",
    "punycode": "ann@xn--crp-qmc.example",
    "look-alike": "ann@corp-example.example",
    "look-alike-digit": "ann@c0rp.example",
    "longer": "ann@corp.example.evil.example",
    "trailing-dot": "ann@corp.example.",
    "no-domain": "ann",
    "empty": "",
    "quoted-local": '"ann@corp.example,"@evil.example',
    "dots": "ann..x@corp.example",
    "percent": "ann%corp.example@evil.example",
    "utf8-local": "\u0430nn@corp.example",
    "zero-width": "ann\u200b@corp.example",
}
PEOPLE: dict[str, str] = {
    "colleague": "eve@corp.example",
    "requester": "Rita <rita@corp.example>",
    "requester-plus": "rita+approvals@corp.example",
    "unknown-alias": "ann.approver@corp.example",
    "shared": "accounting@corp.example",
    "similar": "anne@corp.example",
    "dotted": "a.nn@corp.example",
}
FIELDS: dict[str, tuple[str, ...]] = {
    "second-from": ("From: Eve <eve@evil.example>",),
    "second-from-same": ("From: Ann Approver <ann@corp.example>",),
    "second-from-spaced": ("From : Eve <eve@evil.example>",),
    "sender": ("Sender: Bob <bob@corp.example>",),
    "sender-evil": ("Sender: eve@evil.example",),
    "resent-from": ("Resent-From: Eve <eve@evil.example>",),
    "resent-sender": ("Resent-Sender: eve@evil.example",),
    "list-id": ("List-Id: <all.corp.example>",),
    "list-post": ("List-Post: <mailto:all@corp.example>",),
    "mailman": ("X-Mailman-Version: 2.1.39",),
    "precedence-list": ("Precedence: list",),
    "mailing-list": ("Mailing-List: list all@corp.example; contact all-owner@corp.example",),
    "dkim-length": ("DKIM-Signature: v=1; a=rsa-sha256; d=corp.example; s=s; h=from:subject; l=10; bh=x; b=y",),
    "dkim-no-from": ("DKIM-Signature: v=1; a=rsa-sha256; d=corp.example; s=s; h=subject:date; bh=x; b=y",),
    "bare-cr": ("X-Note: a\rFrom: Eve <eve@evil.example>",),
    "bare-lf": ("X-Note: a\nFrom: Eve <eve@evil.example>",),
    "no-field": ("this line is no header field",),
    "second-date": ("Date: Mon, 02 Nov 2026 07:00:00 +0000",),
    "second-id": ("Message-ID: <other@corp.example>",),
    "second-subject": ("Subject: something else",),
    "third-results": ("Authentication-Results : mx.agent.example; dmarc=pass header.from=corp.example",),
    "upper-results": ("AUTHENTICATION-RESULTS: MX.AGENT.EXAMPLE; dmarc=pass header.from=corp.example",),
}
REFUSED = ("refused",)


def forgeries() -> Iterator[Case]:
    """Every trick, each in the words and the mail program of several languages."""
    shapes = list(SHAPES.values())
    spoken = languages()
    for number, (kind, head, want) in enumerate(_tricks()):
        for turn in range(4):
            words = spoken[(number + 3 * turn) % len(spoken)]
            name = f"forged-{kind}-{turn}"
            shape = SHAPES["sap_inbox"] if kind == "unknown-request" else shapes[(number + 5 * turn) % len(shapes)]
            body = shape(words, [words.approve[0]])
            given = Head(
                name, head.sender, head.to, head.subject, head.results, head.in_reply_to, head.extra, head.drop
            )
            yield Case(name, "forgery", message(given, body), want, kind)
    yield from _wrapped()


def _tricks() -> Iterator[tuple[str, Head, tuple[str, ...]]]:
    for kind, results in RESULTS.items():
        yield f"results-{kind}", Head(kind, results=results), REFUSED
    for kind, sender in SENDERS.items():
        # Their own server may well vouch for them: what fails is that they are nobody of ours.
        domain = "corp.example" if sender.endswith("corp.example>") else "evil.example"
        vouched = AUTHENTIC.replace("corp.example", domain)
        yield f"sender-{kind}", Head(kind, sender=sender, results=(vouched,)), REFUSED
        yield f"sender-{kind}-passed", Head(kind, sender=sender), REFUSED
    for kind, sender in PEOPLE.items():
        yield f"person-{kind}", Head(kind, sender=sender), REFUSED
    for kind, extra in FIELDS.items():
        yield f"field-{kind}", Head(kind, extra=extra), REFUSED
    for place, start in (("arc", "ARC-Authentication-Results: i=1;"), ("old", "X-Original-Authentication-Results:")):
        yield f"only-{place}", Head(place, results=(), extra=(f"{start} {AUTHENTIC}",)), REFUSED
    yield "received-spf", Head("spf", results=(), extra=("Received-SPF: pass",)), REFUSED
    unknown = Head("unknown", to="approvals+r-9999.s1.zzzzz@agent.example", in_reply_to=None)
    yield "unknown-request", unknown, REFUSED


def _wrapped() -> Iterator[Case]:
    """A genuine mail inside somebody else's, and proof that stands only there."""
    inner = message(Head("inner"), Body("APPROVE\n")).decode()
    eve = Head("wrapped-attached", sender="eve@evil.example", results=(EVIL,))
    raw = eve.raw() + multipart("mixed", [content(Body("APPROVE\n")), part("message/rfc822", inner)], "=_w")
    yield Case("wrapped-attached", "forgery", raw, REFUSED, "genuine mail attached")
    bare = Head("wrapped-results", results=())
    proof = f"Content-Type: text/plain\r\nAuthentication-Results: {AUTHENTIC}\r\n\r\nAPPROVE\r\n".encode()
    yield Case(
        "wrapped-results", "forgery", bare.raw() + multipart("mixed", [proof], "=_w"), REFUSED, "proof in a part"
    )
    late = (
        Head("below-headers", results=()).raw() + f"\r\nAuthentication-Results: {AUTHENTIC}\r\n\r\nAPPROVE\r\n".encode()
    )
    yield Case("below-headers", "forgery", late, REFUSED, "proof below the headers")
