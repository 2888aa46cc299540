"""The trace of a server that we trust: who handed a mail to it (RFC 5321, 4.4). Text in, values out.

The server writes what the client said of itself (the name after ``from``) and, in the comment behind it, what it saw: only the
address literal there counts. What does not have exactly that form says nothing, since the client chose part of the text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from mail.headers import Headers, strip_quoted

_FROM = re.compile(r"from[ \t]+[A-Za-z0-9._:\[\]-]{1,255}[ \t]+\(([^()\\\"]{1,400})\)(.*)", re.IGNORECASE | re.DOTALL)
_TCP_INFO = re.compile(r"(?:[A-Za-z0-9._-]{1,255}[ \t]+)?\[(?:IPv6:)?([0-9A-Fa-f.:]{2,45})\](?::[0-9]{1,5})?")
_DATE = re.compile(
    r"(?:[A-Za-z]{3}, ?)?[0-9]{1,2} [A-Za-z]{3} [0-9]{4} [0-9]{2}:[0-9]{2}(?::[0-9]{2})? (?:[+-][0-9]{4}|GMT|UTC|UT)"
)
_CLAUSES = frozenset({"with", "id", "for", "via"})


@dataclass(frozen=True)
class Handover:
    """``receiver`` (lower case) took a mail from ``client``."""

    receiver: str
    client: IPv4Address | IPv6Address


def read_received(value: str) -> Handover | None:
    """One unfolded ``Received`` field; None when it is not plain who took the mail from which address."""
    found = _FROM.fullmatch(value.strip())
    seen = _TCP_INFO.fullmatch(found[1].strip()) if found else None
    if found is None or seen is None:
        return None
    receiver = _receiver(strip_quoted(found[2]))
    try:
        client = ip_address(seen[1])
    except ValueError:
        return None
    return Handover(receiver, client) if receiver else None


def _receiver(rest: str) -> str:
    """The host after ``by``, when nothing but the clauses of RFC 5321 and the date follow; else an empty string."""
    clauses, _, date = rest.partition(";")
    words = clauses.split()
    if not _DATE.fullmatch(" ".join(date.split())) or len(words) < 2 or len(words) % 2 or words[0].lower() != "by":
        return ""
    names = [word.lower() for word in words[2::2]]
    return words[1].lower().rstrip(".") if len(set(names)) == len(names) and _CLAUSES.issuperset(names) else ""


def intranet_fault(headers: Headers, receiver: str, networks: Iterable[str]) -> str:
    """Why the topmost ``Received`` does not show that ``receiver`` took the mail from one of ``networks``; empty if it does."""
    fields = headers.all("received")
    handover = read_received(fields[0]) if fields else None
    if handover is None:
        return "no Received says plainly from which address it came" if fields else "no Received header"
    if handover.receiver != receiver.lower().rstrip("."):
        return f"the last Received is not by {receiver}"
    mapped = handover.client.ipv4_mapped if isinstance(handover.client, IPv6Address) else None
    client = mapped or handover.client
    if any(client in ip_network(network) for network in networks):
        return ""
    return f"it came from {client}, which is outside the trusted networks"
