"""``python -m embedded.mail_server``: the embedded mail server as a process of its own."""

import argparse
import asyncio
import logging
import os
import secrets
import sys
from pathlib import Path

from embedded.mail_server.errors import MailServerError
from embedded.mail_server.server import ServerOptions, serve


def main() -> int:
    """Exit code 0 after a clean stop, 2 when it could not start."""
    parser = argparse.ArgumentParser(prog="python -m embedded.mail_server", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="folder that keeps the mailboxes")
    parser.add_argument("--smtp-port", type=int, required=True, help="0 takes a free port")
    parser.add_argument("--imap-port", type=int, required=True, help="0 takes a free port")
    parser.add_argument("--users", type=Path, required=True, help='JSON list of {"address", "password"}')
    parser.add_argument("--authserv-id", required=True, help="name under which Authentication-Results are written")
    parser.add_argument("--host", default="127.0.0.1")
    ahead = "by how many seconds its clock is ahead (negative: behind), to see what a wrong clock does"
    parser.add_argument("--clock-ahead", type=float, default=0.0, metavar="SECONDS", help=ahead)
    given = parser.parse_args()
    options = ServerOptions(
        given.state,
        given.users,
        given.authserv_id,
        given.host,
        given.smtp_port,
        given.imap_port,
        secrets.token_bytes(32),
        given.clock_ahead,
    )
    # aiosmtpd warns about plain-text passwords at every connection; the server is meant for loopback only.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    # pymap parses MIME recursively; mail that nests hundreds of parts must still be served.
    sys.setrecursionlimit(20_000)
    try:
        given.state.mkdir(parents=True, exist_ok=True)
        asyncio.run(serve(options))
    except (MailServerError, OSError) as error:
        print(f"mail server: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # pymap's idle connections hold threads and tasks that would delay or disturb the interpreter's own exit.
    os._exit(code)
