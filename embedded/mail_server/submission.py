"""The SMTP side: authenticated submission to local mailboxes, nothing else."""

import warnings
from collections.abc import Callable
from datetime import datetime
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from pymap.parsing.message import AppendMessage

from embedded.mail_server.mailbox import StoredMailboxes
from embedded.mail_server.stamp import stamp
from embedded.mail_server.users import User, mailbox_of

SIZE_LIMIT = 32 << 20


class Submission:
    """aiosmtpd handler: recipients must be local, a mail is accepted once it is on disk in every recipient's inbox."""

    def __init__(
        self,
        users: dict[str, User],
        mailboxes: dict[str, StoredMailboxes],
        authserv_id: str,
        now: Callable[[], datetime],
    ) -> None:
        self._users = users
        self._mailboxes = mailboxes
        self._authserv_id = authserv_id
        self._now = now

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Refuse who has no mailbox here."""
        if mailbox_of(self._users, address) is None:
            return f"550 5.1.1 <{address}>: no mailbox here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Deliver to each recipient; the answer comes after the files are on disk."""
        at = self._now()
        content = envelope.original_content or b""
        for recipient in envelope.rcpt_tos:
            user = mailbox_of(self._users, recipient)
            if user is None:
                return f"550 5.1.1 <{recipient}>: no mailbox here"
            stamped = stamp(
                content, sender=envelope.mail_from or "", recipient=recipient, login=str(session.auth_data),
                authserv_id=self._authserv_id, peer=_peer(session), at=at,
            )  # fmt: skip
            await self._mailboxes[user.address].inbox.append(AppendMessage(stamped, at, frozenset()), recent=True)
        return "250 2.0.0 stored"


def _peer(session: Session) -> str:
    """What the client calls itself, and the address that it was seen at (RFC 5321, 4.4)."""
    name = "".join(
        char for char in str(session.host_name or "") if char.isascii() and (char.isalnum() or char in ".-_")
    )
    seen = str(session.peer[0]) if session.peer else "127.0.0.1"
    literal = f"IPv6:{seen}" if ":" in seen else seen
    return f"{name[:100] or 'unknown'} ([{literal}])"


def smtp_factory(handler: Submission, users: dict[str, User], hostname: str) -> Callable[[], SMTP]:
    """Makes one aiosmtpd protocol per connection."""

    def authenticate(server: SMTP, session: Session, envelope: Envelope, mechanism: str, auth_data: Any) -> AuthResult:
        if not isinstance(auth_data, LoginPassword):
            return AuthResult(success=False, handled=False)
        user = users.get(auth_data.login.decode("utf-8", "replace").lower())
        known = user is not None and user.password.encode() == auth_data.password
        return AuthResult(success=known, handled=False, auth_data=user.address if user is not None and known else None)

    def make() -> SMTP:
        with warnings.catch_warnings():
            # Passwords without TLS: the server is meant for loopback only.
            warnings.filterwarnings("ignore", message="Requiring AUTH while not requiring TLS")
            return SMTP(
                handler, hostname=hostname, authenticator=authenticate, auth_required=True, auth_require_tls=False,
                enable_SMTPUTF8=True, data_size_limit=SIZE_LIMIT, ident="countersign embedded",
            )  # fmt: skip

    return make
