"""Sending one mail: the only place that speaks SMTP. Every failure says whether the server may have taken the mail."""

import smtplib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from mail.dsn import mail_options, recipient_options
from mail.errors import SmtpError, SmtpRefused, SmtpTemporary, SmtpUnknown, SmtpUnreachable, TokenError
from mail.login_gate import LoginGate
from mail.sasl import BearerExchange, choose_mechanism
from mail.tokens import Token, TokenSource
from wire.mail import Delivered

# RFC 5321, 4.5.3.2.6: a server may take ten minutes to answer the final dot; giving up earlier makes duplicates.
FINAL_DOT_SECONDS = 660.0


@dataclass(frozen=True)
class SmtpSettings:
    """Where mail is handed in. ``security``: implicit TLS, STARTTLS, or none (loopback only). ``tokens`` replace the
    password; ``mechanism`` narrows how they are shown (``XOAUTH2``, ``OAUTHBEARER``; empty: what the server offers). With a
    ``gate`` a refused login is not repeated at once."""

    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)
    security: Literal["tls", "starttls", "none"] = "none"
    local_hostname: str = "localhost"
    connect_seconds: float = 30.0
    final_dot_seconds: float = FINAL_DOT_SECONDS
    tokens: TokenSource | None = None
    mechanism: str = ""
    gate: LoginGate | None = None


def send(raw: bytes, sender: str, recipient: str, settings: SmtpSettings, now: Callable[[], datetime]) -> Delivered:
    """Hand ``raw`` over for one recipient.

    Raises SmtpUnreachable or SmtpTemporary (nothing was taken), SmtpRefused (5xx), SmtpUnknown (broke after DATA).
    """
    where = f"SMTP server {settings.host}:{settings.port}"
    client = _connect(settings, where)
    try:
        _envelope(client, sender, recipient, raw, where)
        response = _data(client, raw, settings, where)
        return Delivered(accepted_at=now().isoformat(), response=response)
    finally:
        _quit(client)


def sign_in(settings: SmtpSettings) -> tuple[str, ...]:
    """Connect and log in as for a mail, send none, and answer the extensions that the server offers then.

    Raises SmtpUnreachable.
    """
    client = _connect(settings, f"SMTP server {settings.host}:{settings.port}")
    try:
        return tuple(sorted(client.esmtp_features))
    finally:
        _quit(client)


def _connect(settings: SmtpSettings, where: str) -> smtplib.SMTP:
    """A connection that may send; none is tried while a refused login is to rest."""
    gate = settings.gate
    if gate is None:
        return _logged_in(settings, where)
    if refusal := gate.refusal():
        raise SmtpUnreachable(refusal)
    try:
        client = _logged_in(settings, where)
    except _LoginRefused as error:
        if error.code >= 500:
            gate.refused(str(error))
        raise
    gate.passed()
    return client


def _logged_in(settings: SmtpSettings, where: str) -> smtplib.SMTP:
    """When a token of earlier is refused, a fresh one is tried once."""
    if settings.tokens is None:
        return _attempt(settings, where, None)
    before = settings.tokens.cached
    try:
        token = settings.tokens.token()
        try:
            return _attempt(settings, where, token)
        except _LoginRefused:
            settings.tokens.discard(token)
            if token is not before:
                raise
            return _attempt(settings, where, settings.tokens.token())
    except TokenError as error:
        raise SmtpUnreachable(f"{where}, {settings.username}: no token: {error}") from error


class _LoginRefused(SmtpUnreachable):
    """The server knows no such user with that password or token."""


def _attempt(settings: SmtpSettings, where: str, token: Token | None) -> smtplib.SMTP:
    client = _opened(settings, where)
    try:
        if settings.security == "starttls":
            client.starttls(context=ssl.create_default_context())
        client.ehlo_or_helo_if_needed()
        if token is not None:
            _show(client, settings, where, token)
        elif settings.username:
            _tell(client, settings, where)
    except smtplib.SMTPAuthenticationError as error:
        _quit(client)
        raise _LoginRefused(f"{where}: {_refusal(settings, error)}", error.smtp_code) from error
    except UnicodeEncodeError:
        _quit(client)
        # Not chained: it shows a part of the password.
        raise SmtpUnreachable(f"{where}: user and password may hold ASCII only; set another password") from None
    except (OSError, smtplib.SMTPException, ValueError) as error:
        _quit(client)
        raise SmtpUnreachable(f"{where}: {error}") from error
    except SmtpUnreachable:
        _quit(client)
        raise
    return client


def _opened(settings: SmtpSettings, where: str) -> smtplib.SMTP:
    name = settings.local_hostname
    try:
        if settings.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(
                settings.host, settings.port, name, timeout=settings.connect_seconds, context=context
            )
        return smtplib.SMTP(settings.host, settings.port, name, timeout=settings.connect_seconds)
    except (OSError, smtplib.SMTPException) as error:
        raise SmtpUnreachable(f"{where}: {error}; check host, port and security") from error


def _tell(client: smtplib.SMTP, settings: SmtpSettings, where: str) -> None:
    """Log in with the password, by one mechanism only: ``login`` tries all in turn, and each counts as a wrong password."""
    offered = client.esmtp_features.get("auth", "").upper().split()
    known: dict[str, Any] = {"PLAIN": client.auth_plain, "LOGIN": client.auth_login, "CRAM-MD5": client.auth_cram_md5}
    mechanism = next((name for name in known if name in offered), None)
    if mechanism is None:
        offers = ", ".join(offered) or "no login"
        raise SmtpUnreachable(f"{where} offers {offers}, not {' or '.join(known)}; check port and security")
    client.user, client.password = settings.username, settings.password
    client.auth(mechanism, known[mechanism])


def _show(client: smtplib.SMTP, settings: SmtpSettings, where: str, token: Token) -> None:
    """Log in with a bearer token. Raises SMTPAuthenticationError that holds what the server said about it."""
    mechanisms = client.esmtp_features.get("auth", "").split()
    mechanism = choose_mechanism(mechanisms, settings.mechanism)
    if mechanism is None:
        offers = ", ".join(mechanisms) or "no login"
        wanted = settings.mechanism or "XOAUTH2 or OAUTHBEARER"
        raise SmtpUnreachable(f"{where} offers {offers}, not {wanted}; check host, port and security")
    exchange = BearerExchange(mechanism, settings.username, token.value, settings.host, settings.port)
    try:
        client.auth(mechanism, exchange)
    except smtplib.SMTPAuthenticationError as error:
        said = f"{_text(error.smtp_error)}{f' ({exchange.said})' if exchange.said else ''}"
        raise smtplib.SMTPAuthenticationError(error.smtp_code, said) from error


def _refusal(settings: SmtpSettings, error: smtplib.SMTPAuthenticationError) -> str:
    said = f"login as {settings.username} was refused ({error.smtp_code} {_text(error.smtp_error)[:300]})"
    if settings.tokens is None:
        return f"{said}; check user and password"
    return f"{said}; check that user is the mailbox of the token, and that the scope and the mailbox allow SMTP login"


def _text(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join(text.split())


def _envelope(client: smtplib.SMTP, sender: str, recipient: str, raw: bytes, where: str) -> None:
    """MAIL and RCPT; nothing is taken before DATA, so a broken line here is safe to try again."""
    reports = client.has_extn("dsn")
    try:
        code, text = client.mail(sender, mail_options(raw) if reports else ())
        if code == 250:
            code, text = client.rcpt(recipient, recipient_options(recipient) if reports else ())
    except (smtplib.SMTPException, OSError) as error:
        raise SmtpUnreachable(f"{where}: {error}") from error
    if code not in {250, 251}:
        raise _answered(f"{where}: envelope for {recipient}", code, text)


def _data(client: smtplib.SMTP, raw: bytes, settings: SmtpSettings, where: str) -> str:
    try:
        code, text = client.docmd("DATA")
    except (smtplib.SMTPException, OSError) as error:
        raise SmtpUnreachable(f"{where}: {error}") from error
    if code != 354:
        raise _answered(f"{where}: DATA", code, text)
    try:
        if isinstance(client.sock, socket.socket):
            client.sock.settimeout(settings.final_dot_seconds)
        client.send(_dotted(raw))
        code, text = client.getreply()
    except (smtplib.SMTPException, OSError) as error:
        raise SmtpUnknown(
            f"{where}: the connection broke after DATA ({error}); the mail may have been taken"
        ) from error
    if code != 250:
        raise _answered(f"{where}: end of data", code, text)
    return f"{code} {text.decode('utf-8', 'replace')}"[:500]


def _dotted(raw: bytes) -> bytes:
    """Dot-stuffed with CRLF line ends and the final dot (RFC 5321, 4.5.2)."""
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    return b"".join((b"." if line.startswith(b".") else b"") + line + b"\r\n" for line in lines) + b".\r\n"


def _answered(what: str, code: int, text: bytes) -> SmtpError:
    message = f"{what}: {code} {text.decode('utf-8', 'replace')[:300]}"
    if 500 <= code < 600:
        return SmtpRefused(message, code)
    return SmtpTemporary(message, code) if 400 <= code < 500 else SmtpUnreachable(message, code)


def _quit(client: smtplib.SMTP) -> None:
    try:
        client.quit()
    except (smtplib.SMTPException, OSError):
        client.close()  # the answer of the mail itself stands; how the farewell went changes nothing
