"""The evidence gate, checks 1 to 5 (design.md section 4): is this mail believed, and about what?

Each check answers None when it has nothing against the mail, else the ruling that ends it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from policies.people import person_of, represented_by, requester_persons, speakers_for
from policies.ruling import Ruling
from wire.approval import Outcome
from wire.mail import Authenticity, ParsedReply
from wire.policy import Policy


@dataclass(frozen=True)
class ReviewKey:
    """Names one review. ``step`` 0 stands for a mail of ours that is about the run as a whole."""

    run_id: str
    step: int
    review: int


@dataclass(frozen=True)
class Named:
    """What a mail names: the review of the strongest place, runs besides its own, and what else was noted."""

    key: ReviewKey
    others: tuple[ReviewKey, ...] = ()
    noted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Voter:
    """Who answered, and the designated approver for whom (the same person, unless a delegate answered)."""

    person: str
    principal: str


@dataclass(frozen=True)
class Claim:
    """Evidence that already holds this Message-ID."""

    key: ReviewKey
    content_digest: str


def name_request(places: Sequence[tuple[str, Sequence[ReviewKey]]]) -> Named | None:
    """The review that a mail names; ``places`` in order of trust. A second review of that run is only noted."""
    found = [(place, key) for place, keys in places for key in keys]
    if not found:
        return None
    place, key = found[0]
    others = tuple(dict.fromkeys(other for _, other in found if other.run_id != key.run_id))
    noted = [
        f"{where} names step {k.step}, review {k.review}" for where, k in found if k.run_id == key.run_id and k != key
    ]
    return Named(key, others, (f"found by {place}", *dict.fromkeys(noted)))


def check_kind(parsed: ParsedReply) -> Ruling | None:
    """Check 1: is it a person's answer, and one that can be read within its budgets?"""
    if parsed.automatic == "bounce":
        return Ruling(Outcome.UNDELIVERABLE, "bounce", 1)
    if parsed.automatic is not None:
        return Ruling(Outcome.IGNORED, parsed.automatic, 1)
    if parsed.unreadable is not None:
        return Ruling(Outcome.REFUSED, f"unreadable: {parsed.unreadable}", 1)
    return None


def check_sender(parsed: ParsedReply, authenticity: Authenticity, policy: Policy) -> Ruling | None:
    """Check 2: does our own server vouch for the one address in From, and did it come straight from there?"""
    if len(parsed.from_addresses) != 1:
        return Ruling(Outcome.REFUSED, "not exactly one From address", 2)
    if not authenticity.authenticated or authenticity.address != parsed.from_addresses[0]:
        return Ruling(Outcome.REFUSED, f"unauthenticated: {authenticity.reason or 'no proof for the From address'}", 2)
    if parsed.through_list:
        return Ruling(Outcome.REFUSED, "came through a list", 2)
    if parsed.sender_address is not None and not _same_person(policy, parsed.sender_address, parsed.from_addresses[0]):
        return Ruling(Outcome.REFUSED, "sent on behalf of the From address", 2)
    return None


def _same_person(policy: Policy, one: str, other: str) -> bool:
    if one == other:
        return True
    person = person_of(policy, one)
    return person is not None and person == person_of(policy, other)


def find_voter(
    policy: Policy, address: str, designated: Iterable[str], requester: str, received_at: datetime
) -> Voter | Ruling:
    """Check 4: a designated approver as a person, or their delegate at receipt; never the requester or a delegate of theirs."""
    person = person_of(policy, address)
    if person is None:
        return Ruling(Outcome.REFUSED, "sender is not a known person", 4)
    requesters = requester_persons(policy, requester)
    represented = represented_by(policy, person.id, received_at)
    if person.id in requesters:
        return Ruling(Outcome.REFUSED, "sender is the requester", 4)
    if person.id in speakers_for(policy, requesters, received_at):
        return Ruling(Outcome.REFUSED, "sender is the requester's delegate", 4)
    allowed = tuple(designated)
    if person.id in allowed:
        return Voter(person.id, person.id)
    principal = next((p for p in represented if p in allowed), None)
    if principal is None:
        return Ruling(Outcome.REFUSED, "sender is no approver of this request", 4)
    return Voter(person.id, principal)


def check_unused(parsed: ParsedReply, named: Named, claim: Claim | None) -> Ruling | None:
    """Check 5: is the evidence unused? ``claim`` is what already holds its Message-ID (or, without one, its content)."""
    same_run = claim is not None and claim.key.run_id == named.key.run_id
    same_content = claim is not None and claim.content_digest == parsed.content_digest
    if same_run and same_content:
        # Before the next question: a redelivered collision must not halt a run again that was released since.
        return Ruling(Outcome.IGNORED, "the same mail again", 5)
    if named.others:
        return Ruling(Outcome.COLLISION, "carries ids of two runs", 5)
    if claim is None:
        return None
    if not same_run:
        return Ruling(Outcome.COLLISION, "evidence was spent in another run", 5)
    return Ruling(Outcome.COLLISION, "other content under a known Message-ID", 5)
