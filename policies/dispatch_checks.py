"""The dispatch gate (design.md section 4): the last look before a write, and check 9."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from policies.evidence_checks import find_voter
from policies.people import person_by_id
from policies.ruling import Ruling
from wire.call import ValidatedCall
from wire.policy import Policy


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


@dataclass(frozen=True)
class Vote:
    """A YES: who gave it, for which approver (themselves, or who delegated to them), and when our server received it."""

    person: str
    principal: str
    received_at: datetime


def check_approvers(
    policy: Policy, votes: Iterable[Vote], approvers: Iterable[str], quorum: int, requester: str
) -> tuple[str, ...]:
    """Check 9 for people: who said yes may still do so, in their own right or by a delegation that still stands for the
    moment of receipt, and they are as many as policy now asks. ``approvers`` and ``quorum`` are those of the rule as it is now.
    """
    votes, allowed = tuple(votes), tuple(approvers)
    found = []
    for vote in votes:
        person = person_by_id(policy, vote.person)
        address = person.addresses[0] if person else vote.person
        voter = find_voter(policy, address, allowed, requester, vote.received_at)
        if isinstance(voter, Ruling):
            found.append(f"{vote.person} may no longer approve this call: {voter.reason}")
    principals = {vote.principal for vote in votes}
    if len(principals) < quorum:
        found.append(f"policy now asks for {quorum} approvals, there are {len(principals)}")
    return tuple(found)


def check_drift(approved: ValidatedCall, now: ValidatedCall | None) -> tuple[str, ...]:
    """Check 9 for the call: the same verdict and the same bytes; else what drifted.

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
    return tuple(found)
