"""Mail servers that believe bearer tokens only as far as the identity provider does: Dovecot, pymap, aiosmtpd."""

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from proxyprotocol.reader import ProxyProtocolReader
from pymap.context import subsystem
from pymap.exceptions import InvalidAuth
from pymap.imap import IMAPServer
from pysasl import SASLAuth
from pysasl.creds.external import ExternalVerificationRequired
from pysasl.creds.server import ServerCredentials
from pysasl.mechanism.oauth import OAuth2Mechanism

from embedded.mail_server.imap_backend import ServerConfig, UserIdentity, UserLogin
from embedded.mail_server.users import User
from tests.identity_provider import APPROVALS, IdentityProvider
from tests.integration.dovecot import Dovecot, dovecot

# The penalty would have every further failure of this address wait up to half a minute.
_EXTRA = """
auth_mechanisms = plain MECHANISMS
auth_failure_delay = 0
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = RUN/oauth2.conf
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
"""
_OAUTH2 = """
introspection_url = URL/introspect?token=
introspection_mode = get
force_introspection = yes
active_attribute = active
active_value = true
username_attribute = username
username_format = %Ln
"""


@contextmanager
def oauth_dovecot(provider: IdentityProvider, mechanisms: str = "xoauth2 oauthbearer") -> Iterator[Dovecot]:
    """Dovecot that asks ``provider`` about every token (RFC 7662)."""
    files = {"oauth2.conf": _OAUTH2.replace("URL", provider.url)}
    with dovecot(_EXTRA.replace("MECHANISMS", mechanisms), files) as running:
        yield running


@dataclass
class OAuthSmtp:
    """aiosmtpd handler: takes mail from whom the provider knows. ``logins`` are (mechanism, user, believed)."""

    provider: IdentityProvider
    logins: list[tuple[str, str, bool]] = field(default_factory=list)
    taken: list[bytes] = field(default_factory=list)
    final: list[bytes] = field(default_factory=list)

    async def auth_XOAUTH2(self, server: Any, args: list[str]) -> AuthResult:
        """user=…^Aauth=Bearer …^A^A"""
        fields = base64.b64decode(args[1]).decode().split("\x01")
        return await self._judge(server, "XOAUTH2", fields[0].removeprefix("user="), fields[1])

    async def auth_OAUTHBEARER(self, server: Any, args: list[str]) -> AuthResult:
        """n,a=…,^A…auth=Bearer …^A^A"""
        first, *fields = base64.b64decode(args[1]).decode().split("\x01")
        [shown] = [one for one in fields if one.startswith("auth=")]
        return await self._judge(server, "OAUTHBEARER", first.split(",")[1].removeprefix("a="), shown)

    async def _judge(self, server: Any, mechanism: str, user: str, shown: str) -> AuthResult:
        known = self.provider.introspect(shown.removeprefix("auth=Bearer "))
        believed = bool(known["active"]) and known["username"] == user
        self.logins.append((mechanism, user, believed))
        if not believed:
            refusal = json.dumps({"status": "401", "schemes": "bearer", "scope": "https://mail.example/"})
            self.final.append(await server.challenge_auth(refusal))
        return AuthResult(success=believed, handled=False, message=None if believed else "535 5.7.3 not you")

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Keep it. (aiosmtpd's own ``auth_required`` warns without TLS, which tests take for an error.)"""
        if not session.authenticated:
            return "530 5.7.0 Authentication required"
        self.taken.append(envelope.original_content)
        return "250 2.0.0 stored"


@contextmanager
def oauth_smtp(provider: IdentityProvider) -> Iterator[tuple[OAuthSmtp, int]]:
    """A running server and its port."""
    handler = OAuthSmtp(provider)
    excluded = ["LOGIN", "PLAIN"]
    options = {"auth_require_tls": False, "auth_exclude_mechanism": excluded}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port, server_hostname="localhost", **options)
    controller.start()
    try:
        yield handler, port
    finally:
        controller.stop()


class _Believing(UserLogin):
    """The embedded server's users, by token instead of password."""

    def __init__(self, config: ServerConfig, home: Path, provider: IdentityProvider) -> None:
        users = {name: User(name, "never used") for name in (APPROVALS, "ann@corp.example")}
        super().__init__(config, users, home, 1)
        self._provider = provider

    async def authenticate(self, credentials: ServerCredentials) -> UserIdentity:
        """Raises InvalidAuth unless the provider says that the token is for that user."""
        try:
            credentials.verify(None)
        except ExternalVerificationRequired as shown:
            known = self._provider.introspect(shown.token or "")
            if known["active"] and known["username"] == credentials.authzid:
                return UserIdentity(self, credentials.authzid)
        raise InvalidAuth


class _BearerConfig(ServerConfig):
    """XOAUTH2 only, as Microsoft 365 offers it."""

    @property
    def tls_auth(self) -> SASLAuth:
        """The mechanisms."""
        return SASLAuth([OAuth2Mechanism()])


@contextmanager
def oauth_pymap(provider: IdentityProvider, home: Path) -> Iterator[int]:
    """The IMAP side of the embedded server with XOAUTH2; it refuses without a challenge. Its port."""
    loop = asyncio.new_event_loop()
    started: Future[int] = Future()
    stop = asyncio.Event()

    async def serve() -> None:
        config = _BearerConfig("127.0.0.1", 0, b"k" * 32)
        subsystem.set(config.subsystem)
        callback = ProxyProtocolReader(config.proxy_protocol).get_callback(
            IMAPServer(_Believing(config, home, provider), config)
        )
        server = await asyncio.start_server(callback, "127.0.0.1", 0)
        started.set_result(server.sockets[0].getsockname()[1])
        await stop.wait()
        server.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        yield started.result(20)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()
