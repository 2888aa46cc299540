"""Addresses to persons: people are compared as persons, never as strings of an address."""

from datetime import datetime

from wire.policy import Person, Policy


def fold_address(address: str) -> str:
    """Case-folded, without surrounding space or angle brackets."""
    return address.strip().strip("<>").strip().casefold()


def without_plus(address: str) -> str:
    """The folded address without the plus part of its local part."""
    local, at, domain = fold_address(address).rpartition("@")
    return f"{local.partition('+')[0]}{at}{domain}" if at else fold_address(address)


def person_of(policy: Policy, address: str) -> Person | None:
    """The one person who has this address, by exact alias first, then without plus parts. Two candidates are nobody."""
    for form in (fold_address, without_plus):
        wanted = form(address)
        found = [person for person in policy.persons if wanted in {form(alias) for alias in person.addresses}]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def person_by_id(policy: Policy, person_id: str) -> Person | None:
    """The person of that id."""
    return next((person for person in policy.persons if person.id == person_id), None)


def requester_persons(policy: Policy, requester: str) -> frozenset[str]:
    """Every person id that the recorded requester (an id or an address) may stand for; wide on purpose, to exclude."""
    bare = without_plus(requester)
    return frozenset(
        person.id
        for person in policy.persons
        if person.id == requester or bare in {without_plus(alias) for alias in person.addresses}
    ) | {requester}


def represented_by(policy: Policy, person_id: str, at: datetime) -> tuple[str, ...]:
    """Ids of the persons for whom ``person_id`` may answer at that instant, in the order of the policy."""
    return tuple(
        delegation.from_person
        for delegation in policy.delegations
        if delegation.to_person == person_id and delegation.since <= at <= delegation.until
    )
