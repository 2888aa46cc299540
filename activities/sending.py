"""One write on the wire. Attempted once; a lost answer is looked up, and what stays unknown is said to be unknown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from activities import lost_answers
from activities.guard import off_loop
from activities.ports import Parts
from odata.approved import ApprovedCall
from odata.errors import Busy, CallError, NotSent, OutcomeUnknown, Retryable
from policies.run_identity import repeatability_id
from wire.call import CallResult

ATTEMPTS = 5
FIRST_PAUSE = 0.5
PATIENCE = 200.0
"""Seconds that a write waits in all for a busy service: well within its activity's time."""


@dataclass(frozen=True)
class Sending:
    """An approved write, whose it is, and under which effect key it leaves; every attempt names the same first sending."""

    approved: ApprovedCall
    run_id: str
    step: int
    key: str
    first_sent: datetime

    @property
    def service(self) -> str:
        """Where it goes."""
        return self.approved.call.call.service


@dataclass(frozen=True)
class Sent:
    """What came of it. ``replayed``: the service answered from memory, because an earlier attempt had taken effect;
    ``looked_up``: the answer was lost, and this is what the effect was found by.
    """

    outcome: Literal["executed", "failed", "unknown"]
    detail: str = ""
    result: CallResult | None = None
    replayed: bool = False
    looked_up: str = ""


async def send_once(parts: Parts, sending: Sending) -> Sent:
    """Send the approved bytes. What provably never took effect is tried again; what may have, is looked up."""
    try:
        await _before(parts, sending)
        result = await _patiently(lambda: _execute(parts, sending))
    except OutcomeUnknown as error:
        return await look_up(parts, sending, lost=str(error))
    except CallError as error:
        return Sent("failed", str(error))
    return Sent("executed", result=result)


async def look_up(parts: Parts, sending: Sending, lost: str = "an earlier attempt may have taken effect") -> Sent:
    """What became of a write that may have left: by its request id where the service keeps these, else by what is there."""
    if not parts.services.repeatable(sending.service):
        planned = await off_loop(lost_answers.plan, parts, sending.run_id, sending.step, sending.approved)
        looked = await lost_answers.look(parts, sending.approved, planned)
        if looked.result is None:
            return Sent("unknown", f"{lost}; {looked.why}")
        return Sent("executed", lost, looked.result, looked_up=looked.by)
    try:
        result = await _patiently(lambda: _execute(parts, sending))
    except (OutcomeUnknown, Retryable) as error:
        return Sent("unknown", str(error))
    except CallError as error:
        return Sent("failed", str(error))
    return Sent("executed", result=result, replayed=True)


async def look_only(parts: Parts, sending: Sending) -> lost_answers.Looked:
    """What the service holds of a write, by reading alone: nothing is sent again, also where request ids would let it."""
    planned = await off_loop(lost_answers.plan, parts, sending.run_id, sending.step, sending.approved)
    return await lost_answers.look(parts, sending.approved, planned)


async def _before(parts: Parts, sending: Sending) -> None:
    """At a service without request ids: see whether the call's reference can name what it is about to make."""
    if parts.services.repeatable(sending.service):
        return
    request = await off_loop(lost_answers.note_reference, parts, sending.run_id, sending.step, sending.approved)
    if request is None:
        return
    client = parts.services.client(sending.service, sending.approved.contract.version)
    try:
        found = await client.read(request, max_pages=1)
    except CallError:
        # The write itself may still succeed; it only could not be looked up by its reference.
        return
    if not found.data:
        await off_loop(lost_answers.record_unused, parts, sending.run_id, sending.step)


async def _execute(parts: Parts, sending: Sending) -> CallResult:
    client = parts.services.client(sending.service, sending.approved.contract.version)
    return await client.execute(
        sending.approved, repeatability_id=repeatability_id(sending.key), first_sent=sending.first_sent
    )


async def _patiently(act: Callable[[], Awaitable[CallResult]]) -> CallResult:
    """Repeat only what took no effect (never sent, or refused as busy), after as long as the service asks for.

    One that asks for more time than there is gets no second request before it: the error says when to come again.
    """
    pause, left = FIRST_PAUSE, PATIENCE
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await act()
        except (NotSent, Busy) as error:
            asked = error.retry_after if isinstance(error, Busy) and error.retry_after is not None else pause
            if attempt == ATTEMPTS or asked > left:
                raise
            await asyncio.sleep(asked)
            pause, left = pause * 2, left - asked
    raise AssertionError("the loop returns or raises")
