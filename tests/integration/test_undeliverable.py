"""Requests that do not arrive, on real parts: the next of the chain is asked, or the run waits for a policy that does."""

import smtplib

import pytest

from tests.live import GOAL, ONE_WRITE, address, live_system, plan, policy_text, until
from wire.approval import RequestStatus
from wire.task import RunState

GONE = policy_text(approvers=("ann",)).replace(address("ann"), "gone@countersign.example")
CHAIN = GONE.replace("max_reviews = 3", 'max_reviews = 3\nescalate_to = ["ben"]')
REPORT = """From: MAILER-DAEMON@countersign.example
To: approvals@countersign.example
Subject: Undelivered Mail Returned to Sender
Message-ID: <report-{number}@countersign.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="A1"

--A1
Content-Type: text/plain

Not delivered.

--A1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.countersign.example

Final-Recipient: rfc822; {recipient}
Action: failed
Status: 5.1.1

--A1
Content-Type: text/rfc822-headers

Message-ID: <{message_id}>

--A1--
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undeliverable")
    with live_system(plan(folder, ONE_WRITE, CHAIN)) as system:
        system.policy = folder / "policy.toml"
        yield system


def report(live, number, message_id, recipient):
    """What anybody can send who has an account on the server."""
    with smtplib.SMTP("127.0.0.1", live.deployment.ports["smtp"]) as client:
        client.login(address("eve"), live.deployment.passwords[address("eve")])
        raw = REPORT.format(number=number, message_id=message_id, recipient=recipient)
        client.sendmail(address("eve"), ["approvals@countersign.example"], raw.replace("\n", "\r\n"))


async def test_a_request_that_the_server_refuses_goes_to_the_next_of_the_chain(live):
    live.policy.write_text(CHAIN)
    before = live.orders()
    run_id = live.start(f"{GOAL} (refused)")
    live.reply(live.request_mail(run_id, "ben"), "APPROVE", "ben")
    await live.settled(run_id, RunState.COMPLETED)
    reviews = live.ledger.requests(run_id)
    assert [r.status for r in reviews] == [RequestStatus.UNDELIVERABLE, RequestStatus.DECIDED]
    assert live.orders() == before + 1


async def test_a_run_that_nobody_can_be_asked_for_goes_on_when_the_policy_is_mended(live):
    live.policy.write_text(GONE)
    run_id = live.start(f"{GOAL} (mended)")
    await live.settled(run_id, RunState.UNDELIVERABLE)
    live.policy.write_text(policy_text(approvers=("ann",)))
    live.reply(live.request_mail(run_id, "ann"), "APPROVE", "ann")
    await live.settled(run_id, RunState.COMPLETED)
    assert [e.kind for e in live.ledger.trail(run_id)].count("policy_noticed") >= 1


async def test_a_bounce_counts_only_with_the_message_id_of_the_copy(live):
    live.policy.write_text(
        policy_text(approvers=("ann",)).replace("max_reviews = 3", 'max_reviews = 3\nescalate_to = ["ben"]')
    )
    run_id = live.start(f"{GOAL} (bounced)")
    live.request_mail(run_id, "ann")
    (request,) = live.ledger.requests(run_id)
    report(live, 1, f"0{request.mails[0].message_id}", address("ann"))
    report(live, 2, request.mails[0].message_id, address("ben"))
    await until(lambda: len(live.ledger.mails(run_id)) == 1, "the second is judged; the first names nothing of ours")
    assert [r.status for r in live.ledger.requests(run_id)] == [RequestStatus.SENT]
    report(live, 3, request.mails[0].message_id, address("ann"))
    live.reply(live.request_mail(run_id, "ben"), "APPROVE", "ben")
    await live.settled(run_id, RunState.COMPLETED)
    assert live.ledger.requests(run_id)[0].status is RequestStatus.UNDELIVERABLE
