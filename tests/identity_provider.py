"""A token endpoint as a real HTTP server: issues, rotates, revokes; tells a mail server whom a token is for (RFC 7662)."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mail.oauth import OAuthSettings

APPROVALS = "approvals@countersign.example"


@dataclass
class IdentityProvider:
    """What it knows. ``refresh``: the refresh token that it takes now; ``broken``: the next answers, in place of tokens."""

    user: str = APPROVALS
    lasts: int = 3600
    rotates: bool = False
    refresh: str = "refresh-0"
    secret: str = "s3cret"
    port: int = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    alive: set[str] = field(default_factory=set)
    shown: list[str] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def settings(self, **changes: Any) -> OAuthSettings:
        """An application that was signed in once."""
        given = {"client_id": "app", "client_secret": self.secret, "refresh_token": "refresh-0"}
        return OAuthSettings(f"{self.url}/token", **{**given, **changes})

    def token(self, fields: dict[str, str]) -> tuple[int, Any]:
        """The answer to a form."""
        self.asked.append(fields)
        if self.broken:
            status, text = self.broken.pop(0)
            return status, text
        if fields.get("client_secret") != self.secret:
            return 401, {
                "error": "invalid_client",
                "error_description": f"secret {fields.get('client_secret')} is wrong",
            }
        if fields["grant_type"] == "refresh_token" and fields["refresh_token"] != self.refresh:
            return 400, {"error": "invalid_grant", "error_description": "AADSTS70008: The refresh token has expired."}
        name = f"access-{len(self.asked)}"
        self.alive.add(name)
        answer = {"access_token": name, "token_type": "Bearer", "expires_in": self.lasts}
        if self.rotates and fields["grant_type"] == "refresh_token":
            self.refresh = f"refresh-{len(self.asked)}"
            answer["refresh_token"] = self.refresh
        return 200, answer

    def introspect(self, token: str) -> dict[str, Any]:
        """Whom ``token`` is for."""
        self.shown.append(token)
        return {"active": True, "username": self.user} if token in self.alive else {"active": False}


def _handler(provider: IdentityProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            fields = {k: v[0] for k, v in parse_qs(self._body(), keep_blank_values=True).items()}
            if urlsplit(self.path).path == "/token":
                self._answer(*provider.token(fields))
            else:
                self._answer(200, provider.introspect(fields.get("token", "")))

        def do_GET(self) -> None:
            self._answer(200, provider.introspect(parse_qs(urlsplit(self.path).query).get("token", [""])[0]))

        def _body(self) -> str:
            return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

        def _answer(self, status: int, content: Any) -> None:
            body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def identity_provider(**given: Any) -> Iterator[IdentityProvider]:
    """A running one, on a free port of loopback."""
    provider = IdentityProvider(**given)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    provider.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
