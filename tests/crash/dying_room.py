"""A mailroom process that kills itself in one gap between two steps; run by ``test_mailroom_killed``.

``--die-at``: ``judged`` (the ledger has committed, nothing is signalled, no cursor saved), ``signalled`` (the engine has the
first signal, the outbox does not know), ``read`` (judged, the cursor not saved), ``filed`` (moved, which nobody remembers).
"""

import asyncio
import os
import signal
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from evaluation.mailroom.room_process import make_parser, serve
from mail.ports import Judge, ReceivedMail
from mail.room import RoomPorts
from wire.approval import Judgement

GAPS = ("judged", "signalled", "read", "filed")


def die() -> None:
    """As kill -9 does."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class DyingJudge:
    """Judges one batch, and dies before anybody hears of it."""

    judge: Judge

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        return self.judge.ours_among(message_ids, addresses)

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        self.judge.judge_batch(mails, at)
        die()
        return ()


@dataclass(frozen=True)
class DyingProgress:
    """Dies instead of saving one of the two cursors."""

    progress: Any
    of: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.progress, name)

    def save_cursor(self, mailbox: str, uidvalidity: int, uid: int, at: datetime) -> None:
        if uid and mailbox.endswith(self.of):
            die()
        self.progress.save_cursor(mailbox, uidvalidity, uid, at)


def deadly(ports: RoomPorts, gap: str) -> RoomPorts:
    """The surroundings of a room that dies in ``gap``."""
    if gap == "judged":
        return replace(ports, judge=DyingJudge(ports.judge))
    if gap == "signalled":
        inner = ports.dispatcher.signal

        async def signal_and_die(run_id: str, payload: dict[str, Any]) -> None:
            await inner(run_id, payload)
            die()

        ports.dispatcher.signal = signal_and_die
        return ports
    return replace(ports, progress=DyingProgress(ports.progress, "/filed" if gap == "filed" else "approvals"))


if __name__ == "__main__":
    parser = make_parser()
    parser.add_argument("--die-at", choices=GAPS, required=True)
    given = parser.parse_args()
    asyncio.run(serve(given, lambda ports: deadly(ports, given.die_at)))
