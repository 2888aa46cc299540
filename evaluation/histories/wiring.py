"""How the product is put together in a history. The product as it is by default; ``mutants`` gives it faults, by injection."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from activities.ports import Parts
from ledger.store import Ledger
from mail.ports import ReceivedMail
from wire.policy import Policy

if TYPE_CHECKING:
    from evaluation.histories.world import World

Activities = Mapping[str, Callable[[Any], Awaitable[Any]]]


@dataclass(frozen=True)
class Wiring:
    """``received`` stands between reading and judging a mail, ``policy`` between the policy file and who reads it."""

    received: "Callable[[ReceivedMail, World], ReceivedMail]" = lambda mail, world: mail
    policy: Callable[[Policy], Policy] = lambda policy: policy
    ledger: Callable[[Ledger], Ledger] = lambda ledger: ledger
    activities: Callable[[Parts], Activities] = lambda parts: {}


PRODUCT = Wiring()
