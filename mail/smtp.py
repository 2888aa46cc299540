"""Sending one mail: the only place that speaks SMTP. Every failure says whether the server may have taken the mail."""

import smtplib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mail.errors import SmtpError, SmtpRefused, SmtpTemporary, SmtpUnknown, SmtpUnreachable
from wire.mail import Delivered

# RFC 5321, 4.5.3.2.6: a server may take ten minutes to answer the final dot; giving up earlier makes duplicates.
FINAL_DOT_SECONDS = 660.0


@dataclass(frozen=True)
class SmtpSettings:
    """Where mail is handed in. ``security``: implicit TLS, STARTTLS, or none (loopback only)."""

    host: str
    port: int
    username: str = ""
    password: str = ""
    security: Literal["tls", "starttls", "none"] = "none"
    local_hostname: str = "localhost"
    connect_seconds: float = 30.0
    final_dot_seconds: float = FINAL_DOT_SECONDS


def send(raw: bytes, sender: str, recipient: str, settings: SmtpSettings, now: Callable[[], datetime]) -> Delivered:
    """Hand ``raw`` over for one recipient.

    Raises SmtpUnreachable or SmtpTemporary (nothing was taken), SmtpRefused (5xx), SmtpUnknown (broke after DATA).
    """
    where = f"SMTP server {settings.host}:{settings.port}"
    client = _connect(settings, where)
    try:
        _envelope(client, sender, recipient, where)
        response = _data(client, raw, settings, where)
        return Delivered(accepted_at=now().isoformat(), response=response)
    finally:
        _quit(client)


def _connect(settings: SmtpSettings, where: str) -> smtplib.SMTP:
    name = settings.local_hostname
    try:
        if settings.security == "tls":
            context = ssl.create_default_context()
            client: smtplib.SMTP = smtplib.SMTP_SSL(
                settings.host, settings.port, name, timeout=settings.connect_seconds, context=context
            )
        else:
            client = smtplib.SMTP(settings.host, settings.port, name, timeout=settings.connect_seconds)
    except (OSError, smtplib.SMTPException) as error:
        raise SmtpUnreachable(f"{where}: {error}; check host, port and security") from error
    try:
        if settings.security == "starttls":
            client.starttls(context=ssl.create_default_context())
        client.ehlo_or_helo_if_needed()
        if settings.username:
            client.login(settings.username, settings.password)
    except smtplib.SMTPAuthenticationError as error:
        _quit(client)
        raise SmtpUnreachable(
            f"{where}: login as {settings.username} was refused ({error.smtp_code})", error.smtp_code
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        _quit(client)
        raise SmtpUnreachable(f"{where}: {error}") from error
    return client


def _envelope(client: smtplib.SMTP, sender: str, recipient: str, where: str) -> None:
    """MAIL and RCPT; nothing is taken before DATA, so a broken line here is safe to try again."""
    try:
        code, text = client.mail(sender)
        if code == 250:
            code, text = client.rcpt(recipient)
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
