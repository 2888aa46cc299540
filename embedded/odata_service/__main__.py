"""`python -m embedded.odata_service`: the embedded OData service as a process of its own."""

from __future__ import annotations

import argparse
import fcntl
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from embedded.odata_service.app import create_app
from embedded.odata_service.catalogue import load_catalogue
from embedded.odata_service.config import Config
from embedded.odata_service.errors import StartError
from embedded.odata_service.http_server import Connections, serve

EXIT_START = 2


def build_parser() -> argparse.ArgumentParser:
    """The options of the service as a process."""
    parser = argparse.ArgumentParser(prog="python -m embedded.odata_service", description=__doc__)
    parser.add_argument("--metadata", type=Path, action="append", required=True, help="folder of .edmx/.xml files")
    parser.add_argument("--state", type=Path, required=True, help="SQLite file; made when missing")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--codes", type=Path, action="append", default=[], help="CSV of code lists")
    parser.add_argument("--required", type=Path, action="append", default=[], help="CSV of required properties")
    parser.add_argument("--seed", type=Path, action="append", default=[], help="JSON of rows that exist")
    parser.add_argument("--assigned", type=Path, action="append", default=[], help="JSON of values the service fills")
    parser.add_argument("--require-csrf", dest="csrf", action="store_true", default=True, help="the default")
    parser.add_argument("--no-csrf", dest="csrf", action="store_false", help="writes need no CSRF token")
    parser.add_argument("--require-if-match", action="store_true", help="428 for updates without If-Match")
    parser.add_argument("--page-size", type=int, default=0, help="rows a page; 0 = no paging")
    parser.add_argument("--faults", action="store_true", help="allow fault injection")
    return parser


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named; without it every answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise StartError(f"cannot listen on {host}:{port}: {error}") from error
    return listener


def _lock(state: Path) -> TextIO:
    """Two processes on one state file would hand out the same numbers. The lock ends with the process, however it ends."""
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        handle = state.with_name(f"{state.name}.lock").open("w")
    except OSError as error:
        raise StartError(f"state file {state}: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise StartError(f"state file {state} is in use by another process") from None
    return handle


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 after a stop by signal, 2 when it cannot start (one line on stderr says why)."""
    given = build_parser().parse_args(arguments)
    config = Config(
        tuple(given.metadata),
        given.state,
        tuple(given.codes),
        tuple(given.required),
        tuple(given.seed),
        tuple(given.assigned),
        given.csrf,
        given.require_if_match,
        given.page_size,
        given.faults,
    )
    try:
        catalogue = load_catalogue(config.metadata)
        for line in catalogue.refused:
            print(f"left out: {line}", file=sys.stderr)
        lock = _lock(config.state)
        listener = _bind(given.host, given.port)
        connections = Connections()
        app = create_app(config, catalogue=catalogue, drop=connections.drop)
    except StartError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_START
    host, port = listener.getsockname()[:2]
    serve(app, listener, connections, f"listening on http://{host}:{port}")
    lock.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
