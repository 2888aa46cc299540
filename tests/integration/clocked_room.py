"""A mailroom that measures the clock of its mail server."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from evaluation.mailroom.world import LedgerJudge
from ledger.judging import IncomingMail
from mail.ports import ReceivedMail
from mail.probes import Prober
from mail.room import RoomPorts
from tests.integration.mail_pair import APPROVALS, now
from tests.integration.mail_room import Office
from wire.approval import Judgement
from wire.policy import Policy

ROOM = "approvals"


class ClockedJudge(LedgerJudge):
    """The ledger, told whose clock a receipt time is of."""

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """As the ledger says."""
        incoming = [
            IncomingMail(
                raw=m.raw, parsed=m.parsed, authenticity=m.authenticity, received_at=m.received_at, mailbox=ROOM
            )
            for m in mails
        ]
        return self.ledger.judge_batch(incoming, self.policy, at)


@dataclass
class ClockedOffice(Office):
    """An office whose policy has a bound on the skew, and whose room sends probes."""

    bound: float = 30.0

    def policy(self) -> Policy:
        """With operators, who are told when a YES is kept back."""
        return super().policy().model_copy(update={"clock_skew_bound_seconds": self.bound})

    def prober(self) -> Prober:
        """Over this office's own mail server."""
        return Prober(self.ledger, ROOM, APPROVALS, self.deliver, self.policy, self.report, now, time.monotonic)

    def ports(self, signal: Any = None) -> RoomPorts:
        """The room's surroundings, with what measures the clock."""
        prober = self.prober()
        return replace(
            super().ports(signal),
            judge=ClockedJudge(self.ledger, self.policy()),
            in_force=lambda rules: replace(rules, probe_seen=prober.returned),
            prober=prober,
        )
