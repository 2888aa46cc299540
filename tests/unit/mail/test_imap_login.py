"""What a server says to a login decides how soon it is tried again. The server is a script on a real socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mail.errors import ImapLoginRefused, ImapRefused, ImapUnreachable
from mail.imap_login import ImapSettings, Link, log_in


@contextmanager
def server(login: str) -> Iterator[ImapSettings]:
    """Answers LOGIN with ``login``; an empty one closes the connection."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] script\r\n")
            for line in lines:
                tag, command = line.decode().split()[:2]
                if command == "LOGIN" and not login:
                    return
                answers = {"LOGIN": login, "CAPABILITY": "* CAPABILITY IMAP4rev1\r\nTAG OK x"}
                connection.sendall((answers.get(command, "TAG OK x") + "\r\n").replace("TAG", tag).encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield ImapSettings("127.0.0.1", listener.getsockname()[1], "a@b.example", "pw", timeout_seconds=5)
        thread.join(10)


@pytest.mark.parametrize(
    ("login", "error"),
    [
        ("TAG NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)", ImapLoginRefused),
        ("TAG NO LOGIN failed.", ImapLoginRefused),
        ("TAG BAD what", ImapLoginRefused),
        ("TAG NO [ALERT] Too many failed logins, try again later", ImapLoginRefused),
        ("TAG NO [UNAVAILABLE] Temporary authentication failure", ImapRefused),
        ("TAG NO [ALERT] Too many simultaneous connections. (Failure)", ImapRefused),
        ("* BYE later\r\nTAG NO x", ImapUnreachable),
        ("", ImapUnreachable),
    ],
)
def test_only_a_refusal_of_the_credentials_waits_long(login, error):
    with server(login) as settings, pytest.raises((ImapRefused, ImapUnreachable)) as caught:
        log_in(settings, Link())
    assert type(caught.value) is error


def test_refusal_names_server_user_and_answer_but_no_password():
    with server("TAG NO [AUTHENTICATIONFAILED] no") as settings, pytest.raises(ImapLoginRefused) as caught:
        log_in(settings, Link())
    said = str(caught.value)
    assert (
        f"127.0.0.1:{settings.port}, a@b.example: login refused: [AUTHENTICATIONFAILED] no; check user and password"
        in said
    )
    assert "pw" not in said + repr(settings)


def test_line_cut_before_the_login_ends_it():
    link = Link()
    link.cut()
    with server("TAG OK x") as settings, pytest.raises(ImapUnreachable):
        log_in(settings, link)
