"""What the tests of this folder look at afterwards: ledger rows, and the mailboxes themselves over IMAP."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from imapclient import IMAPClient

from embedded.deployment import Deployment
from tests.live import Live, address, until
from wire.approval import Outcome
from wire.task import FINAL_STATES, RunState

APPROVALS = "approvals@countersign.example"


@contextmanager
def imap(deployment: Deployment, user: str) -> Iterator[IMAPClient]:
    """A logged-in connection to a mailbox."""
    client = IMAPClient("127.0.0.1", deployment.ports["imap"], ssl=False, timeout=60)
    client.login(user, deployment.passwords[user])
    try:
        yield client
    finally:
        client.logout()


def request_mails(live: Live, run_id: str, person: str = "ann") -> list[bytes]:
    """The requests about a run in a person's mailbox, without the receiving server's trace headers."""
    with imap(live.deployment, address(person)) as client:
        client.select_folder("INBOX", readonly=True)
        uids = client.search(["HEADER", "Countersign-Run", run_id])
        raws = [item[b"BODY[]"] for _, item in sorted(client.fetch(uids, ["BODY.PEEK[]"]).items())] if uids else []
    wanted = re.compile(rb"(?mi)^Countersign-Message-Type: (approval_request|fresh_review_request)\r?$")
    return [re.sub(rb"(?s)\A.*?\nReceived: [^\n]*\n", b"", raw) for raw in raws if wanted.search(raw)]


def asked(live: Live, run_id: str) -> list[tuple[int, int, int, int]]:
    """(step, review, attempts, copies) of every request mail of a run."""
    requests = live.ledger.requests(run_id)
    return [(r.step, r.review, m.attempts, m.copies) for r in requests for m in r.mails]


def effects(live: Live, run_id: str) -> list[str | None]:
    """Outcomes of all writes of a run."""
    return [effect.outcome for effect in live.ledger.effects(run_id)]


def judged(live: Live, run_id: str) -> list[Outcome]:
    """What became of every mail that named a run, in order of judging."""
    return [mail.outcome for mail in live.ledger.mails(run_id)]


async def until_judged(live: Live, run_id: str, *wanted: Outcome) -> None:
    """Until exactly these mails of a run have been judged."""
    await until(lambda: judged(live, run_id) == list(wanted), f"mails of {run_id} judged as {list(wanted)}")


async def parked(live: Live, run_id: str) -> None:
    """Until the run waits for its approver in the ledger and the request is out."""
    assert await live.settled(run_id, RunState.AWAITING_APPROVAL, *FINAL_STATES) is RunState.AWAITING_APPROVAL


async def completed_once(live: Live, run_id: str) -> None:
    """The run completed with one write, asked for by one mail, and its record is whole."""
    assert await live.settled(run_id, *FINAL_STATES) is RunState.COMPLETED
    assert effects(live, run_id) == ["executed"]
    assert len(request_mails(live, run_id)) == 1
    assert asked(live, run_id) == [(2, 0, 1, 1)]
    assert live.ledger.verify(run_id).intact
