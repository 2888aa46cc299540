"""The policy file as a whole: its version, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from policies.canonical import digest
from wire.policy import Person, Policy


class PolicyError(ValueError):
    """A policy file that cannot be used. The message names each element and what to do."""


def policy_version(policy: Policy) -> str:
    """The file's own version and twelve characters of its content hash, as every event records it."""
    return f"{policy.version}+{digest(policy.model_dump(mode='json'))[:12]}"


def read_policy(data: dict[str, Any], source: str) -> Policy:
    """A policy from parsed TOML. Raises ``PolicyError`` naming ``source`` and every fault at once."""
    try:
        policy = Policy.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise PolicyError(f"{source}: {faults}") from error
    faults = "; ".join(_faults(policy))
    if faults:
        raise PolicyError(f"{source}: {faults}")
    return policy


def person_of(policy: Policy, person_id: str) -> Person | None:
    """The person of that id, or None."""
    return next((p for p in policy.persons if p.id == person_id), None)


def _faults(policy: Policy) -> Iterator[str]:
    known = {p.id for p in policy.persons}
    for person_id, count in Counter(p.id for p in policy.persons).items():
        if count > 1:
            yield f"persons: id '{person_id}' stands {count} times"
    addresses = Counter(a.lower() for p in policy.persons for a in p.addresses)
    yield from (f"persons: address '{a}' belongs to {n} persons" for a, n in addresses.items() if n > 1)
    for index, rule in enumerate(policy.rules):
        for name in (*rule.approvers, *rule.escalate_to):
            if name not in known:
                yield f"rules.{index} ({rule.id}): no person '{name}'"
        if rule.quorum > len(set(rule.approvers)):
            yield f"rules.{index} ({rule.id}): quorum {rule.quorum} of {len(set(rule.approvers))} approvers"
    for field in ("requesters", "operators"):
        yield from (f"{field}: no person '{name}'" for name in getattr(policy, field) if name not in known)
    for index, rule_id in enumerate(r.id for r in policy.rules):
        if rule_id in {r.id for r in policy.rules[:index]}:
            yield f"rules.{index}: id '{rule_id}' stands twice"
    for index, delegation in enumerate(policy.delegations):
        for name in (delegation.from_person, delegation.to_person):
            if name not in known:
                yield f"delegations.{index}: no person '{name}'"
        if delegation.since >= delegation.until:
            yield f"delegations.{index}: since is not before until"
