"""What is sent to an OAuth 2.0 token endpoint and what its answer means (RFC 6749, sections 4.4, 5 and 6).

Two ways to a token for a mailbox: a refresh token (section 6), which a person got by signing in once, as Google and Microsoft
have it for delegated access; or client credentials (section 4.4), Microsoft's app-only access. Both vendors take the client's
secret in the form. No sockets and no clock here.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus

from mail.errors import TokenRefused, TokenUnavailable

# What to do, by the error codes of RFC 6749 section 5.2 and OpenID Connect Core section 3.1.2.6.
_SIGN_IN = "the refresh token has ended or was revoked: sign in again and set oauth.refresh_token to the new one"
_ADVICE = {
    "invalid_grant": _SIGN_IN,
    "interaction_required": _SIGN_IN,
    "login_required": _SIGN_IN,
    "consent_required": "grant the application access to the mailbox again (consent), then set the new oauth.refresh_token",
    "invalid_client": "check oauth.client_id and oauth.client_secret; secrets of an application expire",
    "unauthorized_client": "allow the application this grant in the identity provider, or use another one",
    "unsupported_grant_type": "give oauth.refresh_token: this endpoint does not know client credentials",
    "invalid_scope": "correct oauth.scope",
    "invalid_request": "check oauth.token_url (its tenant) and oauth.scope",
}
_PASSING = frozenset({"temporarily_unavailable", "server_error", "slow_down"})
_DEFAULT_SECONDS = 300.0
_MOST_SAID = 300


@dataclass(frozen=True)
class OAuthSettings:
    """One application's access to one mailbox. Without ``refresh_token`` the grant is client credentials."""

    token_url: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)
    scope: str = ""
    timeout_seconds: float = 30.0
    proxy: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Issued:
    """An access token that lasts ``seconds``; ``refresh_token`` is the next one where the endpoint rotates it, else empty."""

    access_token: str = field(repr=False)
    seconds: float
    refresh_token: str = field(default="", repr=False)


def token_form(settings: OAuthSettings, refresh_token: str) -> dict[str, str]:
    """The fields to post. ``refresh_token`` is the newest one known."""
    grant = "refresh_token" if settings.refresh_token else "client_credentials"
    fields = {"grant_type": grant, "client_id": settings.client_id}
    if settings.refresh_token:
        fields["refresh_token"] = refresh_token
    if settings.client_secret:
        fields["client_secret"] = settings.client_secret
    if settings.scope:
        fields["scope"] = settings.scope
    return fields


def read_answer(status: int, body: bytes, settings: OAuthSettings, secrets: tuple[str, ...] = ()) -> Issued:
    """The token in an answer. Raises TokenRefused (somebody must act) or TokenUnavailable (try again), without secrets."""
    where = f"token endpoint {settings.token_url}"
    fields = _object(body)
    if status == 200 and fields is not None:
        token = fields.get("access_token")
        if isinstance(token, str) and token and _kind(fields) == "bearer":
            renewed = fields.get("refresh_token")
            return Issued(token, _seconds(fields.get("expires_in")), renewed if isinstance(renewed, str) else "")
    hidden = (*secrets, settings.client_secret, settings.refresh_token)
    code, said = (_said(fields or {}, name, hidden) for name in ("error", "error_description"))
    what = f"{where}: {status} {code}{': ' if said else ''}{said}".rstrip()
    if status in {408, 425, 429} or status >= 500 or code in _PASSING:
        raise TokenUnavailable(f"{what}; nothing to do here unless it lasts: ask who runs the identity provider")
    if code:
        raise TokenRefused(f"{what}; {_ADVICE.get(code, 'check the settings below oauth')}")
    raise TokenRefused(f"{what}; this is no answer of a token endpoint: check oauth.token_url")


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _kind(fields: dict[str, Any]) -> str:
    return str(fields.get("token_type", "bearer")).lower()


def _seconds(value: Any) -> float:
    """Some endpoints write the number as text; without one (it is only recommended) a short life is the safe guess."""
    try:
        return max(1.0, float(value))
    except (TypeError, ValueError):
        return _DEFAULT_SECONDS


def _said(fields: dict[str, Any], name: str, secrets: tuple[str, ...]) -> str:
    """A field as one printable line without anything secret, as it is or as the form had it."""
    text = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in str(fields.get(name, ""))))
    spelled = {form for secret in secrets if secret for form in (secret, quote(secret, safe=""), quote_plus(secret))}
    for secret in sorted(spelled, key=len, reverse=True):
        text = re.sub(re.escape(secret), "***", text, flags=re.IGNORECASE)
    return text.strip()[:_MOST_SAID]
