"""A TCP proxy before an IMAP server: trouble once, at a chosen command (silence, FIN, RST, BYE, half a line, a dribble)."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

BYE = b"* BYE server is going down\r\n"


@dataclass
class ImapProxy:
    """Forwards to ``target``. While armed, the answer to the first command that holds ``command`` meets ``fault``.

    ``whole`` lets that many bytes of the answers to it pass before (None: half of the first one). ``asked`` is all that
    clients have sent.
    """

    target: int
    command: bytes = b""
    fault: str = ""
    whole: int | None = None
    asked: bytearray = field(default_factory=bytearray)
    met: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._heard = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, command: bytes, fault: str, whole: int | None = None) -> None:
        """Make trouble once."""
        self.met.clear()
        self.command, self.fault, self.whole = command, fault, whole

    def count(self, command: bytes) -> int:
        """How often clients have sent ``command``."""
        return bytes(self.asked).upper().count(command.upper())

    def hear(self, data: bytes) -> None:
        """A client said ``data``."""
        with self._heard:
            self.asked += data
            self._heard.notify_all()

    def wait_for(self, command: bytes, count: int = 1) -> bool:
        """Wait until clients have sent ``command`` so often."""
        with self._heard:
            return self._heard.wait_for(lambda: self.count(command) >= count, 20)

    def close(self) -> None:
        """Stop listening and cut every connection."""
        self.released.set()
        for sock in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            for sock in (client, server):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open += [client, server]
            _Line(self, client, server).start()


class _Line:
    """One connection through the proxy."""

    def __init__(self, proxy: ImapProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._command = b""
        self._spoke = threading.Event()

    def start(self) -> None:
        for pump in (self._upwards, self._downwards):
            threading.Thread(target=pump, daemon=True).start()

    def _upwards(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._client.recv(65536):
                self._command = data
                self._proxy.hear(data)
                self._spoke.set()
                self._server.sendall(data)
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_WR)

    def _downwards(self) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := self._server.recv(65536):
                proxy = self._proxy
                if proxy.fault and proxy.command in self._command.upper():
                    allowed = len(data) // 2 if proxy.whole is None else proxy.whole - passed
                    if allowed < len(data):
                        fault, proxy.fault = proxy.fault, ""
                        self._meet(fault, data[: max(allowed, 0)], data[max(allowed, 0) :])
                        if fault not in {"split", "dribble"}:
                            return
                        continue
                    passed += len(data)
                self._client.sendall(data)
            self._client.shutdown(socket.SHUT_WR)

    def _meet(self, fault: str, first: bytes, rest: bytes) -> None:
        """``silence`` leaves the connection open; ``split`` sends the rest when the client has spoken again."""
        self._spoke.clear()
        self._client.sendall(first)
        self._proxy.met.set()
        if fault == "bye":
            self._client.sendall(BYE)
        if fault in {"fin", "bye"}:
            self._client.shutdown(socket.SHUT_WR)
        elif fault == "rst":
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._client.close()
        elif fault == "split":
            self._spoke.wait(20)
            self._client.sendall(rest)
        elif fault == "dribble":
            while not self._proxy.released.wait(0.05):
                self._client.sendall(b"x")


@contextmanager
def imap_proxy(target: int) -> Iterator[ImapProxy]:
    """A running one."""
    proxy = ImapProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
