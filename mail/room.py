"""The mailroom's loop: one long connection, IDLE bounded, a search that does not depend on it, an outbox, a lease.

Three tasks beside each other: the reader (mailbox -> judgements), and one dispatcher each for signals and mails, so that a slow
mail server never holds up a decision. Blocking work runs in threads; the loop only coordinates.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from mail.backoff import Backoff
from mail.dispatch import Dispatcher
from mail.errors import ImapError
from mail.imap import ImapSettings, Mailbox
from mail.poll import Polled, ReadingRules, file_away, poll_once
from mail.ports import Judge, Progress, Report


@dataclass(frozen=True)
class RoomSettings:
    """How the room waits. ``poll_seconds`` is the pause where IDLE is off or missing.

    ``idle_seconds`` bounds one IDLE. It also bounds how far "read past" lags, and with it how long after a deadline a run waits
    to be told that no answer came; so it is far below what servers allow.
    """

    imap: ImapSettings
    rules: ReadingRules
    holder: str
    lease_seconds: float = 10.0
    idle_seconds: float = 25.0
    poll_seconds: float = 15.0
    use_idle: bool = True
    outbox_seconds: float = 1.0
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(frozen=True)
class RoomPorts:
    """The surroundings of the room. ``in_force`` gives the rules as they are now, asked before every poll."""

    judge: Judge
    progress: Progress
    dispatcher: Dispatcher
    report: Report
    now: Callable[[], datetime]
    jitter: Callable[[], float]
    in_force: Callable[[ReadingRules], ReadingRules] = lambda rules: rules


async def run_room(settings: RoomSettings, ports: RoomPorts, stop: asyncio.Event) -> None:
    """Run until ``stop`` is set. Trouble with mailbox, ledger or engine is reported and tried again, never raised."""
    await Room(settings, ports, stop).run()


class Room:
    """State of one running mailroom."""

    def __init__(self, settings: RoomSettings, ports: RoomPorts, stop: asyncio.Event) -> None:
        self._settings = settings
        self._ports = ports
        self._stop = stop
        self._active = asyncio.Event()
        self._wake = {"signal": asyncio.Event(), "mail": asyncio.Event()}
        self._mailbox: Mailbox | None = None

    async def run(self) -> None:
        """All tasks, until stopped."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hold_lease())
            tasks.create_task(self._read())
            tasks.create_task(self._dispatch("signal"))
            tasks.create_task(self._dispatch("mail"))
            tasks.create_task(self._cut_at_stop())

    async def _cut_at_stop(self) -> None:
        await self._stop.wait()
        self._active.set()
        self._wake_dispatchers()
        if self._mailbox is not None:
            self._mailbox.wake()

    def _wake_dispatchers(self) -> None:
        for event in self._wake.values():
            event.set()

    async def _hold_lease(self) -> None:
        """Take and renew the lease; without it nothing is read or dispatched. Given back at the stop."""
        ttl = timedelta(seconds=self._settings.lease_seconds)
        before: bool | None = None
        while not self._stop.is_set():
            try:
                held = await asyncio.to_thread(
                    self._ports.progress.acquire_lease, "mailroom", self._settings.holder, ttl, self._ports.now()
                )
            except Exception as error:  # the ledger is down: report, and act on nothing meanwhile
                self._ports.report("lease_failed", {"error": str(error)})
                held = False
            if held is not before:
                event = "lease_taken" if held else "lease_waited_for" if before is None else "lease_lost"
                self._ports.report(event, {"holder": self._settings.holder})
            before = held
            (self._active.set if held else self._active.clear)()
            await self._pause(self._settings.lease_seconds / 3 if held else 1.0)
        try:
            await asyncio.to_thread(
                self._ports.progress.release_lease, "mailroom", self._settings.holder, self._ports.now()
            )
        except Exception as error:  # it runs out by itself
            self._ports.report("lease_failed", {"error": str(error)})

    async def _read(self) -> None:
        """Connect, read, wait; reconnect with backoff."""
        attempt = 0
        while not self._stop.is_set():
            await self._active.wait()
            if self._stop.is_set():
                return
            try:
                connected = time.monotonic()
                await self._session()
            except Exception as error:  # nothing was passed over: cursor and evidence move only together
                if self._stop.is_set():
                    return
                attempt = 0 if time.monotonic() - connected > 60 else attempt
                wait = self._settings.backoff.seconds(attempt, self._ports.jitter)
                kind = "mailbox_failed" if isinstance(error, ImapError) else "reading_failed"
                self._ports.report(kind, {"error": f"{type(error).__name__}: {error}", "retry_in": round(wait, 2)})
                attempt += 1
                await self._pause(wait)
            finally:
                await self._disconnect()

    async def _session(self) -> None:
        """One connection, until it breaks or the lease is lost."""
        self._mailbox = mailbox = await asyncio.to_thread(Mailbox, self._settings.imap)
        selected = await asyncio.to_thread(mailbox.select, self._settings.rules.folder)
        idle = self._settings.use_idle and await asyncio.to_thread(mailbox.has, "IDLE")
        facts = {"folder": self._settings.rules.folder, "uidvalidity": selected.uidvalidity, "idle": idle}
        self._ports.report("connected", facts)
        while self._active.is_set() and not self._stop.is_set():
            await self._poll(mailbox, selected.uidvalidity)
            if self._stop.is_set():
                return
            if idle:
                await asyncio.to_thread(mailbox.idle, self._settings.idle_seconds)
            else:
                await self._pause(self._settings.poll_seconds)

    async def _poll(self, mailbox: Mailbox, uidvalidity: int) -> None:
        ports = self._ports
        rules = await asyncio.to_thread(ports.in_force, self._settings.rules)
        loop = asyncio.get_running_loop()

        def committed() -> None:
            loop.call_soon_threadsafe(self._wake_dispatchers)

        polled = await asyncio.to_thread(
            poll_once, mailbox, uidvalidity, ports.judge, ports.progress, rules, ports.now, committed
        )
        if not polled.handled:
            return
        self._report_judged(polled)
        for problem in await asyncio.to_thread(file_away, mailbox, polled):
            ports.report("move_failed", {"error": problem})
        ports.report("filed", {"mails": len(polled.handled)})

    def _report_judged(self, polled: Polled) -> None:
        for item in polled.handled:
            facts = item.judgement.model_dump(mode="json", exclude_defaults=True)
            self._ports.report("judged", {"uid": item.uid, "from": item.parsed.from_addresses[:1], **facts})

    async def _disconnect(self) -> None:
        mailbox, self._mailbox = self._mailbox, None
        if mailbox is not None:
            await asyncio.to_thread(mailbox.close)

    async def _dispatch(self, kind: Literal["signal", "mail"]) -> None:
        """Deliver at once what this room's polls queued, and every ``outbox_seconds`` what other processes did."""
        event = self._wake[kind]
        while not self._stop.is_set():
            await self._active.wait()
            event.clear()
            try:
                await self._ports.dispatcher.dispatch(kind)
            except Exception as error:  # the ledger is down; items stay pending
                self._ports.report("outbox_failed", {"kind": kind, "error": str(error)})
            try:
                await asyncio.wait_for(event.wait(), self._settings.outbox_seconds)
            except TimeoutError:
                continue

    async def _pause(self, seconds: float) -> None:
        """Wait, but not beyond the stop."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return
