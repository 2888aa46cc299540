"""From settings to a logged-in IMAP connection: TCP, TLS, greeting, then a password or a bearer token."""

import contextlib
import imaplib
import re
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import Any, Literal

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from mail.errors import ImapLoginRefused, ImapRefused, ImapUnreachable, TokenRefused, TokenUnavailable
from mail.sasl import BearerExchange, choose_mechanism
from mail.tokens import Token, TokenSource

_PASSING = re.compile(
    r"\[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|THROTTLED|OVERQUOTA)\b|too many (simultaneous |concurrent )?connections",
    re.I,
)
"""RFC 5530 and Google's: the server cannot now; the credentials may be right."""


@dataclass(frozen=True)
class ImapSettings:
    """Where the mailbox is. ``security``: implicit TLS, STARTTLS, or none (loopback only). ``tokens`` replace the password;
    ``mechanism`` narrows how they are shown (``XOAUTH2``, ``OAUTHBEARER``; empty: what the server offers)."""

    host: str
    port: int
    username: str
    password: str = field(default="", repr=False)
    security: Literal["tls", "starttls", "none"] = "none"
    timeout_seconds: float = 60.0
    tokens: TokenSource | None = None
    mechanism: str = ""

    @property
    def where(self) -> str:
        """The server, as errors name it."""
        return f"IMAP server {self.host}:{self.port}"


class Link:
    """The socket of a connection from before its greeting on, so that another thread can cut it at any time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._cut = False

    def attach(self, sock: socket.socket) -> None:
        """This is the socket now (TLS replaces the plain one)."""
        with self._lock:
            self._socket = sock
            if self._cut:
                self._shut()

    def cut(self) -> None:
        """End the connection: whoever waits for it gets an error at once."""
        with self._lock:
            self._cut = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                # Not SSLSocket.shutdown, which would forget the TLS state under a reading thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@dataclass(frozen=True)
class LoggedIn:
    """A connection, and the token it was opened with."""

    client: IMAPClient
    token: Token | None


class _Client(IMAPClient):  # type: ignore[misc]
    """An IMAPClient whose socket can be cut while it still waits for the greeting."""

    def __init__(self, settings: ImapSettings, link: Link) -> None:
        self._link = link
        tls = settings.security == "tls"
        super().__init__(settings.host, settings.port, ssl=tls, timeout=settings.timeout_seconds, use_uid=True)
        self.normalise_times = False

    def _create_IMAP4(self) -> imaplib.IMAP4:
        return _Protocol(self.host, self.port, self._timeout.connect, self.ssl, self._link)


class _Protocol(imaplib.IMAP4):
    """imaplib's connection, with the socket shown to the link as soon as there is one."""

    def __init__(self, host: str, port: int, seconds: float, tls: bool, link: Link) -> None:
        self._seconds, self._tls, self._link = seconds, tls, link
        super().__init__(host, port)

    def _create_socket(self, timeout: float | None = None) -> socket.socket:
        sock = socket.create_connection((self.host, self.port), self._seconds)
        self._link.attach(sock)
        if self._tls:
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=self.host)
            self._link.attach(sock)
        return sock


def log_in(settings: ImapSettings, link: Link) -> LoggedIn:
    """Connect and log in. When a token of earlier is refused, a fresh one is tried once.

    Raises ImapLoginRefused (a person must act), ImapRefused or ImapUnreachable (try again).
    """
    if settings.tokens is None:
        return LoggedIn(_attempt(settings, link, None), None)
    before = settings.tokens.cached
    token = _token(settings)
    try:
        return LoggedIn(_attempt(settings, link, token), token)
    except ImapLoginRefused:
        settings.tokens.discard(token)
        if token is not before:
            raise
        fresh = _token(settings)
        return LoggedIn(_attempt(settings, link, fresh), fresh)


def _token(settings: ImapSettings) -> Token:
    assert settings.tokens is not None
    try:
        return settings.tokens.token()
    except TokenRefused as error:
        raise ImapLoginRefused(f"{settings.where}, {settings.username}: no token: {error}") from error
    except TokenUnavailable as error:
        raise ImapUnreachable(f"{settings.where}, {settings.username}: no token: {error}") from error


def _attempt(settings: ImapSettings, link: Link, token: Token | None) -> IMAPClient:
    try:
        client = _Client(settings, link)
    except (imaplib.IMAP4.error, OSError, EOFError) as error:
        raise ImapUnreachable(f"{settings.where}: {error}; check host, port and security") from error
    try:
        _authenticate(client, settings, link, token)
    except BaseException as error:
        with contextlib.suppress(OSError):  # a failed TLS handshake leaves no socket to shut
            client.shutdown()
        if isinstance(error, imaplib.IMAP4.abort | OSError | EOFError | ValueError):
            raise ImapUnreachable(f"{settings.where}: {error}") from error
        raise
    return client


def _authenticate(client: IMAPClient, settings: ImapSettings, link: Link, token: Token | None) -> None:
    if settings.security == "starttls":
        if not client.has_capability("STARTTLS"):
            raise ImapUnreachable(f"{settings.where} offers no STARTTLS; check host, port and security")
        client.starttls(ssl.create_default_context())
        link.attach(client.socket())
    exchange = None if token is None else _exchange(client, settings, token)
    try:
        if exchange is None:
            _tell(client, settings)
        else:
            client.sasl_login(exchange.mechanism, exchange)
    except IMAPClientError as error:
        if isinstance(error.__context__, imaplib.IMAP4.abort):
            raise error.__context__ from error  # imapclient takes a broken connection for a refusal
        said = f"{_plain(str(error))}{f' ({exchange.said})' if exchange is not None and exchange.said else ''}"
        what = f"{settings.where}, {settings.username}: login refused: {said}"
        if _PASSING.search(str(error)):
            raise ImapRefused(what) from error
        raise ImapLoginRefused(f"{what}; {_advice(settings)}") from error


def _tell(client: IMAPClient, settings: ImapSettings) -> None:
    """LOGIN carries ASCII only; what else a password holds goes by AUTHENTICATE PLAIN, as UTF-8 (RFC 4616)."""
    if f"{settings.username}{settings.password}".isascii():
        client.login(settings.username, settings.password)
    elif client.has_capability("AUTH=PLAIN"):
        client.plain_login(settings.username, settings.password)
    else:
        where = f"{settings.where}, {settings.username}"
        raise ImapLoginRefused(f"{where}: user and password may hold ASCII only here; set another password")


def _exchange(client: Any, settings: ImapSettings, token: Token) -> BearerExchange:
    offered = [name.decode("ascii", "replace") for name in client.capabilities()]
    mechanisms = [name.partition("=")[2] for name in offered if name.upper().startswith("AUTH=")]
    mechanism = choose_mechanism(mechanisms, settings.mechanism)
    if mechanism is None:
        wanted = settings.mechanism or "XOAUTH2 or OAUTHBEARER"
        offers = ", ".join(mechanisms) or "no mechanism at all"
        raise ImapLoginRefused(
            f"{settings.where} offers {offers}, not {wanted}; check host and security, or use a password"
        )
    return BearerExchange(mechanism, settings.username, token.value, settings.host, settings.port)


def _advice(settings: ImapSettings) -> str:
    if settings.tokens is None:
        return "check user and password; some providers want OAuth (imap.oauth)"
    return (
        "check that user is the mailbox of the token, that the scope allows IMAP, and that IMAP is switched on for it"
    )


def _plain(said: str) -> str:
    """imaplib shows the answer to LOGIN as a bytes literal."""
    literal = re.fullmatch(r"b(['\"])(.*)\1", said, re.DOTALL)
    return literal[2] if literal else said
