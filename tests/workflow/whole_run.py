"""A run with its real stages, gates and ledger on a time-skipping server; people, mail server and service are scripted."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import httpx
from temporalio import activity
from temporalio.client import WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from activities.errors import ServiceUnknown
from activities.ports import MailIdentity, Parts
from activities.registry import all_activities
from ledger.judging import IncomingMail
from ledger.records import RequestRow
from ledger.store import Ledger, open_ledger
from mail.errors import SmtpRefused
from mail.reply_parser import parse_reply
from policies.rulebook import policy_version
from tests.unit.activities.parts import Graph, Services
from tests.unit.odata.contracts import people
from wire.agent import Observation, Turn
from wire.approval import Judgement, MailContent, MessageType
from wire.call import ProposedCall
from wire.context import EndpointView, TypedContext
from wire.endpoint import Verb
from wire.mail import Authenticity, Delivered, ParsedReply
from wire.policy import ApprovalRule, Person, Policy
from wire.task import RunResult, TaskInput, TaskRequest
from workflows.agent_task import AgentTask
from workflows.sandbox import workflow_runner

MAILBOX = "approvals"
CHAIN: dict[str, Any] = {"escalate_to": ("cora",), "escalate_further": (("dan",),)}
NAMES = ("ann", "ben", "cora", "dan", "rita", "olga")
Handle = WorkflowHandle[AgentTask, RunResult]


def policy_of(**rule: Any) -> Policy:
    """ann and ben approve, cora and dan stand in the chain where a test puts them, rita asks, olga operates."""
    persons = tuple(Person(id=n, name=n.title(), addresses=(f"{n}@corp.example", f"{n}@home.example")) for n in NAMES)
    base = {"id": "all", "approvers": ("ann",), "window_seconds": 3600, "grace_seconds": 300, "tail_seconds": 0}
    rules = (ApprovalRule.model_validate(base | rule),)
    return Policy(version="1", persons=persons, rules=rules, requesters=("rita",), operators=("olga",))


def create(user: str) -> Turn:
    """A turn that creates a person."""
    payload = {"User": user, "First": user.title(), "Mails": [], "Club": {"Id": 1}}
    call = ProposedCall(method="POST", service="PEOPLE", endpoint="People", payload=payload)
    return Turn(action="call", thought="create", reason="as asked", call=call)


FINISH = Turn(action="finish", thought="done", answer="done")


class Brain:
    """Answers with the given turns in order, then finishes; keeps what it was told."""

    name = "planner"
    model = "scripted"
    prompt_version = "1"

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = list(turns)
        self.told: list[Sequence[Observation]] = []

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        self.told.append(observations)
        return self.turns[turn - 1] if turn <= len(self.turns) else FINISH


class Shop(Services):
    """Takes every create and gives back what it took; shows no metadata."""

    def __init__(self) -> None:
        super().__init__(self._serve, repeatable=True)
        self.written: list[dict[str, Any]] = []

    def _serve(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            self.written.append(json.loads(request.content))
            return httpx.Response(201, json=self.written[-1])
        return httpx.Response(200, json=self.written[-1] if self.written else {})

    async def live_metadata(self, service: str, version: Any) -> Any:
        raise ServiceUnknown(service)


def _graphs() -> Any:
    view = EndpointView(
        service="PEOPLE", endpoint="People", kind="EntitySet", verb=Verb.CREATE, version="4.0", label="People"
    )
    context = TypedContext(goal="g", clauses=("g",), graph_hash="g", retriever="none", endpoints=(view,))
    graph = Graph(people)
    return SimpleNamespace(
        current=lambda: "g", at=lambda digest: graph, warm=lambda: None, context=lambda goal, digest, services: context
    )


@dataclass
class Run:
    """One run under way and the hands to move it. ``dead``: addresses that the mail server refuses; ``on_mail``: what happens
    when it has taken a mail, before we know.
    """

    env: WorkflowEnvironment
    policy: Policy
    turns: Sequence[Turn] = (create("new"),)
    dead: set[str] = field(default_factory=set)
    on_mail: Callable[[], Any] = lambda: None
    ledger: Ledger = field(default_factory=lambda: open_ledger("sqlite://", random_epoch=lambda: "epoch-1"))
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    shop: Shop = field(default_factory=Shop)
    run_id: str = field(default_factory=lambda: f"run-{uuid4().hex[:26]}")

    def __post_init__(self) -> None:
        self.brain = Brain(self.turns)
        self._numbers = count()
        self.handle: Handle | None = None

    def parts(self) -> Parts:
        return Parts(
            ledger=self.ledger,
            graphs=_graphs(),
            brain=self.brain,
            services=self.shop,
            mailer=self._mail,
            policy=lambda: self.policy,
            identity=MailIdentity("approvals@agent.example", "Countersign", "olga@corp.example"),
            now=now_there,
        )

    def _mail(self, raw: bytes, recipient: str) -> Delivered:
        if recipient in self.dead:
            raise SmtpRefused(f"550 5.1.1 {recipient} unknown", 550)
        self.sent.append((recipient, raw))
        self.on_mail()
        return Delivered(accepted_at=now_there().isoformat(), response="250 ok")

    def worker(self) -> Worker:
        return Worker(
            self.env.client, task_queue=self.run_id, workflows=[AgentTask],
            activities=all_activities(self.parts(), MAILBOX), workflow_runner=workflow_runner(),
        )  # fmt: skip

    async def start(self) -> Handle:
        task = TaskInput(
            run_id=self.run_id, goal="add people", requester="rita", policy_version=policy_version(self.policy),
            graph_hash="g", ledger_epoch="epoch-1", brain="planner",
        )  # fmt: skip
        request = TaskRequest(goal="add people", requester="rita")
        now = await self.env.get_current_time()
        self.ledger.register_run(task, request, "k" * 64, "d" * 64, now.astimezone(UTC))
        self.handle = await self.env.client.start_workflow(AgentTask.run, task, id=self.run_id, task_queue=self.run_id)
        return self.handle

    async def until(self, holds: Callable[[], Any], what: str = "") -> None:
        """Wait in real time: activities run in it."""
        for _ in range(1500):
            if holds():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(
            f"never: {what or holds}; {[(r.step, r.review, r.cause, r.status) for r in self.requests]}"
        )

    @property
    def requests(self) -> tuple[RequestRow, ...]:
        return self.ledger.requests(self.run_id)

    async def asked(self, number: int) -> RequestRow:
        """The ``number``-th review of the run (from 1), once all its copies are out or failed."""
        await self.until(lambda: len(self.requests) >= number and self.requests[number - 1].status != "composed")
        await self.until(lambda: all(m.accepted_at or m.failure for m in self.requests[number - 1].mails))
        return self.requests[number - 1]

    def causes(self) -> list[tuple[str, list[str]]]:
        """Of every review: why it was made and who is asked."""
        return [(r.cause, [seat.person for seat in r.plan.approvers]) for r in self.requests]

    async def answer(self, typed: str, person: str = "ann", review: int = -1, **changes: Any) -> Judgement:
        """Judge a reply (``approve``, ``reject``, ``unclear``) to a review, received now or ``received_at``; signal the run."""
        judgement = self.judge(typed, person, review, (await self.env.get_current_time()).astimezone(UTC), **changes)
        await self.signal()
        return judgement

    def judge(self, typed: str, person: str, review: int, now: datetime, **changes: Any) -> Judgement:
        """The same without a signal."""
        row, received = self.requests[review], changes.pop("received_at", now)
        number = next(self._numbers)
        raw = f"{number} {typed} {person} {changes}".encode()
        address = person if "@" in person else f"{person}@corp.example"
        fields: dict[str, Any] = {
            "raw_digest": hashlib.sha256(raw).hexdigest(), "content_digest": hashlib.sha256(b"c" + raw).hexdigest(),
            "size": len(raw), "message_id": f"{number}@corp.example", "from_addresses": (address,),
            "recipients": (row.reply_address,), "answer": typed,
        }  # fmt: skip
        parsed = ParsedReply.model_validate(fields | changes)
        proof = Authenticity(authenticated=True, address=address)
        mail = IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=received.astimezone(UTC))
        return self.ledger.judge_batch([mail], self.policy, now)[0]

    async def reply(self, typed: str, person: str = "ann", review: int = -1) -> Judgement:
        """Judge a reply as it comes from the wire, read by the parser of the product."""
        row, now = self.requests[review], (await self.env.get_current_time()).astimezone(UTC)
        address, number = f"{person}@corp.example", next(self._numbers)
        raw = (
            f"From: {address}\r\nTo: {row.reply_address}\r\nSubject: Re: approval\r\nMessage-ID: <{number}@corp.example>\r\n"
            f"In-Reply-To: <{row.mails[0].message_id}>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{typed}\r\n"
        ).encode()
        parsed = parse_reply(raw, languages=["en"], own_addresses=["approvals@agent.example"])
        proof = Authenticity(authenticated=True, address=address)
        mail = IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=now)
        judgement = self.ledger.judge_batch([mail], self.policy, now)[0]
        await self.signal()
        return judgement

    async def bounce(self, person: str = "ann", review: int = -1, **changes: Any) -> Judgement:
        """A report that a copy of a review came back."""
        copy = next(mail for mail in self.requests[review].mails if mail.person == person)
        told = {"automatic": "bounce", "bounced_ids": (copy.message_id,), "failed_recipients": (copy.address,)}
        told |= {"recipients": ("approvals@agent.example",)}
        return await self.answer("unclear", "mailer-daemon@corp.example", review, **(told | changes))

    async def signal(self) -> None:
        """Deliver what the outbox owes the run, as the mailroom does."""
        assert self.handle is not None
        now = (await self.env.get_current_time()).astimezone(UTC)
        for item in self.ledger.pending_outbox("signal"):
            await self.handle.signal("decision", item.payload)
            self.ledger.done(item.id, now)

    async def replay_failure(self) -> Exception | None:
        """What keeps a worker that knows only the history from going on with the run."""
        assert self.handle is not None
        replayer = Replayer(
            workflows=[AgentTask], workflow_runner=workflow_runner(), data_converter=pydantic_data_converter
        )
        history = await self.handle.fetch_history()
        return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure

    async def sleep(self, minutes: float) -> None:
        """Let time pass; the mailroom reads on and finds nothing."""
        await self.env.sleep(timedelta(minutes=minutes))
        self.read_past((await self.env.get_current_time()).astimezone(UTC))

    def read_past(self, instant: datetime) -> None:
        self.ledger.save_cursor(MAILBOX, 1, next(self._numbers) + 1, instant)
        self.ledger.save_read_past(MAILBOX, instant, instant)

    def notices(self, kind: MessageType) -> list[tuple[str, int, str]]:
        """(to, review, note) of the mails of a kind that are owed."""
        mails = [MailContent.model_validate(item.payload) for item in self.ledger.pending_outbox("mail", 1000)]
        return [(m.to_address.partition("@")[0], m.review, m.note) for m in mails if m.message_type is kind]


def now_there() -> datetime:
    """The server's time, which skips, as far as an activity knows it."""
    return activity.info().current_attempt_scheduled_time.astimezone(UTC)
