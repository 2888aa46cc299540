"""The dispatch gate (design.md section 4): the last look before a write, and check 9."""

from collections.abc import Iterable
from dataclasses import dataclass

from wire.call import ValidatedCall


@dataclass(frozen=True)
class DispatchFacts:
    """What the ledger holds for one intent. ``principals`` are the distinct approvers whose proven YES counts;
    ``record_faults`` is what the audit chain holds against these rows.
    """

    requested_digest: str
    call_digest: str
    quorum: int
    principals: frozenset[str]
    broken_evidence: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    live: bool = True
    newest: bool = True
    run_closed: bool = False
    other_effect: bool = False
    record_faults: tuple[str, ...] = ()


def refusals(facts: DispatchFacts) -> tuple[str, ...]:
    """Every reason against inserting the intent row; empty when it may be inserted."""
    found = [
        ("the run is closed", facts.run_closed),
        ("another review is the newest", not facts.newest),
        ("the review was withdrawn or superseded", not facts.live),
        ("the call is not the one that was put to the approver", facts.requested_digest != facts.call_digest),
        ("the step has an effect already", facts.other_effect),
        (f"{len(facts.principals)} of {facts.quorum} approvals", len(facts.principals) < facts.quorum),
    ]
    return (
        *(reason for reason, holds in found if holds),
        *(f"blocked: {kind}" for kind in facts.blocks),
        *(f"evidence {evidence_id} does not hold" for evidence_id in facts.broken_evidence),
        *(f"the record does not prove it: {fault}" for fault in facts.record_faults),
    )


def check_drift(
    approved: ValidatedCall, now: ValidatedCall | None, voters: Iterable[str], may_approve_now: Iterable[str]
) -> tuple[str, ...]:
    """Check 9: the same verdict, the same bytes, and approvers who may still approve; else what drifted.

    ``now`` is the call validated against metadata, code lists, ETag and policy as they are at dispatch, None if it is
    no longer valid. A version that changed none of these drifts nothing.
    """
    found = []
    if now is None:
        found.append("the call is no longer valid")
    elif now.digest != approved.digest:
        found.append("the call's bytes are no longer the approved ones")
    elif now.undecided != approved.undecided:
        found.append("what validation leaves undecided is no longer what the approver saw")
    allowed = frozenset(may_approve_now)
    found.extend(f"{voter} may no longer approve this call" for voter in sorted(set(voters) - allowed))
    return tuple(found)
