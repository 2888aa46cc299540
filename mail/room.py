"""The mailroom's loop: one long connection, IDLE bounded, a search that does not depend on it, an outbox, a lease.

Three tasks beside each other: the reader (mailbox -> judgements), and one dispatcher each for signals and mails, so that a slow
mail server never holds up a decision. Blocking work runs in threads; the loop only coordinates. A watchdog cuts the
connection when nothing gets on, and gives the reader's thread up when even that does not help.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from mail.dispatch import Dispatcher
from mail.errors import ImapError, ImapLoginRefused, ImapUnreachable, TokenError
from mail.filing import Filing
from mail.forgetting import Forgetting, Retention
from mail.imap import ImapSettings, Mailbox
from mail.imap_login import Link
from mail.poll import Polled, ReadingRules, look_for_probes, poll_once
from mail.ports import Judge, Progress, Report
from mail.probes import AWAITED_SECONDS, LOOK_SECONDS, Prober
from mail.reconnect import Patience, Retries
from mail.threads import in_thread
from mail.watchdog import Watchdog

CLOSING_SECONDS = 5.0
"""How long a connection may take to end in order."""


@dataclass(frozen=True)
class RoomSettings:
    """How the room waits. ``poll_seconds`` is the pause where IDLE is off or missing.

    ``idle_seconds`` bounds one IDLE. It also bounds how far "read past" lags, and with it how long after a deadline a run waits
    to be told that no answer came; so it is far below what servers allow. ``stall_seconds`` without an answered command, and
    the connection is cut; it is above the socket's own timeout, which a server that sends a byte now and then never reaches.
    ``archive_after`` the end of a run its folder goes to the archive; None: never.
    """

    imap: ImapSettings
    rules: ReadingRules
    holder: str
    lease_seconds: float = 10.0
    idle_seconds: float = 25.0
    poll_seconds: float = 15.0
    use_idle: bool = True
    outbox_seconds: float = 1.0
    stall_seconds: float = 180.0
    archive_after: timedelta | None = timedelta(days=30)
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True)
class RoomPorts:
    """The surroundings of the room. ``in_force`` gives the rules as they are now, asked before every poll.

    ``prober`` measures the mail server's clock; without one nobody does. ``retention`` erases what is due; without: nothing is.
    """

    judge: Judge
    progress: Progress
    dispatcher: Dispatcher
    report: Report
    now: Callable[[], datetime]
    jitter: Callable[[], float]
    in_force: Callable[[ReadingRules], ReadingRules] = lambda rules: rules
    clock: Callable[[], float] = time.monotonic
    prober: Prober | None = None
    retention: Retention | None = None


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
        self._looked: datetime | None = None
        self._hurry = asyncio.Event()
        self._measured = False
        self._link = Link()
        self._watchdog = Watchdog(settings.stall_seconds, ports.clock)
        self._session_task: asyncio.Task[None] | None = None
        self._working_since: float | None = None
        self._token_trouble = ""

    async def run(self) -> None:
        """All tasks, until stopped."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hold_lease())
            tasks.create_task(self._read())
            tasks.create_task(self._dispatch("signal"))
            tasks.create_task(self._dispatch("mail"))
            tasks.create_task(self._watch())
            tasks.create_task(self._cut_at_stop())
            if self._ports.prober is not None:
                tasks.create_task(self._measure_clock(self._ports.prober))

    async def _cut_at_stop(self) -> None:
        await self._stop.wait()
        self._active.set()
        self._wake_dispatchers()
        if self._mailbox is not None:
            self._mailbox.wake()
        if self._session_task is not None and not self._session_task.done():
            _, still_at_it = await asyncio.wait({self._session_task}, timeout=CLOSING_SECONDS)
            if still_at_it:
                self._link.cut()

    async def _watch(self) -> None:
        """Cut the connection when nothing gets on; give the reader's thread up when it stays so."""
        cut: Link | None = None
        while not self._stop.is_set():
            stall = self._watchdog.stall()
            if stall is not None:
                again = cut is self._link
                facts = {"doing": stall.doing, "seconds": round(stall.seconds, 1), "thread_given_up": again}
                self._ports.report("stalled", facts)
                cut = self._link
                cut.cut()
                if again and self._session_task is not None:
                    self._session_task.cancel()
            await self._pause(self._settings.stall_seconds / 10)

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
        retries = Retries(self._settings.patience, self._ports.jitter)
        while not self._stop.is_set():
            await self._active.wait()
            if self._stop.is_set():
                return
            error = await self._one_session()
            if error is None or self._stop.is_set():
                continue
            worked = 0.0 if self._working_since is None else self._ports.clock() - self._working_since
            wait = retries.wait_after(error, worked)
            self._ports.report(_kind(error), {"error": f"{type(error).__name__}: {error}", "retry_in": round(wait, 2)})
            await self._pause(wait)

    async def _one_session(self) -> Exception | None:
        """One connection from login to end, and what broke it. Nothing was passed over: cursor and evidence move together."""
        self._link, self._working_since = Link(), None
        self._session_task = session = asyncio.create_task(self._session(self._link))
        try:
            await asyncio.wait({session})
        finally:
            session.cancel()
            self._watchdog.rest()
        error: BaseException | None
        if session.cancelled():
            error = ImapUnreachable("given up: neither an answer nor the end of the connection brought the reader back")
        else:
            error = session.exception()
        if error is not None:
            self._link.cut()  # no farewell to a server that may not hear it
        await self._disconnect()
        if error is not None and not isinstance(error, Exception):
            raise error
        return error

    async def _session(self, link: Link) -> None:
        """One connection, until it breaks, the lease is lost or its token ends."""
        rules = self._settings.rules
        self._watchdog.begin("connecting")
        self._mailbox = mailbox = await in_thread(Mailbox, self._settings.imap, link, self._watchdog.step)
        selected = await in_thread(mailbox.select, rules.folder)
        idle = self._settings.use_idle and await in_thread(mailbox.has, "IDLE")
        archive_after = self._settings.archive_after
        filing = Filing(self._ports.progress, rules.name, selected.uidvalidity, archive_after, self._looked)
        again_from: int | None = await in_thread(filing.resume, self._ports.now())
        retention = self._ports.retention
        forgetting = None if retention is None else Forgetting(retention)
        self._ports.report("connected", {"folder": rules.folder, "uidvalidity": selected.uidvalidity, "idle": idle})
        await self._await_probe(mailbox, selected.uidnext)
        while self._active.is_set() and not self._stop.is_set():
            self._watchdog.begin("reading")
            await self._poll(mailbox, filing, again_from)
            again_from = None
            if self._working_since is None:
                self._working_since = self._ports.clock()
            if self._stop.is_set() or await self._must_renew(mailbox):
                return
            await self._tidy(mailbox, filing)
            if filing.pending or (forgetting is not None and await self._forget(mailbox, forgetting)):
                continue
            if idle:
                self._watchdog.begin("waiting for mail", self._settings.idle_seconds)
                await in_thread(mailbox.idle, self._patience(self._settings.idle_seconds))
            else:
                self._watchdog.rest()
                await self._rest(self._patience(self._settings.poll_seconds))

    def _patience(self, usual: float) -> float:
        """How long to wait for mail: a probe on its way is looked for every second, since that bounds the skew."""
        prober = self._ports.prober
        return min(usual, 1.0) if prober is not None and prober.hurries else usual

    async def _await_probe(self, mailbox: Mailbox, uidnext: int) -> None:
        """At the start and on a new connection nothing is judged before the clock is measured: what came in a long pause would
        be kept back, and a server that comes back with a wrong clock would be believed.

        Not for long: a probe that does not come back holds up no rejection.
        """
        prober = self._ports.prober
        if prober is None:
            return
        if self._measured:
            prober.reconnected()
        self._watchdog.begin("waiting for the probe of the clock", AWAITED_SECONDS)
        rules = await in_thread(self._ports.in_force, self._settings.rules)
        end = self._ports.clock() + AWAITED_SECONDS
        while not self._stop.is_set() and await in_thread(lambda: prober.awaited) and self._ports.clock() < end:
            await in_thread(mailbox.noop)
            await in_thread(look_for_probes, mailbox, uidnext, rules)
            await self._pause(0.1)
        self._measured = True

    async def _measure_clock(self, prober: Prober) -> None:
        """Probe the mail server's clock when that is due, and have the reader look out for it at once."""
        while not self._stop.is_set():
            await self._active.wait()
            if self._stop.is_set():
                return
            try:
                sent = await in_thread(prober.tick)
            except Exception as error:  # the ledger is down or the policy cannot be read: tried again
                self._ports.report("clock_probe_failed", {"error": f"{type(error).__name__}: {error}"})
                sent = False
            if sent:
                self._hurry.set()
                if self._mailbox is not None:
                    self._mailbox.wake()
            await self._pause(LOOK_SECONDS)

    async def _must_renew(self, mailbox: Mailbox) -> bool:
        """Is the token about to end, and the next one at hand? Without one the connection is kept while the server does."""
        tokens = self._settings.imap.tokens
        if tokens is None or not mailbox.token_due():
            return False
        try:
            await in_thread(tokens.token)
        except TokenError as error:
            if str(error) != self._token_trouble:
                self._ports.report("token_failed", {"error": str(error)})
            self._token_trouble = str(error)
            return False
        self._token_trouble = ""
        self._ports.report("renewing", {"reason": "the access token is about to end"})
        return True

    async def _poll(self, mailbox: Mailbox, filing: Filing, again_from: int | None) -> None:
        ports = self._ports
        rules = await in_thread(ports.in_force, self._settings.rules)
        loop = asyncio.get_running_loop()

        def committed() -> None:
            loop.call_soon_threadsafe(self._wake_dispatchers)

        given = (mailbox, filing.uidvalidity, ports.judge, ports.progress, rules, ports.now)
        polled = await in_thread(poll_once, *given, committed, again_from)
        filing.add(polled)
        self._report_judged(polled)

    async def _tidy(self, mailbox: Mailbox, filing: Filing) -> None:
        """One short step of what people see in folders; then the reader looks for mail again."""
        try:
            done = await in_thread(filing.step, mailbox, self._settings.rules.folder, self._ports.now())
        finally:
            self._looked = filing.looked
        for problem in done.problems:
            self._ports.report("move_failed", {"error": problem})
        if done.filed:
            self._ports.report("filed", {"mails": done.filed})
        if done.archived:
            self._ports.report("archived", {"folders": done.archived})

    async def _forget(self, mailbox: Mailbox, forgetting: Forgetting) -> bool:
        """One short step of what retention asks for; whether there is more to do at once."""
        done = await in_thread(forgetting.step, mailbox, self._settings.rules.folder, self._ports.now())
        for problem in done.problems:
            self._ports.report("erase_failed", {"error": problem})
        if done.erased or done.folders:
            self._ports.report("erased", {"runs": done.erased, "folders": done.folders})
        return forgetting.pending

    def _report_judged(self, polled: Polled) -> None:
        for item in polled.handled:
            facts = item.judgement.model_dump(mode="json", exclude_defaults=True)
            self._ports.report("judged", {"uid": item.uid, "from": item.parsed.from_addresses[:1], **facts})

    async def _disconnect(self) -> None:
        mailbox, self._mailbox = self._mailbox, None
        if mailbox is None:
            return
        try:
            await asyncio.wait_for(in_thread(mailbox.close), CLOSING_SECONDS)
        except TimeoutError:
            self._link.cut()

    async def _dispatch(self, kind: Literal["signal", "mail"]) -> None:
        """Deliver at once what this room's polls queued, and every ``outbox_seconds`` what other processes did."""
        event = self._wake[kind]
        while not self._stop.is_set():
            await self._active.wait()
            event.clear()
            try:
                if await self._ports.dispatcher.dispatch(kind):
                    continue  # one page of a long row, maybe
            except Exception as error:  # the ledger is down; items stay pending
                self._ports.report("outbox_failed", {"kind": kind, "error": str(error)})
            try:
                await asyncio.wait_for(event.wait(), self._settings.outbox_seconds)
            except TimeoutError:
                continue

    async def _rest(self, seconds: float) -> None:
        """Wait, but not beyond the stop or a probe that was sent."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._stop, self._hurry)]
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        self._hurry.clear()

    async def _pause(self, seconds: float) -> None:
        """Wait, but not beyond the stop."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return


def _kind(error: Exception) -> str:
    """Under which name trouble is reported."""
    if isinstance(error, ImapLoginRefused):
        return "login_refused"
    return "mailbox_failed" if isinstance(error, ImapError) else "reading_failed"
