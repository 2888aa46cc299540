"""The policy file as a whole: its version, and reading it or saying all that is wrong with it."""

from typing import Any

from pydantic import ValidationError

from policies.canonical import digest
from policies.lint import Finding, find_errors
from wire.policy import Person, Policy


class PolicyError(ValueError):
    """A policy file that cannot be used. The message names each element and what to do."""


def policy_version(policy: Policy) -> str:
    """The file's own version and twelve characters of its content hash, as every event records it.

    What stands at its default is left out, so that a field that a newer release adds is no change of the policy.
    """
    return f"{policy.version}+{digest(policy.model_dump(mode='json', exclude_defaults=True))[:12]}"


def read_policy(data: dict[str, Any], source: str) -> Policy:
    """A policy from parsed TOML. Raises ``PolicyError`` naming ``source`` and every fault at once."""
    policy = parse_policy(data)
    faults = find_errors(policy) if isinstance(policy, Policy) else policy
    if faults or not isinstance(policy, Policy):
        raise PolicyError(f"{source}: {'; '.join(f'{fault.field}: {fault.message}' for fault in faults)}")
    return policy


def parse_policy(data: dict[str, Any]) -> Policy | tuple[Finding, ...]:
    """The policy, or what of its form is wrong."""
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        return tuple(
            Finding("error", tuple(p for p in e["loc"] if isinstance(p, int | str)), e["msg"], _mend(e["type"]))
            for e in error.errors()
        )


def person_of(policy: Policy, person_id: str) -> Person | None:
    """The person of that id, or None."""
    return next((p for p in policy.persons if p.id == person_id), None)


def _mend(kind: str) -> str:
    return {
        "missing": "add it",
        "extra_forbidden": "remove it, or mend its spelling",
    }.get(kind, "give a value of the kind that is named")
