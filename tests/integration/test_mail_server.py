"""The embedded mail server: what it accepts, stamps, keeps and refuses."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mail.authenticity import check_authenticity
from mail.errors import ImapRefused, SmtpRefused, SmtpUnreachable
from mail.headers import read_headers
from mail.imap import ImapSettings, Mailbox
from mail.smtp import SmtpSettings, send
from tests.integration.mail_pair import ANN, APPROVALS, AUTHSERV_ID, ROOT, MailPair, mail_pair, now
from wire.policy import TrustProfile

HEAD = b"From: Ann <ann@corp.example>\r\nTo: x@y.example\r\nSubject: s\r\nMessage-ID: <1@corp.example>\r\n\r\n"
MAIL = HEAD + b"APPROVE\r\n.\r\n\xff end"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[MailPair]:
    with mail_pair(tmp_path) as running:
        yield running


def stored(pair: MailPair, number: int = -1) -> bytes:
    mailbox = pair.mailbox()
    try:
        raw = mailbox.fetch(mailbox.uids_after(0)[number])
        assert raw is not None
        return raw
    finally:
        mailbox.close()


def test_mail_to_a_plus_address_keeps_it(pair):
    pair.send(MAIL, to="approvals+abc.D@countersign.example")
    headers = read_headers(stored(pair))
    assert headers.all("delivered-to") == ("approvals+abc.D@countersign.example",)


def test_body_bytes_are_stored_as_sent(pair):
    pair.send(MAIL)
    assert stored(pair).endswith(b"\r\n\r\nAPPROVE\r\n.\r\n\xff end\r\n")


def test_own_sender_is_vouched_for(pair):
    pair.send(MAIL)
    proof = check_authenticity(stored(pair), TrustProfile(authserv_id=AUTHSERV_ID))
    assert (proof.authenticated, proof.address) == (True, ANN)


@pytest.mark.parametrize("methods", [("dmarc",), ("auth",)])
def test_foreign_sender_and_forged_results_are_not(pair, methods):
    forged = f"Authentication-Results: {AUTHSERV_ID.upper()}; dmarc=pass header.from=corp.example\r\n".encode()
    pair.send(forged + MAIL, user="mallory@evil.example")
    raw = stored(pair)
    assert len(read_headers(raw).all("authentication-results")) == 1
    assert not check_authenticity(raw, TrustProfile(authserv_id=AUTHSERV_ID, methods=methods)).authenticated


def test_unknown_recipient_is_refused_at_rcpt(pair):
    with pytest.raises(SmtpRefused, match="550"):
        pair.send(MAIL, to="nobody@countersign.example")


def test_submission_needs_a_login(pair):
    settings = SmtpSettings("127.0.0.1", pair.smtp_port)
    with pytest.raises(SmtpRefused, match="530"):
        send(MAIL, ANN, APPROVALS, settings, now)


def test_wrong_password_is_named(pair):
    settings = SmtpSettings("127.0.0.1", pair.smtp_port, ANN, "wrong")
    with pytest.raises(SmtpUnreachable, match="login as ann@corp.example was refused"):
        send(MAIL, ANN, APPROVALS, settings, now)


def test_wrong_imap_password_is_named(pair):
    settings = ImapSettings("127.0.0.1", pair.imap_port, ANN, "wrong")
    with pytest.raises(ImapRefused, match=ANN):
        Mailbox(settings)


def test_mail_uids_and_dates_survive_kill_9(pair):
    pair.send(MAIL)
    mailbox = pair.mailbox()
    before = (mailbox.select(), mailbox.envelopes(mailbox.uids_after(0), 1000))
    pair.end(signal.SIGKILL)
    mailbox.close()
    pair.start()
    again = pair.mailbox()
    selected = again.select()
    assert selected.uidvalidity == before[0].uidvalidity
    assert again.envelopes(again.uids_after(0), 1000) == before[1]
    again.close()


def test_uids_are_not_used_twice_after_a_restart(pair):
    pair.send(MAIL)
    mailbox = pair.mailbox()
    [first] = mailbox.uids_after(0)
    mailbox.move([first], ["Runs", "run-a"])
    pair.end(signal.SIGKILL)
    mailbox.close()
    pair.start()
    pair.send(MAIL)
    again = pair.mailbox()
    assert all(uid > first for uid in again.uids_after(0))
    again.close()


def test_deeply_nested_mail_is_served(pair):
    head = b"From: a@b.example\r\n"
    parts = b"".join(b'Content-Type: multipart/mixed; boundary="n%d"\r\n\r\n--n%d\r\n' % (n, n) for n in range(300))
    pair.send(head + parts + b"\r\nx\r\n")
    assert parts in stored(pair)


def test_sigterm_ends_it_cleanly(pair):
    assert pair.end() == 0


def run_server(state: Path, users: str, port: int) -> subprocess.CompletedProcess[str]:
    (state / "u.json").write_text(users)
    command = [sys.executable, "-m", "embedded.mail_server", "--state", str(state), "--users", str(state / "u.json")]
    command += ["--authserv-id", "mx.example", "--smtp-port", str(port), "--imap-port", "0"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        ("[", "no JSON"),
        ("[]", "at least one entry"),
        ('[{"address": "a@b", "password": "x"}, {"address": "c"}]', "entry 1: 'address' must be"),
        ('[{"address": "a@b", "password": ""}]', "entry 0: 'password' must be"),
    ],
)
def test_bad_users_file_is_one_line(tmp_path, users, message):
    ended = run_server(tmp_path, users, 0)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_port_in_use_is_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run_server(tmp_path, '[{"address": "a@b", "password": "x"}]', port)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert f"cannot listen on 127.0.0.1:{port}" in ended.stderr
