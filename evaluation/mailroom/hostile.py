"""A thousand mails by people whose sender is proven and who may not approve, with genuine answers among them.

Each tries to bring a run to a halt, as a reused Message-ID or ids of two runs do when an approver sends them. Nothing may halt,
every genuine answer must count, and operators hear of each kind once. ``python -m evaluation.mailroom.hostile [--count N]``
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.mailroom.mails import APPROVALS, AUTHSERV_ID, reply
from evaluation.mailroom.world import open_requests, policy_over
from evaluation.reply_matrix.judge import upper_bound
from evaluation.reply_world import Request
from ledger.judging import IncomingMail
from ledger.store import Ledger, open_ledger
from mail.authenticity import check_authenticity
from mail.reply_parser import parse_reply
from wire.approval import Judgement, Outcome
from wire.policy import Person, Policy

RUNS = 40
BATCH = 25
OPERATOR = Person(id="olga", name="Olga", addresses=("olga@corp.example",))
MALLORY = "mallory@corp.example"


@dataclass(frozen=True)
class Found:
    """What came of it. ``doubled``: notices that somebody got twice about one review for one reason."""

    hostile: int
    halted: int
    believed: int
    genuine: int
    accepted: int
    notices: int
    doubled: int

    def as_json(self) -> dict[str, float]:
        """The counts, and the upper bound of the rate of halts."""
        return {**vars(self), "halted_at_most": upper_bound(self.halted, self.hostile)}


@dataclass(frozen=True)
class Attempt:
    """A mail as the attacker writes it; the sender is proven, whoever it is. ``to``, ``thread`` and ``ref`` are where it names
    runs: in the address, in the thread, in the body."""

    sender: str
    to: Request
    thread: Request
    ref: Request
    message_id: str
    said: str
    rest: str = ""

    def raw(self) -> bytes:
        """The bytes, with our server's word for the sender."""
        domain = self.sender.rpartition("@")[2]
        lines = [
            f"Authentication-Results: {AUTHSERV_ID}; dkim=pass header.d={domain}; dmarc=pass header.from={domain}",
            f"From: Somebody <{self.sender}>",
            f"To: {self.to.address}",
            "Subject: Re: [approval] Post 4 x P-100",
            f"Message-ID: <{self.message_id}>",
            f"In-Reply-To: {self.thread.message_id}",
            f"References: {self.ref.message_id} {self.thread.message_id}",
            "",
            self.said,
            "",
            self.rest,
            f"> Ref: {self.ref.ref}",
        ]
        return "\r\n".join(lines).encode()


def attempts(asked: Sequence[Request], count: int, rng: random.Random, by_approvers: bool = False) -> Iterator[bytes]:
    """``count`` attempts of all kinds in turn, each on other runs, by strangers, requesters and approvers of other runs;
    ``by_approvers``: by whoever may answer, to see that they are attempts worth the name."""
    kinds: tuple[Callable[[Request, Request, Request, str, int], Attempt], ...] = (
        lambda a, b, c, who, n: Attempt(who, a, a, a, _genuine_id(a), "APPROVE", f"other content {n}"),
        lambda a, b, c, who, n: Attempt(who, a, a, a, _genuine_id(a), "REJECT", f"other content {n}"),
        lambda a, b, c, who, n: Attempt(who, a, b, c, f"{n}.three@corp.example", "APPROVE"),
        lambda a, b, c, who, n: Attempt(who, a, b, b, f"{n}.two@corp.example", "REJECT"),
        lambda a, b, c, who, n: Attempt(who, a, a, a, _genuine_id(b), "APPROVE", f"spent elsewhere {n}"),
        lambda a, b, c, who, n: Attempt(who, a, b, a, _genuine_id(c), "APPROVE", f"all at once {n}"),
        lambda a, b, c, who, n: Attempt(who, a, a, a, f"{n % 7}.again@corp.example", "APPROVE", f"own id again {n}"),
    )
    for number in range(count):
        a, b, c = rng.sample(list(asked), 3)
        others = [request.approvers[0] for request in (b, c) if request.approvers[0] not in a.approvers]
        who = a.approvers[0] if by_approvers else (MALLORY, a.requester, *others)[number % (2 + len(others))]
        if number % 8 == 7:
            yield _replayed(a, who, number)
        else:
            yield kinds[number % len(kinds)](a, b, c, who, number).raw()


def _genuine_id(request: Request) -> str:
    return f"{_number(request)}.reply@corp.example"


def _number(request: Request) -> int:
    return int(request.run_id.rpartition("-")[2])


def _replayed(request: Request, who: str, number: int) -> bytes:
    """The approver's own answer once more, word for word, with another name on it."""
    genuine = reply(request, _number(request), datetime(2026, 1, 1, tzinfo=UTC))
    return genuine.replace(f"<{request.approvers[0]}>".encode(), f"<{who}>".encode())


def judge_hostile(ledger: Ledger, count: int, at: datetime, seed: int = 1, by_approvers: bool = False) -> Found:
    """Play everything in random order through parser, proof and gates, in batches as the mailroom does."""
    rng = random.Random(seed)
    asked = open_requests(ledger, RUNS, at)
    given = policy_over(asked, at)
    policy = given.model_copy(update={"persons": (*given.persons, OPERATOR), "operators": (OPERATOR.id,)})
    mails = [(raw, False) for raw in attempts(asked, count, rng, by_approvers)]
    mails += [(reply(request, _number(request), at), True) for request in asked]
    rng.shuffle(mails)
    judged: list[tuple[Judgement, bool]] = []
    for start in range(0, len(mails), BATCH):
        few = mails[start : start + BATCH]
        incoming = [_incoming(raw, policy, at + timedelta(seconds=start)) for raw, _ in few]
        found = ledger.judge_batch(incoming, policy, at + timedelta(seconds=start))
        judged += [(judgement, genuine) for judgement, (_, genuine) in zip(found, few, strict=True)]
    notices = Counter(
        tuple(str(item.payload[name]) for name in ("message_type", "run_id", "step", "review", "to_address", "note"))
        for item in ledger.pending_outbox("mail", 100_000)
    )
    believed = (Outcome.ACCEPTED, Outcome.REJECTED, Outcome.COLLISION, Outcome.LATE)
    return Found(
        hostile=count,
        halted=sum(bool(ledger.blocks(request.run_id)) for request in asked),
        believed=sum(judgement.outcome in believed for judgement, genuine in judged if not genuine),
        genuine=len(asked),
        accepted=sum(judgement.outcome is Outcome.ACCEPTED for judgement, genuine in judged if genuine),
        notices=sum(notices.values()),
        doubled=sum(number - 1 for number in notices.values()),
    )


def _incoming(raw: bytes, policy: Policy, at: datetime) -> IncomingMail:
    parsed = parse_reply(raw, languages=policy.languages, own_addresses=(APPROVALS,))
    return IncomingMail(raw=raw, parsed=parsed, authenticity=check_authenticity(raw, policy.trust), received_at=at)


def main() -> int:
    """Exit code 0 when nothing halted, nothing hostile was believed and every genuine answer counted; else 1."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.mailroom.hostile", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="hostile mails (default: 1000)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory(prefix="countersign-hostile-") as folder:
        ledger = open_ledger(f"sqlite:///{Path(folder) / 'ledger.sqlite'}", random_epoch=lambda: "hostile")
        found = judge_hostile(ledger, count, datetime.now(UTC))
        ledger.dispose()
    sys.stdout.write(json.dumps(found.as_json(), indent=1) + "\n")
    return 0 if found.halted == found.believed == found.doubled == 0 and found.accepted == found.genuine else 1


if __name__ == "__main__":
    raise SystemExit(main())
