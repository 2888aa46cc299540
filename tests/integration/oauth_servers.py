"""Mail servers that believe bearer tokens only as far as the identity provider does: Dovecot for IMAP, aiosmtpd for SMTP."""

import base64
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from tests.identity_provider import IdentityProvider
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
