"""The mailroom's surroundings: runs that wait for an answer in a real ledger, and the policy that says who may give it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.mailroom.mails import AUTHSERV_ID
from evaluation.reply_world import Context, Request, Trust, make_policy, send_request
from ledger.judging import IncomingMail
from ledger.store import Ledger
from mail.ports import ReceivedMail
from policies.canonical import sha256_hex
from wire.approval import Judgement
from wire.policy import Policy

APPROVERS = tuple(f"approver.{number}@corp.example" for number in range(20))


def open_requests(ledger: Ledger, count: int, at: datetime, prefix: str = "run") -> list[Request]:
    """``count`` runs, each with one request out since an hour and open for a day."""
    asked = [_request(f"{prefix}-{number:05}", number, at) for number in range(count)]
    for request in asked:
        send_request(ledger, request)
    return asked


def _request(run_id: str, number: int, at: datetime) -> Request:
    ref = sha256_hex(run_id.encode())[:26]
    return Request(
        run_id=run_id,
        step=1,
        review=0,
        requester="rita@corp.example",
        approvers=(APPROVERS[number % len(APPROVERS)],),
        address=f"approvals+{ref}@countersign.example",
        ref=ref,
        message_id=f"<{ref}@countersign.example>",
        sent_at=at - timedelta(hours=1),
        deadline=at + timedelta(days=1),
    )


def policy_over(asked: Sequence[Request], at: datetime) -> Policy:
    """Everybody in it, and our server trusted."""
    return make_policy(Context(requests=tuple(asked), trust=Trust(authserv_id=AUTHSERV_ID), received_at=at), ())


@dataclass(frozen=True)
class LedgerJudge:
    """The ledger's gates under one policy, as the mailroom wants them."""

    ledger: Ledger
    policy: Policy

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        """Which of these are ours."""
        return self.ledger.ours_among(message_ids, addresses)

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """As the ledger says."""
        incoming = [
            IncomingMail(raw=m.raw, parsed=m.parsed, authenticity=m.authenticity, received_at=m.received_at)
            for m in mails
        ]
        return self.ledger.judge_batch(incoming, self.policy, at)
