"""A body and headers -> raw bytes, in the encodings that mail programs use."""

import base64
import quopri
from dataclasses import dataclass, field

from evaluation.reply_matrix.words import SENDER_ADDRESS

ADDRESS = "approvals+r-7f3a.s2.n9Qk4@agent.example"
ASKED_ID = "<req.r-7f3a.s2@agent.example>"
REF = "r-7f3a.s2.n9Qk4"
AUTHENTIC = (
    "mx.agent.example; dkim=pass header.d=corp.example; spf=pass smtp.mailfrom=corp.example;"
    " dmarc=pass header.from=corp.example"
)
ENCODINGS = ("8bit", "quoted-printable", "base64")


@dataclass(frozen=True)
class Body:
    """What a reply says: plain text, HTML or both. ``parameters`` go to the Content-Type of the text."""

    plain: str | None = None
    html: str | None = None
    charset: str = "utf-8"
    encoding: str = "8bit"
    parameters: str = ""


@dataclass(frozen=True)
class Head:
    """Header fields of a reply; ``extra`` lines stand as they are, ``drop`` names fields left out."""

    name: str
    sender: str = "Ann Approver <ann@corp.example>"
    to: str = f"Countersign <{ADDRESS}>"
    subject: str = "Re: [approval r-7f3a/2] Post 4 x P-100"
    results: tuple[str, ...] = (AUTHENTIC,)
    in_reply_to: str | None = ASKED_ID
    extra: tuple[str, ...] = ()
    drop: frozenset[str] = field(default_factory=frozenset)

    def raw(self) -> bytes:
        """The header section without the content fields, each line ended."""
        lines = [("Return-Path", "<ann@corp.example>")]
        lines += [("Authentication-Results", result) for result in self.results]
        lines += [("From", self.sender), ("To", self.to), ("Subject", self.subject)]
        lines += [("Date", "Mon, 02 Nov 2026 09:15:00 +0100"), ("Message-ID", f"<{self.name}@corp.example>")]
        if self.in_reply_to is not None:
            lines += [("In-Reply-To", self.in_reply_to), ("References", self.in_reply_to)]
        text = [f"{name}: {value}" for name, value in lines if name.lower() not in self.drop]
        return "\r\n".join([*text, *self.extra, "MIME-Version: 1.0", ""]).encode("utf-8", "surrogateescape")


def message(head: Head, body: Body) -> bytes:
    """A whole mail: one text part, or multipart/alternative when there are both."""
    return head.raw() + content(body)


def content(body: Body, boundary: str = "=_alt") -> bytes:
    """The content with its own fields, as it may also stand inside a multipart."""
    if body.plain is not None and body.html is not None:
        parts = [_text("plain", body.plain, body), _text("html", body.html, body)]
        return multipart("alternative", parts, boundary)
    if body.html is not None:
        return _text("html", body.html, body)
    return _text("plain", body.plain or "", body)


def multipart(subtype: str, parts: list[bytes], boundary: str, parameters: str = "") -> bytes:
    """A multipart of finished parts."""
    head = f'Content-Type: multipart/{subtype};{parameters} boundary="{boundary}"\r\n\r\n'
    mark = f"--{boundary}\r\n".encode()
    return head.encode() + b"".join(mark + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()


def part(kind: str, text: str, disposition: str = "") -> bytes:
    """Any part as UTF-8 text."""
    extra = f"Content-Disposition: {disposition}\r\n" if disposition else ""
    return f"Content-Type: {kind}\r\n{extra}\r\n{_crlf(text)}\r\n".encode()


def signed(kind: str, inner: bytes) -> bytes:
    """``inner`` in a multipart/signed whose signature is junk: nothing here verifies it."""
    protocol = "application/pkcs7-signature" if kind == "smime" else "application/pgp-signature"
    name = "smime.p7s" if kind == "smime" else "signature.asc"
    junk = f"Content-Type: {protocol}; name={name}\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n".encode()
    return multipart("signed", [inner, junk], "=_signed", f' protocol="{protocol}"; micalg=sha-256;')


def _text(subtype: str, text: str, body: Body) -> bytes:
    encoding = body.encoding
    raw = _crlf(text).encode(body.charset)
    parameters = body.parameters if subtype == "plain" else ""
    fields = f"Content-Type: text/{subtype}; charset={body.charset}{parameters}\r\n"
    fields += f"Content-Transfer-Encoding: {encoding}\r\n\r\n"
    if encoding == "base64":
        raw = base64.encodebytes(raw).replace(b"\n", b"\r\n")
    elif encoding == "quoted-printable":
        raw = quopri.encodestring(raw.replace(b"\r\n", b"\n")).replace(b"\n", b"\r\n")
    return fields.encode() + raw


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def asked(words_approve: str, words_reject: str) -> list[str]:
    """The request as it stands in a quote: it names both answers, which must never count."""
    return [
        "Run r-7f3a step 2 wants to post 4 pieces of P-100.",
        "",
        f"To approve, reply with {words_approve} on the first line. To refuse, reply {words_reject}.",
        "APPROVE",
        f"From: {SENDER_ADDRESS}",
        f"Ref: {REF}",
    ]
