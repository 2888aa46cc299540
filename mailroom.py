"""The mailroom: a process of its own that turns replies into decisions. Run as ``python mailroom.py [--state DIR]``.

It needs the mailbox and the ledger; while Temporal is down, evidence is kept and its signals wait in the outbox.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.service import RPCError, RPCStatusCode

from ledger.errors import LedgerError
from ledger.judging import IncomingMail
from ledger.store import Ledger, open_ledger
from mail.dispatch import Dispatcher
from mail.dkim_sign import make_signer
from mail.dns import make_resolver
from mail.poll import ReadingRules
from mail.ports import ReceivedMail
from mail.probes import Prober
from mail.room import RoomPorts, RoomSettings, run_room
from mail.smtp import SmtpSettings, send
from mail_accounts import imap_account, smtp_account
from policies.rulebook import policy_version
from policies.trust import trust_of
from settings import Settings, dkim_key, load_policy, load_settings
from wire.approval import Judgement
from wire.mail import Delivered
from wire.policy import Policy
from wire.task import FINAL_STATES, RunState

GONE = frozenset({RPCStatusCode.NOT_FOUND})
"""What Temporal answers for a run that has ended: the ledger keeps the evidence, nobody is left to wake."""
EXECUTION_ENDED = "execution_ended"
PROBE_SECONDS = 60.0
LOUD = frozenset(
    {"clock_not_trusted", "clock_probe_failed", "clock_probe_missing", "clock_probe_unknown", "own_clock_set"}
)


def now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


class LedgerJudge:
    """The gates of the ledger under the policy file as it stands at each poll."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        """Which of these are ours."""
        return self._ledger.ours_among(message_ids, addresses)

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """Judge the mails of one poll in one transaction."""
        incoming = [
            IncomingMail(
                raw=m.raw,
                parsed=m.parsed,
                authenticity=m.authenticity,
                received_at=m.received_at,
                mailbox=self._settings.imap.user,
            )
            for m in mails
        ]
        policy = load_policy(self._settings)
        self._ledger.in_force = policy_version(policy)
        return self._ledger.judge_batch(incoming, policy, at)


class LedgerRetention:
    """Erases what policy keeps no longer. A run that cannot be erased is told once and holds up no other."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._refused: set[str] = set()

    def erase_due(self, at: datetime, limit: int) -> int:
        """Erase up to ``limit`` due runs, each in a transaction of its own."""
        policy = load_policy(self._settings)
        done = 0
        while not done and (due := self._due(policy, at, limit)):
            done = sum(self._erase(run_id, policy, at) for run_id in due)
        if not done:
            self._ledger.sweep_contents(policy, at)
        return done

    def _due(self, policy: Policy, at: datetime, limit: int) -> list[str]:
        due = self._ledger.due_runs(policy, at, limit + len(self._refused))
        return [run_id for run_id in due if run_id not in self._refused][:limit]

    def _erase(self, run_id: str, policy: Policy, at: datetime) -> bool:
        try:
            self._ledger.erase(run_id, policy, "mailroom", "housekeeping", "retention", at)
        except (LedgerError, ValueError) as error:  # ValueError: a row that somebody altered is of no form of ours
            self._refused.add(run_id)
            report("erase_refused", {"run_id": run_id, "error": str(error).partition("\n")[0]})
            return False
        return True

    def folders_to_erase(self, limit: int) -> Sequence[tuple[str, datetime]]:
        """Erased runs whose mails may still be in the mailbox."""
        return self._ledger.folders_to_erase(limit)

    def folders_erased(self, run_id: str, at: datetime) -> None:
        """The mailbox holds nothing of the run any more."""
        self._ledger.folders_erased(run_id, at)


class Engine:
    """Signals runs; connects when first needed and again after a loss, so that the room starts without Temporal."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger
        self._client: Client | None = None

    async def signal(self, run_id: str, payload: dict[str, Any]) -> None:
        """Plain signal, never signal-with-start: a stray decision must not begin a run."""
        if self._client is None:
            self._client = await Client.connect(
                self._settings.temporal_address,
                namespace=self._settings.temporal_namespace,
                data_converter=pydantic_data_converter,
            )
        try:
            await self._client.get_workflow_handle(run_id).signal("decision", payload)
        except RPCError as error:
            if error.status not in GONE:
                raise
            await asyncio.to_thread(end_without_execution, self._ledger, run_id, now())


def end_without_execution(ledger: Ledger, run_id: str, at: datetime) -> None:
    """An open run whose execution Temporal has ended or lost would wait for ever: it halts, or ends if it is cancelled.

    With a write whose outcome nobody recorded it stays as it is: an operator must look that up first.
    """
    unsettled = any(effect.outcome in (None, "unknown") for effect in ledger.effects(run_id))
    if ledger.run(run_id).state in FINAL_STATES:
        return
    kinds = {block.kind for block in ledger.blocks(run_id) if block.step is None}
    if "cancel" in kinds and not unsettled:
        for request in ledger.requests(run_id):
            ledger.withdraw(run_id, request.step, request.review, "cancelled", at)
        ledger.close(run_id, RunState.CANCELLED, "cancelled; its execution in Temporal had ended before", at)
    elif not kinds:
        ledger.halt([run_id], EXECUTION_ENDED, "Temporal has no open execution of it: cancel it and ask again", at)


def report(event: str, facts: dict[str, Any]) -> None:
    """One JSON line per happening; what stops yeses from counting is a warning."""
    level = logging.WARNING if event in LOUD else logging.INFO
    logging.getLogger("mailroom").log(level, "%s %s", event, json.dumps(facts, ensure_ascii=False, default=str))
    if event == "connected":
        sys.stdout.write("mailroom ready\n")
        sys.stdout.flush()


def room_settings(settings: Settings) -> RoomSettings:
    """How the room reads and waits."""
    policy = load_policy(settings)
    return RoomSettings(
        imap=imap_account(settings),
        rules=ReadingRules(
            name=settings.imap.user,
            own_addresses=(settings.mail_from,),
            trust=trust_of(policy, settings.imap.user),
            languages=policy.languages,
            resolve=make_resolver(),
        ),
        holder=f"{socket.gethostname()}/{os.getpid()}",
        archive_after=timedelta(days=settings.mailbox_archive_days) if settings.mailbox_archive_days else None,
    )


def rules_in_force(
    settings: Settings, probe_seen: Callable[[str, datetime], bool] = lambda message_id, stored_at: False
) -> Callable[[ReadingRules], ReadingRules]:
    """Trust and languages follow the policy file while the room runs: a revocation bites without a restart."""

    def in_force(rules: ReadingRules) -> ReadingRules:
        policy = load_policy(settings)
        trust = trust_of(policy, settings.imap.user)
        return replace(rules, trust=trust, languages=policy.languages, probe_seen=probe_seen)

    return in_force


def waking(
    in_force: Callable[[ReadingRules], ReadingRules], settings: Settings, ledger: Ledger
) -> Callable[[ReadingRules], ReadingRules]:
    """The same, and a policy that changed wakes the runs that parked because nobody could be asked."""
    told = ""

    def checked(rules: ReadingRules) -> ReadingRules:
        nonlocal told
        version = policy_version(load_policy(settings))
        if version != told:
            for run_id in ledger.wake_undeliverable(version, now()):
                report("policy_noticed", {"run_id": run_id, "policy_version": version})
            told = version
        return in_force(rules)

    return checked


def make_prober(settings: Settings, ledger: Ledger, smtp: SmtpSettings, sign: Callable[[bytes], bytes]) -> Prober:
    """What measures the clock of the mailbox's server. It does not wait ten minutes for the last word, as requests do."""
    hasty = replace(smtp, final_dot_seconds=PROBE_SECONDS)

    def deliver(raw: bytes, sender: str, recipient: str) -> Delivered:
        return send(sign(raw), sender, recipient, hasty, now)

    policy = partial(load_policy, settings)
    return Prober(ledger, settings.imap.user, settings.mail_from, deliver, policy, report, now, time.monotonic)


async def run_mailroom(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    ledger = open_ledger(settings.ledger, random_epoch=lambda: secrets.token_hex(16))
    smtp = smtp_account(settings)
    sign = make_signer(settings.dkim_domain, settings.dkim.selector, dkim_key(settings))

    def deliver(raw: bytes, sender: str, recipient: str) -> Delivered:
        return send(sign(raw), sender, recipient, smtp, now)

    jitter = random.Random().random
    dispatcher = Dispatcher(ledger, Engine(settings, ledger).signal, deliver, report, now, jitter)
    prober = make_prober(settings, ledger, smtp, sign)
    in_force = waking(rules_in_force(settings, prober.returned), settings, ledger)
    judge = LedgerJudge(settings, ledger)
    retention = LedgerRetention(settings, ledger)
    ports = RoomPorts(judge, ledger, dispatcher, report, now, jitter, in_force, prober=prober, retention=retention)
    await run_room(room_settings(settings), ports, stop)


def main() -> int:
    """Entry point; one line for what stops it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--state", type=Path, default=None, help="state folder (default: COUNTERSIGN_STATE_DIR or ./state)"
    )
    parser.add_argument("--debug", action="store_true", help="show the stack trace of what stops it")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        asyncio.run(run_mailroom(load_settings(arguments.state)))
    except Exception as error:  # one line, whatever it is: a process that dies must say why
        if arguments.debug:
            raise
        sys.stderr.write(f"mailroom: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the SDK's native threads can crash the interpreter while it ends (sdk-python#300)
