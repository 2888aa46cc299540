"""A mailroom as a process of its own, over a mailbox and a ledger that are given; signals are written down, not sent.

``python -m evaluation.mailroom.room_process --ledger URL --policy FILE --imap HOST:PORT --user NAME --password WORD``. Every
event is one JSON line on standard output, with the time (Unix seconds) and, at the end, what the process used.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.mailroom.mails import APPROVALS
from evaluation.mailroom.world import LedgerJudge
from ledger.store import open_ledger
from mail.dispatch import Dispatcher
from mail.imap import ImapSettings
from mail.poll import ReadingRules
from mail.room import RoomPorts, RoomSettings, run_room
from wire.mail import Delivered
from wire.policy import Policy

KEPT = ("run_id", "evidence_id", "outcome", "error", "mails", "folders", "polls")


def now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


def say(event: str, facts: dict[str, Any]) -> None:
    """One line a happening."""
    kept = {key: facts[key] for key in KEPT if key in facts}
    sys.stdout.write(json.dumps({"event": event, "at": time.time(), **kept}) + "\n")
    sys.stdout.flush()


async def take_signal(run_id: str, payload: dict[str, Any]) -> None:
    """The engine's place."""
    say("signalled", {"run_id": run_id, "evidence_id": payload["evidence_id"]})


def deliver(raw: bytes, sender: str, recipient: str) -> Delivered:
    """The mail server's place: notices go nowhere."""
    return Delivered(accepted_at=now().isoformat(), response="250 ok")


async def serve(given: argparse.Namespace, changed: Callable[[RoomPorts], RoomPorts] = lambda ports: ports) -> None:
    """Run the room until SIGTERM. ``changed`` may put something between the room and its surroundings."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    policy = Policy.model_validate_json(given.policy.read_bytes())
    ledger = open_ledger(given.ledger, random_epoch=lambda: "evaluation")
    host, _, port = given.imap.rpartition(":")
    imap = ImapSettings(host, int(port), given.user, given.password, timeout_seconds=120)
    rules = ReadingRules("approvals", (APPROVALS,), policy.trust, policy.languages)
    waits = {"idle_seconds": given.idle_seconds, "lease_seconds": given.lease_seconds}
    settings = RoomSettings(imap, rules, holder=given.holder, **waits)
    jitter = random.Random(1).random
    dispatcher = Dispatcher(ledger, take_signal, deliver, say, now, jitter)
    polls = 0

    def counted(rules: ReadingRules) -> ReadingRules:
        nonlocal polls
        polls += 1
        return rules

    ports = RoomPorts(LedgerJudge(ledger, policy), ledger, dispatcher, say, now, jitter, counted)
    await run_room(settings, changed(ports), stop)
    say("ended", {"polls": polls})


def peak_mebibytes() -> float:
    """Most resident memory so far. ``ru_maxrss`` would count the parent's, which a child has until it starts its program."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.mailroom.room_process", description=__doc__)
    for name in ("--ledger", "--imap", "--user", "--password"):
        parser.add_argument(name, required=True)
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--holder", default="room")
    parser.add_argument("--idle-seconds", type=float, default=25.0)
    parser.add_argument("--lease-seconds", type=float, default=10.0)
    return parser


if __name__ == "__main__":
    asyncio.run(serve(make_parser().parse_args()))
    used = resource.getrusage(resource.RUSAGE_SELF)
    facts = {"mebibytes": peak_mebibytes(), "cpu_seconds": used.ru_utime + used.ru_stime}
    sys.stdout.write(json.dumps({"event": "used", "at": time.time(), **facts}) + "\n")
    sys.stdout.flush()
    os._exit(0)
