"""A write whose answer was lost at a service that keeps no request ids: what the service holds is asked for, once.

Only what proves that the write took effect settles it. By a reference that somebody else wrote into the call it is looked up
only if nothing carried it before the write, which is in the ledger before the write leaves.
"""

from dataclasses import dataclass

from activities.judging import contract_at
from activities.ports import Parts
from activities.reference import is_ours, reference_property
from graph.errors import UnknownEndpoint
from odata.approved import ApprovedCall
from odata.errors import CallError
from odata.look_up import Found, LookUp, judge_look_up, look_up_by_reference, plan_look_up
from wire.call import CallResult, PreparedRequest
from wire.endpoint import EndpointContract, Verb

UNUSED = "reference_unused"


@dataclass(frozen=True)
class Looked:
    """``result`` is what was found, when it proves that the write took effect by ``by``; else ``why`` says what is known."""

    result: CallResult | None = None
    by: str = ""
    why: str = ""


def note_reference(parts: Parts, run_id: str, step: int, approved: ApprovedCall) -> PreparedRequest | None:
    """What to ask before the write leaves, so that its reference can name it afterwards; None when nothing needs asking.

    Blocking: bindings and contracts come from the graph.
    """
    name = _foreign_reference(parts, run_id, approved)
    if name is None or _was_unused(parts, run_id, step):
        return None
    reading = _reading(parts, approved)
    return None if reading is None else look_up_by_reference(reading, name, (approved.call.call.payload or {})[name])


def record_unused(parts: Parts, run_id: str, step: int) -> None:
    """Nothing carries the reference of this step's write yet."""
    parts.ledger.note(run_id, UNUSED, {"step": step}, {}, parts.now())


def plan(parts: Parts, run_id: str, step: int, approved: ApprovedCall) -> LookUp | None:
    """How the write can be looked up, if it can (blocking)."""
    call, graph_hash = approved.call.call, approved.call.graph_hash
    reference = reference_property(parts, call.service, call.endpoint, graph_hash)
    reading = _reading(parts, approved)
    found = plan_look_up(reading, call, reference) if reading is not None else None
    by_reference = found is not None and found.by == reference
    if by_reference and _foreign_reference(parts, run_id, approved) and not _was_unused(parts, run_id, step):
        return None
    return found


async def look(parts: Parts, approved: ApprovedCall, planned: LookUp | None) -> Looked:
    """Ask the service. Reads only; whatever goes wrong leaves the outcome unknown."""
    if planned is None:
        return Looked(why="nothing in the call names what it would have made")
    call = approved.call
    client = parts.services.client(call.call.service, approved.contract.version)
    try:
        found = await client.look_up(planned.request)
    except CallError as error:
        return Looked(why=f"looking it up by {planned.by} failed: {error}")
    judged: Found = judge_look_up(call, found)
    if not judged.took_effect:
        return Looked(why=f"looked up by {planned.by}: {judged.why}")
    return Looked(found or CallResult(status=404), planned.by)


def _reading(parts: Parts, approved: ApprovedCall) -> EndpointContract | None:
    """The contract for reading of the set that holds what the write makes; None where none does, or it lacks a reference."""
    call = approved.call.call
    returned = [op.return_set for op in approved.contract.operations if op.return_set]
    holder = call.endpoint if call.method != "ACTION" else returned[0] if returned else None
    if holder is None:
        return None
    try:
        reading = contract_at(parts, call.service, holder, Verb.READ, approved.call.graph_hash)
    except UnknownEndpoint:
        return None
    if call.method != "ACTION":
        return reading
    entity = reading.type(reading.entity_type)
    name = reference_property(parts, call.service, call.endpoint, approved.call.graph_hash)
    return reading if entity is not None and name is not None and entity.property(name) is not None else None


def _foreign_reference(parts: Parts, run_id: str, approved: ApprovedCall) -> str | None:
    """The reference property, when somebody else filled it and the write can be looked up by nothing else."""
    call, graph_hash = approved.call.call, approved.call.graph_hash
    if call.method not in ("POST", "ACTION") or call.path:
        return None
    name = reference_property(parts, call.service, call.endpoint, graph_hash)
    if name is None or (call.payload or {}).get(name) in (None, "") or is_ours(call, run_id, name):
        return None
    entity = approved.contract.type(approved.contract.entity_type)
    keyed = entity is not None and bool(entity.keys) and all((call.payload or {}).get(key) for key in entity.keys)
    return None if keyed else name


def _was_unused(parts: Parts, run_id: str, step: int) -> bool:
    return any(event.kind == UNUSED and event.payload["step"] == step for event in parts.ledger.trail(run_id))
