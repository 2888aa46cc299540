"""SASL with a bearer token: OAUTHBEARER (RFC 7628) and XOAUTH2, the form that Google and Microsoft document.

No sockets: challenge in, response out. Both have the server explain a refusal in a further challenge, which must be answered
before it ends the exchange.
"""

import json
from collections.abc import Iterable

MECHANISMS = ("XOAUTH2", "OAUTHBEARER")
"""By preference: XOAUTH2 is what both vendors document for mail."""


def choose_mechanism(offered: Iterable[str], wanted: str = "") -> str | None:
    """The mechanism to use; ``wanted`` narrows the choice to one. None when the server offers none."""
    names = {name.upper() for name in offered}
    return next((name for name in MECHANISMS if name in names and wanted.upper() in {"", name}), None)


class BearerExchange:
    """One login, as a callable for imaplib and smtplib: the challenge so far (None before the first) in, the response out."""

    def __init__(self, mechanism: str, user: str, token: str, host: str, port: int) -> None:
        self.mechanism = mechanism
        self._first: str | None = first_response(mechanism, user, token, host, port)
        self.said = ""
        """How the server explained a refusal; empty when it did not."""

    def __call__(self, challenge: bytes | None = None) -> str:
        """The token at first, then whatever ends the exchange."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        self.said = explain(challenge or b"") or self.said
        # RFC 7628, section 3.2.3: a lone %x01 closes a failed exchange; XOAUTH2 wants an empty response.
        return "\x01" if self.mechanism == "OAUTHBEARER" else ""


def first_response(mechanism: str, user: str, token: str, host: str, port: int) -> str:
    """What carries the token, before base64."""
    if mechanism == "XOAUTH2":
        return f"user={user}\x01auth=Bearer {token}\x01\x01"
    # RFC 5801: comma and equals sign are written as =2C and =3D in the authorization identity.
    identity = user.replace("=", "=3D").replace(",", "=2C")
    return f"n,a={identity},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01"


def explain(challenge: bytes) -> str:
    """The JSON of an error challenge (RFC 7628, section 3.2.2) as one line; what is no such JSON is shown as it is, cut."""
    text = challenge.decode("utf-8", "replace")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if isinstance(fields, dict):
        text = ", ".join(
            f"{name} {fields[name]}" for name in ("status", "error", "scope", "schemes") if fields.get(name)
        )
    return "".join(char if char.isprintable() else " " for char in text)[:200].strip()
