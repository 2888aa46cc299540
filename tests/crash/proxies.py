"""TCP proxies that withhold one answer, so that a client can be killed after the server has done what it was asked."""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

Withholds = Callable[[bytes, bytes], bool]
"""(what the client sent last, what the server answers now) -> whether this answer is to be withheld."""


@dataclass
class Proxy:
    """Forwards to ``target`` (port on loopback). While armed, the first answer that ``withholds`` names never arrives."""

    target: int
    withholds: Withholds
    armed: bool = False
    held: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self) -> None:
        """Withhold the next answer that fits."""
        self.held.clear()
        self.armed = True

    def close(self) -> None:
        """Stop listening and cut every connection."""
        for sock in (self._listener, *self._open):
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            self._open += [client, server]
            _Link(self, client, server).start()


class _Link:
    """One connection through a proxy."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._asked = b""

    def start(self) -> None:
        for pump in (self._upwards, self._downwards):
            threading.Thread(target=pump, daemon=True).start()

    def _upwards(self) -> None:
        for data in _chunks(self._client):
            self._asked = (self._asked + data)[-8192:]
            if not _sent(self._server, data):
                break
        _end(self._server)

    def _downwards(self) -> None:
        for data in _chunks(self._server):
            if self._proxy.armed and self._proxy.withholds(self._asked, data):
                self._proxy.armed = False
                self._proxy.held.set()
                return  # the connection stays open and silent
            self._asked = b""
            if not _sent(self._client, data):
                break
        _end(self._client)


def _chunks(sock: socket.socket):
    while True:
        try:
            data = sock.recv(65536)
        except OSError:
            return
        if not data:
            return
        yield data


def _sent(sock: socket.socket, data: bytes) -> bool:
    try:
        sock.sendall(data)
    except OSError:
        return False
    return True


def _end(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        return


def after_data(asked: bytes, answer: bytes) -> bool:
    """SMTP: the server's 250 to the final dot."""
    return asked.endswith(b"\r\n.\r\n") and answer.startswith(b"250")


def after_post_to(endpoint: str) -> Withholds:
    """HTTP: the answer to a POST to a path that ends in ``endpoint``."""
    wanted = f"/{endpoint} HTTP/1.1".encode()

    def withholds(asked: bytes, answer: bytes) -> bool:
        start = asked.rfind(b"POST /")
        return start >= 0 and wanted in asked[start:].partition(b"\r\n")[0]

    return withholds
