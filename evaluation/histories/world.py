"""One history's world: the real ledger, mailroom, workflows and activities between a simulated mail server and service."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal, cast

from activities.ports import MailIdentity, Parts
from activities.registry import all_activities
from evaluation.histories.catalogue import SNAPSHOT, Catalogue, Script, order_key
from evaluation.histories.engine import Engine, Recorded, Stuck, make_loop
from evaluation.histories.mailserver import MailServer
from evaluation.histories.notes import Account, Act, Enacted, Posted, Rules
from evaluation.histories.scenes import ADDRESSES, APPROVALS, PEOPLE, REQUESTER, START, WINDOW, Scene, policy_of
from evaluation.histories.service import Service, Shelf
from evaluation.histories.shown import ASKING, Shown, read_shown
from evaluation.histories.wiring import PRODUCT, Wiring
from ledger.judging import IncomingMail
from ledger.store import Ledger, open_ledger
from ledger.transactions import make_engine
from mail.dispatch import Dispatcher
from mail.poll import ReadingRules, poll_once
from mail.ports import ReceivedMail
from policies.canonical import sha256_hex
from policies.rulebook import policy_version
from policies.run_identity import derive_run_id, request_digest
from wire.approval import Judgement, OutboxItem
from wire.mail import Delivered
from wire.task import TaskInput, TaskRequest

MAILBOX = "approvals"
_PORTS = frozenset({"tick", "now"})
SOON = timedelta(seconds=5)


@cache
def _blank() -> bytes:
    """A new ledger's database."""
    ledger = open_ledger("sqlite://", random_epoch=_key)
    try:
        connection: Any = ledger.engine.raw_connection().driver_connection
        return bytes(connection.serialize())
    finally:
        ledger.dispose()


def _key() -> str:
    return "histories"


class Stage:
    """What one process needs once: loop, database, client, contracts. Worlds of one stage play one after the other."""

    def __init__(self, wiring: Wiring = PRODUCT) -> None:
        self.wiring = wiring
        self.loop = make_loop()
        self.ledger = wiring.ledger(Ledger(make_engine("sqlite://"), _key))
        self.shelf = Shelf()
        self.catalogue = Catalogue()
        self.bases: dict[str, Snapshot] = {}
        self.load(_blank())

    def load(self, blob: bytes) -> None:
        """Make the database what it was."""
        self._connection().deserialize(blob)

    def save(self) -> bytes:
        """The database as bytes."""
        return bytes(self._connection().serialize())

    def owes(self, kind: str) -> bool:
        """Whether the outbox holds anything of that kind."""
        owed = "SELECT 1 FROM outbox WHERE kind = ? AND done_at IS NULL LIMIT 1"
        return self._connection().execute(owed, (kind,)).fetchone() is not None

    def _connection(self) -> Any:
        return self.ledger.engine.raw_connection().driver_connection

    def close(self) -> None:
        """Close loop and database."""
        self.loop.run_until_complete(self.shelf.client("", "4.0").aclose())
        self.ledger.dispose()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        asyncio.set_event_loop(None)


@dataclass(frozen=True)
class Snapshot:
    """A world at rest: the database, what happened to each execution, and the surroundings. Nothing in it changes any more."""

    blob: bytes
    pasts: dict[str, tuple[tuple[Recorded, ...], bool]]
    surroundings: dict[str, Any]


@dataclass
class Troubles:
    """What is out of order now: the mailroom, and the next deliveries of signals. ``slow_post``: notices leave later."""

    room_up: bool = True
    slow_post: bool = True
    unreachable: int = 0
    forgetful: int = 0


@dataclass
class World:
    """A history as it goes on. ``at`` is the true time; the engine's clock shows it."""

    stage: Stage
    scene: Scene
    at: datetime = START
    seq: int = 0
    troubles: Troubles = field(default_factory=Troubles)
    outcomes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Wire product and surroundings together."""
        wiring, scene = self.stage.wiring, self.scene
        self.server = MailServer(self.tick, self.now, scene.skew)
        self.service = self.stage.shelf.service = Service(self.tick, self.now, scene.repeatable)
        addresses = {address: name for name in PEOPLE for address in ADDRESSES[name]}
        self.account = Account(
            REQUESTER, WINDOW, scene.bound + abs(scene.skew) + 1, addresses, [Enacted(0, scene.rules)]
        )
        self._share_logs()
        self.parts = Parts(
            ledger=self.stage.ledger, graphs=self.stage.catalogue, brain=Script(), services=self.stage.shelf,
            mailer=self.server.take, policy=lambda: wiring.policy(self.policy),
            identity=MailIdentity(approvals=APPROVALS, name="Countersign", operator="ops@agent.example"), now=self.now,
        )  # fmt: skip
        self.activities = {work.__name__: work for work in all_activities(self.parts, MAILBOX)}
        self.activities |= wiring.activities(self.parts)
        self.engine = Engine(self.stage.loop, self.activities, self.now, timers_first=scene.timers_first)
        self.tasks = [self._task(number) for number in range(scene.runs)]
        self.policy = policy_of(scene, scene.rules)
        deliver: Callable[[bytes, str, str], Delivered] = lambda raw, sender, to: self.server.take(raw, to)  # noqa: E731
        self.dispatcher = Dispatcher(
            _Outbox(self), self._signal, deliver, lambda event, facts: None, self.now, lambda: 0.0
        )

    # -- time and order

    def tick(self) -> int:
        """The number of the next happening."""
        self.seq += 1
        return self.seq

    def now(self) -> datetime:
        """The true time."""
        return self.at

    def advance(self, to: datetime) -> None:
        """Let time pass; timers fire on the way."""
        for _ in range(2000):
            timer = self.engine.next_timer()
            if timer is None or timer > to:
                self.at = max(self.at, to)
                return
            self.at = max(self.at, timer)
            self.pump(look=True)
        raise Stuck("timers do not come to an end")

    # -- beginning

    def begin(self) -> None:
        """Come to where replies can come."""
        name = self.scene.name
        if name not in self.stage.bases:
            self._start()
            self.stage.bases[name] = self.snapshot()
        else:
            self.resume(self.stage.bases[name])

    def snapshot(self) -> Snapshot:
        """This world as it is. Only one at rest can be taken down."""
        if not self.engine.resting:
            raise Stuck("a world in the middle of an attempt cannot be taken down")
        pasts = {run_id: (tuple(e.log), e.ended) for run_id, e in self.engine.executions.items()}
        return Snapshot(self.stage.save(), pasts, copied(self._surroundings()))

    def resume(self, taken: Snapshot) -> None:
        """Be the world that was taken down."""
        self.stage.load(taken.blob)
        kept = copied(taken.surroundings)
        vars(self.server).update(kept["server"])
        vars(self.service).update(kept["service"])
        vars(self.account).update(kept["account"])
        self.seq, self.at, self.troubles, self.outcomes = (kept[n] for n in ("seq", "at", "troubles", "outcomes"))
        self.policy = policy_of(self.scene, self.rules)
        self.dispatcher._not_before.update(kept["not_before"])
        self._share_logs()
        for task, _ in self.tasks:
            past, over = taken.pasts[task.run_id]
            self.engine.start(task, f"execution of {task.run_id}", past, over=over)
        self.engine.settle()

    def _surroundings(self) -> dict[str, Any]:
        """Everything beside database and executions; lists that stand in two places are put together again by ``resume``."""
        logs = ("posted", "letters", "read", "served")
        return {
            "server": {n: v for n, v in vars(self.server).items() if n not in _PORTS},
            "service": {n: v for n, v in vars(self.service).items() if n not in _PORTS},
            "account": {n: v for n, v in vars(self.account).items() if n not in logs},
            "not_before": self.dispatcher._not_before,
            "seq": self.seq, "at": self.at, "troubles": self.troubles, "outcomes": self.outcomes,
        }  # fmt: skip

    def _share_logs(self) -> None:
        self.account.posted, self.account.letters = self.server.posted, self.server.letters
        self.account.read, self.account.served = self.server.read, self.service.log

    def _start(self) -> None:
        self.stage.load(_blank())
        if self.scene.measured:
            self.measure_clock()
        for number, (task, request) in enumerate(self.tasks):
            if self.scene.method == "PATCH":
                key = order_key(number, 0)
                self.service.orders[key] = {"Order": key, "Amount": 1, "Note": "before"}
                self.service.versions[key] = 1
            digest = request_digest(request)
            self.stage.ledger.register_run(task, request, digest, sha256_hex(task.run_id.encode()), self.at)
            self.engine.start(task, f"execution of {task.run_id}")
            self.engine.settle()

    def _task(self, number: int) -> tuple[TaskInput, TaskRequest]:
        goal = f"{self.scene.method} {number}"
        request = TaskRequest(goal=goal, requester=REQUESTER, key=f"{self.scene.name} {number}")
        task = TaskInput(
            run_id=derive_run_id(request), goal=goal, requester=REQUESTER,
            policy_version=policy_version(policy_of(self.scene, self.scene.rules)), graph_hash=SNAPSHOT,
            ledger_epoch=self.stage.ledger.epoch, brain="planner",
        )  # fmt: skip
        return task, request

    def run_id(self, number: int) -> str:
        """The id of run ``number``."""
        return self.tasks[number][0].run_id

    # -- changes from outside

    def enact(self, rules: Rules) -> None:
        """Policy says something else from now on."""
        self.policy = policy_of(self.scene, rules)
        self.account.rules.append(Enacted(self.tick(), rules))

    def measure_clock(self) -> None:
        """A probe mail goes out and is seen at once."""
        ledger = self.stage.ledger
        probe = ledger.begin_probe(MAILBOX, "agent.example", self.at)
        ledger.probe_accepted(probe.message_id, self.at)
        stored = (self.at + timedelta(seconds=self.server.skew)).replace(microsecond=0)
        ledger.probe_returned(probe.message_id, stored, self.at, self.policy)

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.account.rules[-1].rules

    def note_act(self, kind: str, run: int, actor: str, **more: Any) -> None:
        """Put an operator's act, or a fault that halts, on the account."""
        self.account.acts.append(Act(self.tick(), self.at, kind, run, actor, **more))

    def touch(self, kind: str, *runs: int) -> None:
        """Note that an event of that kind concerned these runs, or all."""
        for run in runs or range(self.scene.runs):
            self.account.touched.setdefault(run, set()).add(kind)

    def asked(self, run: int, *, kinds: frozenset[str] = ASKING) -> list[tuple[Posted, Shown]]:
        """Mails that asked about a run, in order."""
        found = ((posted, read_shown(posted.raw)) for posted in self.server.posted)
        return [(posted, shown) for posted, shown in found if shown.run == run and shown.kind in kinds]

    def newest(self, run: int) -> list[tuple[Posted, Shown]]:
        """The copies of the review of that run that was sent last."""
        asked = self.asked(run)
        return [(p, s) for p, s in asked if s.review == asked[-1][1].review] if asked else []

    @property
    def delayed(self) -> bool:
        """Whether something that failed will be tried again soon."""
        soon = self.engine.next_timer()
        return self.stage.owes("signal") or (soon is not None and soon <= self.at + SOON)

    # -- mailroom

    def pump(self, *, look: bool = False) -> None:
        """Let workflows and mailroom do all that they can do now. ``look``: read the mailbox though nothing new is known."""
        for _ in range(50):
            self.engine.settle()
            if not self.troubles.room_up:
                return
            if look or len(self.server.read) < len(self.server.letters):
                self.poll()
                look = False
            if not self._dispatch("signal") + (0 if self.troubles.slow_post else self._dispatch("mail")):
                return
        raise Stuck("the outbox does not come to an end")

    def poll(self) -> None:
        """One poll of the mailbox."""
        policy = self.stage.wiring.policy(self.policy)
        rules = ReadingRules(name=MAILBOX, own_addresses=(APPROVALS,), trust=policy.trust, languages=policy.languages)
        mailbox = cast(Any, self.server)
        polled = poll_once(mailbox, self.server.uidvalidity, _Judge(self), self.stage.ledger, rules, self.now)
        self.outcomes.update(item.judgement.outcome.value for item in polled.handled)

    def judge(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """The gates, under policy as it is now."""
        wiring, mailbox = self.stage.wiring, MAILBOX if self.scene.measured else ""
        incoming = [
            IncomingMail(
                raw=m.raw, parsed=m.parsed, authenticity=m.authenticity, received_at=m.received_at, mailbox=mailbox
            )
            for m in (wiring.received(mail, self) for mail in mails)
        ]
        return self.stage.ledger.judge_batch(incoming, wiring.policy(self.policy), at)

    async def _signal(self, run_id: str, payload: dict[str, Any]) -> None:
        if self.troubles.unreachable:
            self.troubles.unreachable -= 1
            raise ConnectionError("the engine cannot be reached")
        self.engine.signal(run_id, payload)

    def _dispatch(self, kind: Literal["signal", "mail"]) -> int:
        if not self.stage.owes(kind):
            return 0
        try:
            return self.stage.loop.run_until_complete(self.dispatcher.dispatch(kind))
        except ConnectionResetError:  # the mailroom ended between delivery and its record
            return 1


def copied(value: Any) -> Any:
    """The same with containers of its own; what stands in them never changes."""
    if isinstance(value, dict):
        same = copy(value)
        for name, held in value.items():
            same[name] = copied(held)
        return same
    if isinstance(value, list):
        return [copied(held) for held in value]
    return copy(value) if isinstance(value, set | Troubles) else value


@dataclass(frozen=True)
class _Judge:
    """``mail.ports.Judge`` over the ledger."""

    world: World

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        """Which of these are ours."""
        return self.world.stage.ledger.ours_among(message_ids, addresses)

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """Judge the mails of one poll together."""
        return self.world.judge(mails, at)


@dataclass(frozen=True)
class _Outbox:
    """The ledger's outbox; a forgetful mailroom ends before it has recorded a delivery."""

    world: World

    def pending_outbox(self, kind: Literal["signal", "mail"], limit: int = 100) -> Sequence[OutboxItem]:
        """What is owed."""
        return self.world.stage.ledger.pending_outbox(kind, limit)

    def done(self, item_id: int, at: datetime) -> None:
        """Record a delivery."""
        if self.world.troubles.forgetful:
            self.world.troubles.forgetful -= 1
            raise ConnectionResetError
        self.world.stage.ledger.done(item_id, at)

    def failed(self, item_id: int, error: str, at: datetime) -> None:
        """Record a failure."""
        self.world.stage.ledger.failed(item_id, error, at)
