"""Addresses to persons: people are compared as persons, never as strings of an address."""

from collections.abc import Iterable
from datetime import datetime
from string import ascii_lowercase, ascii_uppercase

from wire.policy import Delegation, Person, Policy

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
ROLE = "role:"
"""Stands before the id of a role where a rule names people."""


def fold_address(address: str) -> str:
    """In lower case, without surrounding space or angle brackets. Only A to Z have case here.

    Case folding of all letters would make ``strasse.example`` of ``straße.example``: to DNS these are two domains (IDNA 2008).
    """
    return address.strip().strip("<>").strip().translate(_LOWER)


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
    bare = without_plus(requester).casefold()
    return frozenset(
        person.id
        for person in policy.persons
        if person.id == requester or bare in {without_plus(alias).casefold() for alias in person.addresses}
    ) | {requester}


def represented_by(policy: Policy, person_id: str, at: datetime) -> tuple[str, ...]:
    """Ids of the persons for whom ``person_id`` may answer at that instant, in the order of the policy."""
    return tuple(
        delegation.from_person
        for delegation in policy.delegations
        if delegation.to_person == person_id and delegation.since <= at <= delegation.until
    )


def speakers_for(policy: Policy, persons: Iterable[str], at: datetime | None = None) -> frozenset[str]:
    """These persons and everybody whom a chain of delegations lets speak for them; at that instant, or ever when None."""
    found = set(persons)
    while True:
        more = {d.to_person for d in policy.delegations if d.from_person in found and _in_force(d, at)} - found
        if not more:
            return frozenset(found)
        found |= more


def _in_force(delegation: Delegation, at: datetime | None) -> bool:
    return at is None or delegation.since <= at <= delegation.until


def persons_named(policy: Policy, names: Iterable[str]) -> tuple[str, ...]:
    """Person ids of a list of persons and roles, each once, in order."""
    roles = {role.id: role.members for role in policy.roles}
    found = [
        person
        for name in names
        for person in (roles.get(name.removeprefix(ROLE), ()) if name.startswith(ROLE) else (name,))
    ]
    return tuple(dict.fromkeys(found))
