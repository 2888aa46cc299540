"""One process, one event loop: SMTP and IMAP over the same mailboxes."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from proxyprotocol.reader import ProxyProtocolReader
from pymap.context import subsystem
from pymap.imap import IMAPServer

from embedded.mail_server.errors import MailServerError
from embedded.mail_server.imap_backend import ServerConfig, UserLogin
from embedded.mail_server.submission import Submission, smtp_factory
from embedded.mail_server.users import load_users


@dataclass(frozen=True)
class ServerOptions:
    """What the command line says. Port 0 takes a free one. ``seed`` makes new folders' UIDVALIDITY and the admin key.

    ``clock_ahead``: by how many seconds this server's clock is ahead of the machine's.
    """

    state: Path
    users_file: Path
    authserv_id: str
    host: str
    smtp_port: int
    imap_port: int
    seed: bytes
    clock_ahead: float = 0.0


@dataclass(frozen=True)
class Listening:
    """Where the two sides listen."""

    host: str
    smtp_port: int
    imap_port: int


@asynccontextmanager
async def running(options: ServerOptions) -> AsyncIterator[Listening]:
    """Both servers up; down again at exit. Raises MailServerError when a port or the users file cannot be used."""
    users = load_users(options.users_file)
    config = ServerConfig(options.host, options.imap_port, options.seed)
    subsystem.set(config.subsystem)
    uidvalidity = int.from_bytes(options.seed[:4], "big") % 0x7FFF_FFFF + 1
    login = UserLogin(config, users, options.state / "mail", uidvalidity)
    ahead = timedelta(seconds=options.clock_ahead)
    handler = Submission(users, login.mailboxes, options.authserv_id, lambda: datetime.now(UTC) + ahead)
    async with AsyncExitStack() as stack:
        smtp = await _listen(stack, options.host, options.smtp_port, smtp_factory(handler, users, options.authserv_id))
        reader = ProxyProtocolReader(config.proxy_protocol)
        connected = reader.get_callback(IMAPServer(login, config))

        async def handle(stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await connected(stream, WholeWrites(writer))  # type: ignore[arg-type]

        imap = await _listen(stack, options.host, options.imap_port, lambda: _imap_protocol(handle))
        yield Listening(options.host, _port(smtp), _port(imap))


class WholeWrites:
    """A StreamWriter that hands a response over in one piece.

    pymap writes one line in several pieces, and clients built on imaplib break when a line is cut inside IDLE.
    """

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._pending = bytearray()

    def write(self, data: bytes) -> None:
        """Keep ``data`` until the response is whole."""
        self._pending += data

    async def drain(self) -> None:
        """Send what is kept."""
        self._flush()
        await self._writer.drain()

    def close(self) -> None:
        """Send what is kept and close."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._pending:
            self._writer.write(bytes(self._pending))
            self._pending.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


def _imap_protocol(connected: object) -> asyncio.StreamReaderProtocol:
    return asyncio.StreamReaderProtocol(asyncio.StreamReader(), connected)  # type: ignore[arg-type]


async def _listen(
    stack: AsyncExitStack, host: str, port: int, factory: Callable[[], asyncio.BaseProtocol]
) -> asyncio.Server:
    try:
        server = await asyncio.get_running_loop().create_server(factory, host, port)
    except OSError as error:
        raise MailServerError(f"cannot listen on {host}:{port}: {error.strerror}; choose another port") from error
    stack.callback(server.close)
    return server


def _port(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])


async def serve(options: ServerOptions) -> None:
    """Run until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with running(options) as listening:
        print(
            f"listening smtp={listening.host}:{listening.smtp_port} imap={listening.host}:{listening.imap_port}",
            flush=True,
        )
        await stop.wait()
