"""What operators changed for one run: policy as it stands for it. Operators shift seats that policy gave; they add none."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from policies.people import fold_address, persons_named
from policies.write_gate import Denied, rule_for
from wire.approval import Addressee
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Delegation, Policy


@dataclass(frozen=True)
class Change:
    """``replace``: ``to_person`` has the seat of ``from_person``. ``delegate``: answers for them in [since, until]."""

    kind: Literal["replace", "delegate"]
    from_person: str
    to_person: str
    since: datetime
    until: datetime | None = None


def policy_for_run(policy: Policy, changes: Iterable[Change]) -> Policy:
    """Policy with the run's changes in it, in their order. Its version is no longer the file's: callers keep that."""
    rules, delegations = policy.rules, policy.delegations
    for change in changes:
        if change.kind == "replace":
            rules = tuple(_reseated(policy, rule, change) for rule in rules)
        elif change.until is not None:
            given = Delegation(
                from_person=change.from_person, to_person=change.to_person, since=change.since, until=change.until
            )
            delegations = (*delegations, given)
    return policy.model_copy(update={"rules": rules, "delegations": delegations})


def _reseated(policy: Policy, rule: ApprovalRule, change: Change) -> ApprovalRule:
    def line(names: tuple[str, ...]) -> tuple[str, ...]:
        persons = persons_named(policy, names)
        swapped = (change.to_person if person == change.from_person else person for person in persons)
        return tuple(dict.fromkeys(swapped))

    return rule.model_copy(
        update={
            "approvers": line(rule.approvers),
            "escalate_to": line(rule.escalate_to),
            "escalate_further": tuple(line(names) for names in rule.escalate_further),
        }
    )


def check_change(policy: Policy, call: ProposedCall, asked: Iterable[str], change: Change) -> str:
    """Why policy does not let an operator make this change, an empty string when it does.

    A seat goes only to people whom the call's own rule names: as approver, in its escalation chain, or as a deputy.
    """
    rule = rule_for(policy, call)
    if isinstance(rule, Denied):
        return rule.reason
    if change.from_person not in set(asked):
        return f"{change.from_person} is not asked in this run (asked: {', '.join(asked)})"
    lines = (rule.approvers, rule.escalate_to, *rule.escalate_further, rule.deputies)
    allowed = persons_named(policy, (name for line in lines for name in line))
    if change.to_person not in allowed:
        return f"rule '{rule.id}' does not name {change.to_person} (it names {', '.join(allowed)}); add them to its deputies"
    if change.to_person in set(asked):
        return f"{change.to_person} is asked already"
    return ""


def delegated_seats(
    policy: Policy,
    seats: Iterable[Addressee],
    changes: Iterable[Change],
    at: datetime,
    unreachable: Collection[str] = (),
) -> tuple[Addressee, ...]:
    """The same seats; a seat that is delegated now gets its mail where the delegate reads it, unless none arrives there
    (``unreachable``: addresses, folded). Votes stay the seat's.
    """
    found = []
    for seat in seats:
        standing = [
            c
            for c in changes
            if c.kind == "delegate" and c.from_person == seat.person and c.until and c.since <= at <= c.until
        ]
        person = next((p for p in policy.persons if standing and p.id == standing[-1].to_person), None)
        if person is not None and fold_address(person.addresses[0]) in unreachable:
            person = None
        moved = {} if person is None else {
            "name": f"{person.name} (for {seat.name})", "address": person.addresses[0].lower(),
            "timezone": person.timezone, "language": person.language,
        }  # fmt: skip
        found.append(seat.model_copy(update=moved))
    return tuple(found)
