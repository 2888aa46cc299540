"""What is measured of a mailroom on one server: a crowd of replies, replies one by one, logins, folders."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.mailroom.mails import mailbox_mails, reply
from evaluation.mailroom.running import RunningRoom, running_room
from evaluation.mailroom.servers import Server
from evaluation.mailroom.world import open_requests, policy_over
from evaluation.reply_world import Request
from ledger.mailroom import Cursor
from ledger.store import Ledger, open_ledger
from mail.filing import RUNS, Filing
from mail.imap import ImapSettings, Mailbox

IDLE_SECONDS = 25.0
"""The bound of one IDLE that a mailroom has unless told otherwise: what one poll round stands for in steady state."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    replies: int
    strangers: int
    alone: int
    steady_seconds: float
    folders: int
    archived: int


class World:
    """A ledger with open requests, and the mailbox that belongs to it."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.at = datetime.now(UTC)
        self.url = f"sqlite:///{folder / 'ledger.sqlite'}"
        self.ledger: Ledger = open_ledger(self.url, random_epoch=lambda: "evaluation")
        asked = open_requests(self.ledger, size.replies + size.alone, self.at)
        self.crowd, self.later = asked[: size.replies], asked[size.replies :]
        self.policy = folder / "policy.json"
        self.policy.write_text(policy_over(asked, self.at).model_dump_json())
        self.mails = mailbox_mails(self.crowd, size.strangers, self.at, seed=20261130)


@dataclass(frozen=True)
class Crowd:
    """Seconds until all replies were judged and signalled, and until all were filed; what was accepted; what the room used."""

    signalled: float
    filed: float
    accepted: int
    seen_strangers: int
    left: int
    mebibytes: float
    cpu_seconds: float


def measure_crowd(world: World, server: Server) -> Crowd:
    """A mailroom meets the full mailbox for the first time."""
    count = len(world.crowd)
    with running_room(server.imap, world.url, world.policy) as room:
        room.until(lambda r: len(r.of("signalled")) >= count, "signal of every reply", 1800)
        room.until(lambda r: _filed(r) >= count, "filing of every reply", 1800)
        used = room.stop()
    start = room.of("lease_taken")[0]["at"]
    accepted = sum(1 for event in room.of("judged") if event["outcome"] == "accepted")
    left, seen = _inbox(server.imap)
    ends = room.of("signalled")[-1]["at"] - start, room.of("filed")[-1]["at"] - start
    return Crowd(*ends, accepted, seen, left, float(used["mebibytes"]), float(used["cpu_seconds"]))


def _filed(room: RunningRoom) -> int:
    return sum(int(event["mails"]) for event in room.of("filed"))


def _inbox(imap: ImapSettings) -> tuple[int, int]:
    """Mails that are left in the inbox, and those among them that somebody marked as seen."""
    mailbox = Mailbox(imap)
    mailbox.select()
    try:
        return len(mailbox.uids_after(0)), mailbox.count("SEEN")
    finally:
        mailbox.close()


def measure_alone(world: World, server: Server) -> list[float]:
    """Seconds from the server's acceptance of a reply to its signal, one reply after the other, the room idle before each."""
    times = []
    with running_room(server.imap, world.url, world.policy) as room:
        room.until(lambda r: bool(r.of("connected")), "connection")
        for number, request in enumerate(world.later):
            times.append(_answer(room, server, request, 1_000_000 + number))
        room.stop()
    return times


def _answer(room: RunningRoom, server: Server, request: Request, number: int) -> float:
    raw = reply(request, number, datetime.now(UTC), stamped=not server.stamps)
    server.deliver(raw, request.approvers[0], request.address)
    accepted = time.time()
    room.until(lambda r: any(e["run_id"] == request.run_id for e in r.of("signalled")), "signal", 120)
    signalled = next(e["at"] for e in room.of("signalled") if e["run_id"] == request.run_id)
    return max(0.0, float(signalled) - accepted)


def measure_logins(world: World, server: Server, seconds: float) -> tuple[int, int]:
    """Poll rounds of a room whose IDLE is cut short, and logins that the server logged meanwhile."""
    before = server.logins() or 0
    with running_room(server.imap, world.url, world.policy, "--idle-seconds", "0.01") as room:
        room.until(lambda r: bool(r.of("connected")), "connection")
        time.sleep(seconds)
        rounds = int(room.stop()["polls"])
    return rounds, (server.logins() or 0) - before


class AllEnded:
    """The ledger's part where every run ended long ago."""

    def closed_runs(self, run_ids: Collection[str], before: datetime) -> dict[str, datetime]:
        """All of them, in September."""
        return {run_id: datetime(2026, 9, 1 + hash_day(run_id), tzinfo=UTC) for run_id in run_ids}

    def cursor(self, mailbox: str) -> Cursor | None:
        """Nothing was read."""
        return None

    def save_cursor(self, mailbox: str, uidvalidity: int, uid: int, at: datetime) -> None:
        """Nothing is kept."""


def hash_day(run_id: str) -> int:
    """A day of the month, by the run's number."""
    return int(run_id[-2:]) % 28


def measure_folders(server: Server, count: int) -> tuple[float, float]:
    """Seconds to list all run folders, and to archive ``count`` of them by the room's own steps."""
    mailbox = Mailbox(server.imap)
    mailbox.select()
    mailbox.folders.children([RUNS])  # the server's own first look, which would count as ours
    start = time.monotonic()
    mailbox.folders.children([RUNS])
    listed = time.monotonic() - start
    filing = Filing(AllEnded(), "box", 1, timedelta(days=30))  # type: ignore[arg-type]
    at, archived = datetime.now(UTC), 0
    start = time.monotonic()
    while archived < count:
        done = filing.step(mailbox, "INBOX", at)
        if done.problems or not done.archived:
            raise RuntimeError(f"archiving stopped after {archived} folders: {done.problems}")
        archived += done.archived
    spent = (time.monotonic() - start) * count / archived
    mailbox.close()
    return listed, spent
