"""The outbox: what a committed transaction owes is delivered at least once; its receivers make once out of that."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from mail.backoff import Backoff
from mail.compose import compose
from mail.errors import ComposeError, SmtpError, SmtpRefused
from mail.ports import Deliver, Outbox, Report, Signal
from wire.approval import MailContent, OutboxItem


@dataclass
class Dispatcher:
    """Delivers pending items of both kinds. One that fails waits longer each time and holds up no other.

    Signals wait seconds at most: somebody has decided, and the engine is ours; a mail server may want minutes.
    """

    outbox: Outbox
    signal: Signal
    deliver: Deliver
    report: Report
    now: Callable[[], datetime]
    jitter: Callable[[], float]
    backoff: Backoff = Backoff(0.5, 300.0)
    signal_backoff: Backoff = Backoff(0.5, 10.0)
    _not_before: dict[int, datetime] = field(default_factory=dict)

    async def dispatch(self, kind: Literal["signal", "mail"]) -> int:
        """Deliver what is due of ``kind``; answers how many items are done now."""
        items = await asyncio.to_thread(self.outbox.pending_outbox, kind)
        self._forget({item.id for item in items} if len(items) < 100 else None)
        delivered = 0
        for item in items:
            if self._not_before.get(item.id, self.now()) <= self.now():
                delivered += await (self._signal(item) if kind == "signal" else self._mail(item))
        return delivered

    def _forget(self, pending: set[int] | None) -> None:
        # Ids of both kinds stand here; those of the other kind are simply tried once more.
        if pending is not None and len(self._not_before) > 1000:
            self._not_before = {key: value for key, value in self._not_before.items() if key in pending}

    async def _signal(self, item: OutboxItem) -> int:
        try:
            await self.signal(item.run_id or "", item.payload)
        except Exception as error:  # whatever the engine's client raises: recorded, tried again
            await self._failed(item, error)
            return 0
        return await self._done(item)

    async def _mail(self, item: OutboxItem) -> int:
        try:
            content = MailContent.model_validate(item.payload)
            raw = compose(content)
            await asyncio.to_thread(self.deliver, raw, content.from_address, content.to_address)
        except (SmtpRefused, ComposeError, ValueError) as error:
            await self._failed(item, error)
            self.report("mail_undeliverable", {"key": item.key, "error": str(error)})
            await asyncio.to_thread(self.outbox.done, item.id, self.now())
            return 0
        except SmtpError as error:
            await self._failed(item, error)
            return 0
        return await self._done(item)

    async def _done(self, item: OutboxItem) -> int:
        await asyncio.to_thread(self.outbox.done, item.id, self.now())
        self._not_before.pop(item.id, None)
        self.report(f"{item.kind}_sent", {"key": item.key, "run_id": item.run_id})
        return 1

    async def _failed(self, item: OutboxItem, error: Exception) -> None:
        backoff = self.signal_backoff if item.kind == "signal" else self.backoff
        wait = backoff.seconds(item.attempts, self.jitter)
        self._not_before[item.id] = self.now() + timedelta(seconds=wait)
        await asyncio.to_thread(self.outbox.failed, item.id, f"{type(error).__name__}: {error}"[:500], self.now())
        self.report(
            f"{item.kind}_failed", {"key": item.key, "run_id": item.run_id, "error": str(error), "retry_in": wait}
        )
