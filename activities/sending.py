"""One write on the wire. Attempted once; a lost answer is looked up, and what stays unknown is said to be unknown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from activities.ports import Parts
from odata.client import ODataClient
from odata.errors import Busy, CallError, NotSent, OutcomeUnknown, Retryable
from odata.verbs import verb_of
from policies.run_identity import repeatability_id
from wire.call import CallResult, ValidatedCall

ATTEMPTS = 5
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0


@dataclass(frozen=True)
class Sent:
    """What came of it. ``replayed``: the service answered from memory, because an earlier attempt had taken effect."""

    outcome: Literal["executed", "failed", "unknown"]
    detail: str = ""
    result: CallResult | None = None
    replayed: bool = False


async def send_once(parts: Parts, call: ValidatedCall, key: str, first_sent: datetime) -> Sent:
    """Send the approved bytes. What provably never took effect is tried again; what may have, is looked up."""
    client = _client(parts, call)
    try:
        result = await _patiently(lambda: _execute(client, call, key, first_sent))
    except OutcomeUnknown as error:
        return await look_up(parts, call, key, first_sent, lost=str(error))
    except CallError as error:
        return Sent("failed", str(error))
    return Sent("executed", result=result)


async def look_up(parts: Parts, call: ValidatedCall, key: str, first_sent: datetime, lost: str = "") -> Sent:
    """What became of a write that may have left: by its repeatability id where the service keeps these, else unknown."""
    if not parts.services.repeatable(call.call.service):
        return Sent("unknown", lost or "an earlier attempt may have taken effect, and the service keeps no request ids")
    client = _client(parts, call)
    try:
        result = await _patiently(lambda: _execute(client, call, key, first_sent))
    except (OutcomeUnknown, Retryable) as error:
        return Sent("unknown", str(error))
    except CallError as error:
        return Sent("failed", str(error))
    return Sent("executed", result=result, replayed=True)


async def _execute(client: ODataClient, call: ValidatedCall, key: str, first_sent: datetime) -> CallResult:
    return await client.execute(call.request, repeatability_id=repeatability_id(key), first_sent=first_sent)


async def _patiently(act: Callable[[], Awaitable[CallResult]]) -> CallResult:
    """Repeat only what took no effect (never sent, or refused as busy), with growing pauses."""
    pause = FIRST_PAUSE
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await act()
        except (NotSent, Busy) as error:
            if attempt == ATTEMPTS:
                raise
            asked = error.retry_after if isinstance(error, Busy) and error.retry_after else pause
            await asyncio.sleep(min(asked, LONGEST_PAUSE))
            pause *= 2
    raise AssertionError("the loop returns or raises")


def _client(parts: Parts, call: ValidatedCall) -> ODataClient:
    contract = parts.graphs.at(call.graph_hash).contract(
        call.call.service, call.call.endpoint, verb_of(call.call.method)
    )
    return parts.services.client(call.call.service, contract.version)
