"""send: what each kind of trouble says about whether the mail may have been taken. The server is a script on a real socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from mail.errors import SmtpRefused, SmtpTemporary, SmtpUnknown, SmtpUnreachable
from mail.login_gate import LoginGate
from mail.smtp import SmtpSettings, send

AT = datetime(2026, 1, 1, tzinfo=UTC)
RAW = b"Subject: x\n\n.dot\nend"
GOOD = {"EHLO": "250 hi", "MAIL": "250 ok", "RCPT": "250 ok", "DATA": "354 go", ".": "250 taken", "QUIT": "221 bye"}


class Script:
    """Answers commands from a table; None closes the connection instead."""

    def __init__(self, answers: dict[str, str | None]) -> None:
        self._answers = answers
        self.received: list[bytes] = []
        self.commands: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def serve(self) -> None:
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rb") as lines:
            connection.sendall(b"220 script\r\n")
            in_data = False
            for line in lines:
                if in_data and line != b".\r\n":
                    self.received.append(line)
                    continue
                self.commands.append(line)
                answer = self._answers.get("." if in_data else line[:4].decode().strip().upper(), "500 what")
                in_data = line[:4].upper() == b"DATA" and (answer or "").startswith("354")
                if answer is None:
                    return
                connection.sendall(answer.encode() + b"\r\n")


@contextmanager
def script(**changes: str | None) -> Iterator[Script]:
    """A running script; ``end`` stands for the final dot."""
    answers: dict[str, str | None] = {
        **GOOD,
        **{("." if key == "end" else key): value for key, value in changes.items()},
    }
    server = Script(answers)
    thread = threading.Thread(target=server.serve)
    thread.start()
    yield server
    thread.join(10)
    server.listener.close()


def deliver(port: int, **options):
    return send(RAW, "a@x.example", "b@y.example", SmtpSettings("127.0.0.1", port, **options), lambda: AT)


def test_accepted_mail_carries_time_and_answer():
    with script() as server:
        delivered = deliver(server.port)
    assert (delivered.accepted_at, delivered.response) == (AT.isoformat(), "250 taken")
    assert server.received == [b"Subject: x\r\n", b"\r\n", b"..dot\r\n", b"end\r\n"]


@pytest.mark.parametrize(
    ("hello", "options"), [("250-hi\r\n250 DSN", (b" RET=HDRS", b" NOTIFY=FAILURE")), ("250 hi", (b"", b""))]
)
def test_servers_that_report_failures_are_asked_to(hello, options):
    with script(EHLO=hello) as server:
        deliver(server.port)
    said = [command.upper() for command in server.commands]
    (mail,), (rcpt,) = ([c for c in said if c.startswith(name)] for name in (b"MAIL", b"RCPT"))
    assert (options[0] in mail, options[1] in rcpt) == (True, True)
    assert (b"RET=" in mail, b"NOTIFY=" in rcpt) == (bool(options[0]), bool(options[1]))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"RCPT": "550 5.1.1 unknown"}, SmtpRefused),
        ({"RCPT": "451 later"}, SmtpTemporary),
        ({"MAIL": "552 no"}, SmtpRefused),
        ({"RCPT": None}, SmtpUnreachable),
        ({"DATA": None}, SmtpUnreachable),
        ({"DATA": "451 later"}, SmtpTemporary),
        ({"end": "554 spam"}, SmtpRefused),
        ({"end": "452 full"}, SmtpTemporary),
        ({"end": None}, SmtpUnknown),
    ],
)
def test_trouble_says_whether_the_mail_may_have_been_taken(changes, error):
    with script(**changes) as server, pytest.raises(error, match=f"127.0.0.1:{server.port}"):
        deliver(server.port)


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SmtpUnreachable, match="check host, port"):
        deliver(port)


def test_a_server_that_never_answers_the_final_dot_leaves_it_unknown():
    listener = socket.create_server(("127.0.0.1", 0))
    release = threading.Event()

    def hold() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"220 x\r\n")
            for answer in (b"250 a\r\n", b"250 b\r\n", b"250 c\r\n", b"354 d\r\n"):
                connection.recv(100)
                connection.sendall(answer)
            release.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    with pytest.raises(SmtpUnknown, match="may have been taken"):
        deliver(listener.getsockname()[1], final_dot_seconds=0.2)
    release.set()
    thread.join(10)
    listener.close()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_refused_login_rests_ten_minutes_for_all_that_is_to_be_sent():
    clock = Clock()
    gate = LoginGate(clock, lambda: 1.0)
    login = {"username": "a", "password": "b", "gate": gate}
    with script(EHLO="250-hi\r\n250 AUTH PLAIN", AUTH="535 5.7.8 no") as server, pytest.raises(SmtpUnreachable):
        deliver(server.port, **login)
    clock.now = 599.0
    with pytest.raises(
        SmtpUnreachable, match=r"refused \(535 5\.7\.8 no\); check user and password; tried again in 1 s"
    ):
        deliver(1, **login)
    clock.now = 600.0
    with script(EHLO="250-hi\r\n250 AUTH PLAIN", AUTH="235 yes") as server:
        assert deliver(server.port, **login).response == "250 taken"


def test_login_that_cannot_be_checked_now_is_tried_again_at_once():
    gate = LoginGate(lambda: 0.0, lambda: 1.0)
    with script(EHLO="250-hi\r\n250 AUTH PLAIN", AUTH="454 4.7.0 later") as server, pytest.raises(SmtpUnreachable):
        deliver(server.port, username="a", password="b", gate=gate)
    assert gate.refusal() == ""


def test_wrong_password_is_shown_once_whatever_mechanisms_there_are():
    offered = {"EHLO": "250-hi\r\n250 AUTH CRAM-MD5 LOGIN PLAIN", "AUTH": "535 no"}
    with script(**offered) as server, pytest.raises(SmtpUnreachable, match="login as a was refused"):
        deliver(server.port, username="a", password="b")
    assert [command[:4] for command in server.commands].count(b"AUTH") == 1


def test_server_without_a_login_is_named():
    with script(EHLO="250 hi") as server, pytest.raises(SmtpUnreachable, match="offers no login, not PLAIN or LOGIN"):
        deliver(server.port, username="a", password="b")


def test_password_that_smtp_cannot_carry_is_said_without_showing_it():
    with (
        script(EHLO="250-hi\r\n250 AUTH PLAIN") as server,
        pytest.raises(SmtpUnreachable, match="may hold ASCII only") as caught,
    ):
        deliver(server.port, username="a", password="bü")
    assert "ü" not in str(caught.value) + repr(caught.value.__cause__)
