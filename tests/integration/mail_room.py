"""A mailroom over a real mail server and a real ledger; signals land in a queue instead of an engine."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from evaluation.mailroom.world import LedgerJudge
from evaluation.reply_world import Context, Request, make_policy, send_request
from ledger.store import Ledger
from mail.backoff import Backoff
from mail.compose import compose
from mail.dispatch import Dispatcher
from mail.poll import ReadingRules
from mail.reconnect import Patience
from mail.room import RoomPorts, RoomSettings, run_room
from mail.smtp import send
from tests.integration.mail_pair import ANN, APPROVALS, AUTHSERV_ID, MailPair, now
from wire.approval import MailContent
from wire.mail import Delivered
from wire.policy import Policy

RITA = "rita@corp.example"


def request(run_id: str, step: int = 1, **changes: Any) -> Request:
    """A request that is open for an hour."""
    given = {"run_id": run_id, "step": step, "review": 0, "requester": RITA, "approvers": (ANN,)}
    given |= {"ref": f"{run_id}.{step}.opaque", "message_id": f"<{run_id}.{step}@countersign.example>"}
    given["address"] = f"approvals+{given['ref']}@countersign.example"
    at = now()
    return Request(**(given | {"sent_at": at - timedelta(seconds=5), "deadline": at + timedelta(hours=1)} | changes))


def mail_for(asked: Request) -> MailContent:
    """What the approver gets."""
    return MailContent(
        message_type="approval_request",
        message_id=asked.message_id.strip("<>"),
        from_address=APPROVALS,
        from_name="Countersign",
        reply_to=asked.address,
        to_address=ANN,
        to_name="Ann",
        composed_at=asked.sent_at,
        run_id=asked.run_id,
        step=asked.step,
        ref=asked.ref,
        policy_version="1",
        deadline=asked.deadline,
        call_digest="d" * 64,
        title=f"Create an order for {asked.run_id}",
    )


@dataclass
class Office:
    """Mail server, ledger and what a room over them said and did."""

    pair: MailPair
    ledger: Ledger
    requests: list[Request]
    signals: asyncio.Queue[tuple[str, dict[str, Any]]] = field(default_factory=asyncio.Queue)
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    seen: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        for asked in self.requests:
            send_request(self.ledger, asked)

    def ask(self) -> None:
        """Mail every request to the approver."""
        for asked in self.requests:
            self.pair.send(compose(mail_for(asked)), user=APPROVALS, to=ANN)

    def report(self, event: str, facts: dict[str, Any]) -> None:
        """Keep what the room says."""
        self.events.append((event, facts))
        self.seen.put_nowait(event)

    async def until(self, event: str) -> None:
        """Wait until the room has said ``event``."""
        while await asyncio.wait_for(self.seen.get(), 30) != event:
            continue

    async def signal(self, run_id: str, payload: dict[str, Any]) -> None:
        """Take a signal."""
        self.signals.put_nowait((run_id, payload))

    async def next_signal(self) -> tuple[str, dict[str, Any]]:
        """The next signal."""
        return await asyncio.wait_for(self.signals.get(), 30)

    def policy(self) -> Policy:
        """Everybody in it, and the server trusted."""
        trust = {"authserv_id": AUTHSERV_ID}
        return make_policy(Context(requests=tuple(self.requests), trust=trust, received_at=now()), ())

    def deliver(self, raw: bytes, sender: str, recipient: str) -> Delivered:
        """Send over the pair."""
        return send(raw, sender, recipient, self.pair.smtp(APPROVALS), now)

    def ports(self, signal: Any = None) -> RoomPorts:
        """The room's surroundings."""
        dispatcher = Dispatcher(
            self.ledger, signal or self.signal, self.deliver, self.report, now, lambda: 0.5, Backoff(0.1, 1.0)
        )
        judge = LedgerJudge(self.ledger, self.policy())
        return RoomPorts(judge, self.ledger, dispatcher, self.report, now, lambda: 0.5)

    def settings(self, **changes: Any) -> RoomSettings:
        """A room that waits by IDLE and hurries otherwise."""
        rules = ReadingRules("approvals", (APPROVALS,), self.policy().trust, ("en", "de"))
        given: dict[str, Any] = {"holder": "one", "patience": Patience(Backoff(0.1, 0.5)), "outbox_seconds": 0.2}
        return RoomSettings(self.pair.imap(), rules, **(given | changes))

    @asynccontextmanager
    async def room(self, signal: Any = None, **changes: Any) -> AsyncIterator[None]:
        """A running room, connected; stopped at exit."""
        stop = asyncio.Event()
        task = asyncio.create_task(run_room(self.settings(**changes), self.ports(signal), stop))
        try:
            await self.until("connected")
            yield
        finally:
            stop.set()
            await asyncio.wait_for(task, 30)
