"""Trace headers that the receiving server writes: bytes of a submitted mail in, bytes as delivered out. No I/O."""

import re
from datetime import datetime
from email.utils import format_datetime, getaddresses

_STRIPPED = (b"return-path", b"delivered-to", b"x-original-to")


def stamp(
    content: bytes, *, sender: str, recipient: str, login: str, authserv_id: str, peer: str, at: datetime
) -> bytes:
    """``content`` with this server's trace headers on top.

    Foreign trace headers that only the last server may write, and any Authentication-Results that claims to be ours (RFC 8601,
    section 5), are removed. ``dmarc=pass`` is written only when From is exactly the address that logged in.
    """
    head, separator, body = _split(content)
    kept, froms = [], []
    for field in head:
        name = field.partition(b":")[0].strip().lower()
        if name == b"from":
            froms.append(field.partition(b":")[2])
        if name in _STRIPPED or (name == b"authentication-results" and _authserv_id(field) == authserv_id.lower()):
            continue
        kept.append(field)
    author = _author(froms)
    domain = author.rpartition("@")[2] or "invalid"
    verdict = "pass" if author == login.lower() else "fail"
    trace = [
        f"Return-Path: <{sender}>",
        f"Delivered-To: {recipient}",
        f"X-Original-To: {recipient}",
        f"Authentication-Results: {authserv_id}; auth=pass smtp.auth={login.lower()}; dmarc={verdict} header.from={domain}",
        f"Received: from {peer} by {authserv_id} with ESMTPA for <{recipient}>; {format_datetime(at)}",
    ]
    lines = [line.encode("ascii", "replace") for line in trace] + kept
    return b"\r\n".join(lines) + b"\r\n" + separator + body


def _split(content: bytes) -> tuple[list[bytes], bytes, bytes]:
    """Header fields with their folds, the empty line, the body. Line ends become CRLF in the header section only."""
    found = re.search(rb"(?:\r\n|\n)(\r\n|\n)|^(\r\n|\n)", content)
    head, body = (content, b"") if found is None else (content[: found.start()], content[found.end() :])
    fields: list[bytes] = []
    for line in re.split(rb"\r\n|\n", head):
        if line[:1] in (b" ", b"\t") and fields:
            fields[-1] += b"\r\n" + line
        elif line:
            fields.append(line)
    return fields, b"\r\n", body


def _authserv_id(field: bytes) -> str:
    value = field.partition(b":")[2].decode("utf-8", "replace")
    bare = re.sub(r"\([^()]*\)", " ", value)
    return bare.partition(";")[0].split()[0].strip('"').lower() if bare.partition(";")[0].split() else ""


def _author(froms: list[bytes]) -> str:
    """The one address of the one From field, lower case, or an empty string."""
    if len(froms) != 1:
        return ""
    value = re.sub(r"\s+", " ", froms[0].decode("utf-8", "replace"))
    addresses = [address for _, address in getaddresses([value])]
    return addresses[0].lower() if len(addresses) == 1 and addresses[0].count("@") == 1 else ""
