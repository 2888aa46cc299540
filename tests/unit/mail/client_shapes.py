"""Raw replies of ``client_shapes.toml``, and the ways to make others."""

import tomllib
from pathlib import Path

HEAD = "From: Ann <ann@corp.example>\r\nTo: a+x@agent.example\r\nSubject: Re: x\r\nMessage-ID: <m@c>\r\n"
Q = (
    "Run r-7f3a step 2 wants to post 4 pieces of P-100.\n"
    "To approve, reply with APPROVE on the first line. To refuse, reply REJECT.\n"
    "Ref: r-7f3a.s2.n9Qk4"
)
QM = "\n".join(f"> {line}" for line in Q.split("\n"))
PLACES = {"{QM}": QM, "{QH}": Q.replace("\n", "<br>"), "{QI}": Q.replace("\n", "\n "), "{Q}": Q}


def plain(text: str, charset: str = "utf-8", extra: str = "") -> bytes:
    """A plain text reply."""
    head = f"{HEAD}Content-Type: text/plain; charset={charset}{extra}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    return head.encode() + text.replace("\n", "\r\n").encode(charset)


def html(text: str) -> bytes:
    """An HTML-only reply."""
    head = f"{HEAD}Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    return head.encode() + text.encode()


def alt(text: str, rich: str) -> bytes:
    """A reply with both alternatives."""
    head = f'{HEAD}Content-Type: multipart/alternative; boundary="bb"\r\n\r\n'.encode()
    parts = (("plain", text.replace("\n", "\r\n")), ("html", rich))
    head += b"".join(
        f"--bb\r\nContent-Type: text/{subtype}; charset=utf-8\r\n\r\n{body}\r\n".encode() for subtype, body in parts
    )
    return head + b"--bb--\r\n"


def load_shapes() -> list[tuple[str, bytes, str]]:
    """Name, raw mail and answer of every shape."""
    table = tomllib.loads(Path(__file__).with_name("client_shapes.toml").read_text(encoding="utf-8"))
    return [(shape["name"], _raw(shape), shape["answer"]) for shape in table["shape"]]


def _raw(shape: dict[str, str]) -> bytes:
    text, rich = _filled(shape.get("plain")), _filled(shape.get("html"))
    if text is not None and rich is not None:
        return alt(text, rich)
    if rich is not None:
        return html(rich)
    return plain(text or "", shape.get("charset", "utf-8"), shape.get("extra", ""))


def _filled(text: str | None) -> str | None:
    for place, content in PLACES.items():
        text = text.replace(place, content) if text is not None else None
    return text
