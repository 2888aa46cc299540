"""``python -m embedded.approver`` as a process: shows what came, answers as told."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mail.compose import compose
from mail.reply_parser import parse_reply
from tests.integration.mail_pair import ANN, APPROVALS, PASSWORDS, ROOT, MailPair, mail_pair
from tests.integration.mail_room import mail_for, request
from wire.mail import ParsedReply


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[MailPair]:
    with mail_pair(tmp_path) as running:
        running.send(compose(mail_for(request("run-a"))), user=APPROVALS, to=ANN)
        yield running


def run_approver(pair: MailPair, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "embedded.approver", "--imap", f"127.0.0.1:{pair.imap_port}"]
    command += ["--smtp", f"127.0.0.1:{pair.smtp_port}", "--user", ANN, "--password", PASSWORDS[ANN], *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def reply(pair: MailPair) -> ParsedReply:
    mailbox = pair.mailbox()
    try:
        raw = mailbox.fetch(mailbox.uids_after(0)[-1])
    finally:
        mailbox.close()
    assert raw is not None
    return parse_reply(raw, languages=["en"], own_addresses=[APPROVALS])


def test_reply_quotes_the_request_and_names_it_in_all_places(pair):
    ended = run_approver(pair, "--answer", "approve", "--comment", "thanks", "--once")
    assert ended.returncode == 0, ended.stderr
    assert "replied to" in ended.stdout
    parsed = reply(pair)
    assert (parsed.answer, parsed.comment) == ("approve", "thanks")
    assert "approvals+run-a.1.opaque@countersign.example" in parsed.recipients
    assert (parsed.references, parsed.body_refs) == (("run-a.1@countersign.example",), ("run-a.1.opaque",))


def test_mail_is_shown_as_a_person_sees_it(pair):
    shown = run_approver(pair, "--once").stdout
    assert "Subject: Create an order for run-a [Approval a/1]" in shown
    assert "The first line of your reply" in " ".join(shown.split())


def test_json_lines(pair):
    ended = run_approver(pair, "--raw", "hmm, no idea", "--once", "--json")
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [event["event"] for event in events] == ["mail", "reply"]
    assert events[0]["run_id"] == events[1]["run_id"] == "run-a"
    assert reply(pair).answer == "unclear"


def test_an_answered_request_is_not_answered_again(pair):
    run_approver(pair, "--answer", "reject", "--once")
    assert run_approver(pair, "--answer", "approve", "--once", "--wait", "0.2").returncode == 1


def test_a_mailbox_that_cannot_be_used_is_one_line(pair):
    pair.end()
    ended = run_approver(pair, "--once")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
