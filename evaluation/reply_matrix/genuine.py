"""Mail that is the approver's, however it travelled: proofs of many servers, copies, migrations, threads, delegates."""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.message import AUTHENTIC, Body, Head, message
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import Words, languages

PROOFS = (
    AUTHENTIC,
    "mx.agent.example 1; dmarc=pass (p=reject dis=none) header.from=corp.example",
    "MX.Agent.Example; dmarc=pass header.from=CORP.example",
    "mx.agent.example;\r\n\tdkim=pass (2048-bit key; unprotected) header.d=corp.example header.i=@corp.example"
    '\r\n\t header.b="aB+/c=";\r\n\tdkim-atps=neutral;\r\n\tdmarc=pass action=none header.from=corp.example',
    "mx.agent.example; dkim=pass header.i=@corp.example header.s=s1 header.b=AbC/+d; spf=pass (agent.example: domain of"
    " ann@corp.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=ann@corp.example; dmarc=pass"
    " (p=REJECT sp=REJECT dis=NONE) header.from=corp.example",
    "mx.agent.example; iprev=pass policy.iprev=192.0.2.1 (mail.corp.example); auth=none; dmarc=pass"
    " header.from=corp.example",
    "mx.agent.example; dkim=fail reason=\"signature verification failed\" header.d=news.example; dkim=pass"
    " header.d=corp.example; arc=none; dmarc=pass policy.dmarc=reject header.from=corp.example",
    "mx.agent.example; spf=softfail smtp.mailfrom=relay.example; dkim=pass header.d=corp.example; dmarc=pass"
    " header.from=corp.example",
    'mx.agent.example; iprev=pass policy.iprev="2001:db8::25"; dmarc=pass header.from=corp.example',
    "mx.agent.example; (checked) dmarc=pass (adkim=r; aspf=r) header.from=corp.example (From: corp.example)",
    "mx.agent.example; spf=pass smtp.helo=mail.corp.example smtp.mailfrom=corp.example; bimi=skipped; dmarc=pass"
    " header.from=corp.example; compauth=pass reason=100",
)  # fmt: skip
EXTRAS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "sender-same": ("Sender: Ann Approver <ann@corp.example>",),
    "reply-to": ("Reply-To: elsewhere@evil.example",),
    "auto-no": ("Auto-Submitted: no",),
    "suppress": ("X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply",),
    "dkim": ("DKIM-Signature: v=1; a=rsa-sha256; d=corp.example; s=s; h=From:Date:Subject:Message-ID; bh=x; b=y",),
    "dkim-relay": ("DKIM-Signature: v=1; a=rsa-sha256; d=relay.example; s=s; h=from:subject; l=10; bh=x; b=y",),
    "arc": (f"ARC-Authentication-Results: i=1; mx.other.example; {AUTHENTIC.partition('; ')[2]}",),
    "foreign-results": ("Authentication-Results: mx.corp.example; auth=pass smtp.auth=ann",),
    "receipt-wanted": ("Disposition-Notification-To: ann@corp.example",),
    "importance": ("Importance: high", "X-Priority: 1", "Thread-Topic: [approval r-7f3a/2]", "Thread-Index: AdABC=="),
    "received": tuple(
        f"Received: from a{n}.example by b{n}.example; Mon, 02 Nov 2026 08:15:0{n} +0000" for n in range(6)
    ),
    "list-unsubscribe": ("List-Unsubscribe: <mailto:none@corp.example>",),
}
SENDERS = (
    "Ann Approver <ann@corp.example>",
    "ann@corp.example",
    '"Approver, Ann" <ann@corp.example>',
    "Ann@Corp.Example",
    "=?utf-8?q?Ann_=C3=84pprover?= <ann@corp.example>",
    "ann@corp.example (Ann Approver)",
    '"Ann \\"the\\" Approver" <ANN@corp.example>',
)


def genuine() -> Iterator[Case]:
    """Every proof with every sender form and extra in turn, in all languages."""
    shapes, senders, spoken = cycle(SHAPES.items()), cycle(SENDERS), cycle(languages())
    for number, proof in enumerate(PROOFS):
        for kind, extra in EXTRAS.items():
            (_, shape), words = next(shapes), next(spoken)
            name = f"genuine-{number}-{kind}"
            head = Head(name, sender=next(senders), results=(proof,), extra=extra)
            yield Case(name, "genuine", message(head, shape(words, [words.approve[0]])), ("accepted",), kind)
    yield from _places()


def _places() -> Iterator[Case]:
    """The request is found by its address, by the thread, by the Ref line, each alone."""
    words = languages()[0]
    gmail = SHAPES["gmail"](words, ["APPROVE"])
    lost = Head("found-by-address", in_reply_to=None, subject="APPROVE")
    folded = Head("found-by-folded-address", to="APPROVALS+R-7F3A.S2.N9QK4@AGENT.EXAMPLE", in_reply_to=None)
    thread = Head("found-by-thread", to="approvals@agent.example", extra=())
    body = Head("found-by-ref", to="approvals@agent.example", in_reply_to=None)
    copied = Head(
        "found-by-delivered-to",
        to="approvals@agent.example",
        in_reply_to=None,
        extra=(f"Delivered-To: {Head('x').to.partition('<')[2][:-1]}",),
    )
    for head in (lost, folded, thread, body, copied):
        yield Case(head.name, "genuine", message(head, gmail), ("accepted",), head.name)


def delegated() -> Iterator[Case]:
    """Answers of a delegate: in force at receipt they count, before, after and for the requester they do not."""
    spans = {
        "in-force": ("2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z", "ann", "accepted"),
        "over": ("2026-11-01T00:00:00Z", "2026-11-02T08:15:04Z", "ann", "refused"),
        "to-come": ("2026-11-02T08:15:06Z", "2026-11-03T00:00:00Z", "ann", "refused"),
        "of-requester": ("2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z", "rita", "refused"),
    }
    for words in languages():
        for kind, (since, until, giver, want) in spans.items():
            name = f"delegate-{kind}-{words.language}"
            given = {"from": f"{giver}@corp.example", "to": "dan@corp.example", "since": since, "until": until}
            raw = message(Head(name, sender="Dan <dan@corp.example>"), SHAPES["outlook"](words, [words.approve[0]]))
            yield Case(name, "genuine" if want == "accepted" else "forgery", raw, (want,), kind, {"delegates": [given]})


def again() -> Iterator[Case]:
    """The same mail once more, however it comes: never a second effect, never a halt."""
    for words in languages():
        first = f"again-first-{words.language}"
        body = SHAPES["gmail"](words, [words.approve[0]])
        raw = message(Head(first), body)
        yield Case(first, "genuine", raw, ("accepted",), "comes first")
        for kind, copy in _copies(first, raw, body):
            name = f"again-{kind}-{words.language}"
            yield Case(name, "again", copy, ("ignored",), kind, {"after": [first]})
        yield from _after(words, first)


def _copies(first: str, raw: bytes, body: Body) -> Iterator[tuple[str, bytes]]:
    yield "redelivered", raw
    yield "migrated", raw.replace(b"\r\n", b"\n")
    yield "traced", b"Received: by mx2.agent.example; Mon, 02 Nov 2026 09:00:00 +0000\r\nX-Spam-Score: 0\r\n" + raw
    yield "recoded", message(Head(first), Body(body.plain, body.html, "utf-8", "base64"))
    yield "requoted", message(Head(first), Body(body.plain, body.html, "utf-8", "quoted-printable"))
    yield "tagged", message(Head(first, subject="[EXTERNAL] Re: [approval r-7f3a/2] Post 4 x P-100"), body)


def _after(words: Words, first: str) -> Iterator[Case]:
    override: dict[str, Any] = {"after": [first]}
    shape = SHAPES["ios_mail"]
    name = f"again-second-yes-{words.language}"
    yield Case(
        name, "again", message(Head(name), shape(words, [words.approve[1]])), ("ignored",), "a second yes", override
    )
    name = f"again-then-no-{words.language}"
    yield Case(
        name, "again", message(Head(name), shape(words, [words.reject[0]])), ("rejected",), "yes, then no", override
    )
    name = f"again-other-content-{words.language}"
    other = message(Head(first), shape(words, [words.approve[0], "", "x"]))
    yield Case(name, "again", other, ("collision",), "other content under the same Message-ID", override)
    name = f"again-late-{words.language}"
    late = {"received_at": "2026-11-02T16:00:01Z"}
    yield Case(
        name,
        "non-approval",
        message(Head(name), shape(words, [words.approve[0]])),
        ("late",),
        "a second too late",
        late,
    )
