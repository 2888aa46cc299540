"""A small world to judge mail in: people, a policy, runs with requests, and replies as the mail side would hand them over."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from ledger.judging import IncomingMail
from ledger.records import RequestRow
from ledger.requests import NewRequest
from ledger.store import Ledger
from policies.canonical import canonical_json, sha256_hex
from wire.agent import ModelExchange, Turn
from wire.approval import Addressee, ApprovalPlan, Judgement, MailContent, MessageType
from wire.call import PreparedRequest, ProposedCall, ValidatedCall, Verdict
from wire.mail import Authenticity, ParsedReply
from wire.policy import ApprovalRule, Delegation, Person, Policy
from wire.task import TaskInput, TaskRequest

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
WINDOW = timedelta(hours=1)
PEOPLE = ("ann", "bob", "carl", "dora", "rita", "olga")
CONTEXT = b'{"context": "typed"}'


def at(minutes: float) -> datetime:
    """Minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def make_policy(**changes: Any) -> Policy:
    """ann and bob approve, rita requests, olga operates; dora is a stranger with a person record."""
    people = tuple(Person(id=name, name=name.title(), addresses=(f"{name}@corp.example",)) for name in PEOPLE)
    rule = ApprovalRule(id="all", approvers=("ann", "bob"))
    base = Policy(version="1", persons=people, rules=(rule,), requesters=("rita",), operators=("olga",))
    return base.model_copy(update=changes)


def delegation(giver: str, taker: str, since: float = -60, until: float = 600) -> Delegation:
    """A delegation in force for those minutes after noon."""
    return Delegation(from_person=giver, to_person=taker, since=at(since), until=at(until))


def make_call(order: str) -> ValidatedCall:
    """A create call that is told apart by ``order``."""
    request = PreparedRequest(method="POST", service="SALES", path="Orders", body=f'{{"Order": "{order}"}}')
    proposed = ProposedCall(method="POST", service="SALES", endpoint="Orders", payload={"Order": order})
    digest = sha256_hex(canonical_json(request.model_dump(mode="json")))
    return ValidatedCall(call=proposed, kind="EntitySet", request=request, digest=digest)


@dataclass
class World:
    """Drives a ledger. Mail numbers and bodies are counted, so that every reply is a mail of its own."""

    ledger: Ledger
    policy: Policy = field(default_factory=make_policy)
    numbers: Iterator[int] = field(default_factory=count)

    def start(self, run_id: str = "run-a", requester: str = "rita") -> str:
        """Register and claim a run."""
        task = TaskInput(
            run_id=run_id,
            goal="create an order",
            requester=requester,
            policy_version="1",
            graph_hash="g",
            ledger_epoch=self.ledger.epoch,
            brain="planner",
        )
        request = TaskRequest(goal="create an order", requester=requester)
        self.ledger.register_run(task, request, "k" * 64, sha256_hex(run_id.encode()), NOON)
        self.ledger.claim_execution(run_id, f"exec-{run_id}", self.ledger.epoch, NOON)
        return run_id

    def propose(self, run_id: str = "run-a", turn: int = 1, order: str = "1") -> int:
        """A turn that proposes a create call, validated; its step."""
        context = self.ledger.put(CONTEXT, "application/json", NOON)
        call = make_call(order)
        exchange = ModelExchange(
            brain="planner", model="m", prompt_version="1", stage="fill", request="q", response="a"
        )
        record = Turn(action="call", thought="t", call=call.call, exchanges=(exchange,))
        step = self.ledger.next_step(run_id, turn, record, context, NOON)
        self.ledger.record_verdict(run_id, step, Verdict(kind="valid", request=call.request), call, NOON)
        return step

    def ask(
        self,
        run_id: str = "run-a",
        step: int = 1,
        review: int = 1,
        *,
        approvers: tuple[str, ...] = ("ann",),
        quorum: int = 1,
        order: str = "1",
        sent: bool = True,
        minutes: float = 0,
        **ids: str,
    ) -> RequestRow:
        """Record a request and, unless ``sent`` is false, its acceptance ``minutes`` after noon."""
        new = make_request(run_id, step, review, approvers, quorum, make_call(order).digest, at(minutes), **ids)
        row = self.ledger.create_request(new, at(minutes))
        if sent:
            for index in range(len(approvers)):
                self.ledger.begin_sending(run_id, step, review, index, at(minutes))
                row = self.ledger.mark_accepted(run_id, step, review, index, at(minutes), "250 ok")
        return row

    def open_run(self, run_id: str = "run-a", **ask: Any) -> str:
        """A run with one request out, at step 1."""
        self.start(run_id)
        self.propose(run_id, order=ask.get("order", "1"))
        self.ask(run_id, **ask)
        return run_id

    def mail(
        self, answer: str, sender: str = "ann", run_id: str = "run-a", step: int = 1, review: int = 1, **changes: Any
    ) -> IncomingMail:
        """A reply to a review, right in everything that ``changes`` does not change."""
        return make_mail(next(self.numbers), answer, sender, f"{run_id}/{step}/{review}", **changes)

    def judge(self, mail: IncomingMail) -> Judgement:
        """Judge one mail under the world's policy, at its receipt time."""
        return self.ledger.judge_batch([mail], self.policy, mail.received_at)[0]

    def answer(self, answer: str = "approve", sender: str = "ann", **changes: Any) -> Judgement:
        """Make and judge a reply."""
        return self.judge(self.mail(answer, sender, **changes))

    def dispatch(
        self, run_id: str = "run-a", step: int = 1, review: int = 1, order: str = "1", minutes: float = 6
    ) -> Any:
        """Open the intent of a step."""
        digest = make_call(order).digest
        key = f"{run_id}/{step}/{review}/write/{digest}"
        return self.ledger.open_intent(run_id, step, review, digest, key, sha256_hex(key.encode())[:36], at(minutes))


def signals(world: World) -> list[tuple[str, str]]:
    """(run, evidence id) of every signal owed."""
    return [(s.payload["run_id"], s.payload["evidence_id"]) for s in world.ledger.pending_outbox("signal")]


def notices(world: World, kind: MessageType) -> list[str]:
    """To whom mails of that kind are owed."""
    items = world.ledger.pending_outbox("mail")
    return [item.payload["to_address"] for item in items if item.payload["message_type"] == kind.value]


def opaque(run_id: str, step: int, review: int) -> str:
    """The opaque id of a review in this world."""
    return "id" + hashlib.sha256(f"{run_id}/{step}/{review}".encode()).hexdigest()[:24]


def make_request(
    run_id: str,
    step: int,
    review: int,
    approvers: tuple[str, ...],
    quorum: int,
    digest: str,
    composed_at: datetime,
    **ids: str,
) -> NewRequest:
    """A request to these persons; ``ref`` and ``message_id`` may be set to make ids clash."""
    ref = ids.get("ref", opaque(run_id, step, review))
    plan = ApprovalPlan(
        rule_id="all",
        policy_version="1",
        approvers=tuple(Addressee(person=p, name=p.title(), address=f"{p}@corp.example") for p in approvers),
        quorum=quorum,
        window_seconds=3600,
        max_reviews=3,
        on_deadline="reissue",
        reminder_share=0.75,
        grace_seconds=300,
        tail_seconds=0,
    )
    mails = tuple(
        MailContent(
            message_type=MessageType.APPROVAL_REQUEST,
            message_id=ids.get("message_id", f"req.{ref}.{index}@agent.example"),
            from_address="approvals@agent.example",
            from_name="Countersign",
            reply_to=f"approvals+{ref}@agent.example",
            to_address=f"{person}@corp.example",
            to_name=person.title(),
            composed_at=composed_at,
            run_id=run_id,
            step=step,
            review=review,
            ref=ref,
            call_digest=digest,
            title="Create order",
            deadline=composed_at + WINDOW,
        )
        for index, person in enumerate(approvers)
    )
    return NewRequest(
        run_id=run_id,
        step=step,
        review=review,
        call_digest=digest,
        policy_version="1",
        plan=plan,
        cause="first",
        composed_at=composed_at,
        deadline=composed_at + WINDOW,
        mails=mails,
    )


def make_mail(number: int, answer: str, sender: str, to: str, **changes: Any) -> IncomingMail:
    """A genuine reply number ``number`` to the review ``to`` (run/step/review), then changed.

    ``raw`` replaces the bytes, ``minutes`` the receipt time, ``authenticated`` the proof; the rest are ParsedReply fields.
    """
    run_id, step, review = to.split("/")
    ref = opaque(run_id, int(step), int(review))
    raw = changes.pop("raw", f"mail {number}: {answer} by {sender} to {to}".encode())
    received_at = at(changes.pop("minutes", 5))
    address = sender if "@" in sender else f"{sender}@corp.example"
    proven = changes.pop("authenticated", True)
    parsed = ParsedReply(
        raw_digest=sha256_hex(raw),
        content_digest=changes.pop("content_digest", sha256_hex(b"content" + raw)),
        size=len(raw),
        message_id=changes.pop("message_id", f"reply-{number}@corp.example"),
        from_addresses=(address,),
        recipients=(f"approvals+{ref}@agent.example",),
        references=(f"req.{ref}.0@agent.example",),
        body_refs=(ref,),
        answer=answer,
    ).model_copy(update=changes)
    proof = Authenticity(
        authenticated=proven, address=address if proven else None, reason="" if proven else "dmarc=fail"
    )
    return IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=received_at)
