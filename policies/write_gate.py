"""Which calls need approval, and by whom. Policy alone names approvers; a caller can only narrow them."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from policies.rulebook import person_of, policy_version
from policies.run_identity import person_token
from wire.approval import Addressee, ApprovalPlan
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Policy

WRITES = frozenset({"POST", "PATCH", "PUT", "DELETE", "ACTION"})


@dataclass(frozen=True)
class Denied:
    """Nobody may approve this call; ``reason`` says why in one line."""

    reason: str


def is_write(call: ProposedCall) -> bool:
    """Whether the call has an effect, so that it waits for a human."""
    return call.method in WRITES


def rule_for(policy: Policy, call: ProposedCall) -> ApprovalRule | None:
    """The first rule whose patterns match the call, or None: without a rule no write is possible."""
    return next((rule for rule in policy.rules if _matches(rule, call)), None)


def _matches(rule: ApprovalRule, call: ProposedCall) -> bool:
    endpoint = call.path[-1] if call.path else call.endpoint
    return (
        call.method in rule.methods
        and any(fnmatchcase(call.service, pattern) for pattern in rule.services)
        and any(fnmatchcase(name, pattern) for pattern in rule.endpoints for name in {call.endpoint, endpoint})
    )


def approval_plan(
    policy: Policy,
    call: ProposedCall,
    requester: str,
    narrowed_to: tuple[str, ...],
    epoch: str,
    *,
    cause: str = "first",
) -> ApprovalPlan | Denied:
    """Who must approve this call within which window, or why nobody can. ``cause``: of the review; overdue may escalate.

    The requester and whoever may answer for the requester by delegation never count as approvers.
    """
    rule = rule_for(policy, call)
    if rule is None:
        return Denied(f"no rule of policy {policy.version} names {call.method} {call.service}/{call.endpoint}")
    strangers = [name for name in narrowed_to if name not in {*rule.approvers, *rule.escalate_to}]
    if strangers:
        return Denied(
            f"rule '{rule.id}' does not name {', '.join(strangers)} as approver; approvers only narrow policy"
        )
    barred = {requester} | {d.to_person for d in policy.delegations if d.from_person == requester}
    escalated = cause == "overdue" and rule.on_deadline == "escalate" and rule.escalate_to
    line = rule.escalate_to if escalated else rule.approvers
    named = [name for name in dict.fromkeys(line) if escalated or not narrowed_to or name in narrowed_to]
    persons = [person for name in named if name not in barred and (person := person_of(policy, name)) is not None]
    if len(persons) < rule.quorum:
        return Denied(
            f"rule '{rule.id}' needs {rule.quorum} approver(s) other than the requester {requester}; {len(persons)} remain"
        )
    return ApprovalPlan(
        rule_id=rule.id,
        policy_version=policy_version(policy),
        approvers=tuple(
            Addressee(
                person=p.id,
                name=p.name,
                address=p.addresses[0].lower(),
                timezone=p.timezone,
                language=p.language,
                token=person_token(epoch, p.id),
            )
            for p in persons
        ),
        quorum=rule.quorum,
        window_seconds=rule.window_seconds,
        max_reviews=rule.max_reviews,
        on_deadline=rule.on_deadline,
        reminder_share=rule.reminder_share,
        grace_seconds=rule.grace_seconds,
        tail_seconds=rule.tail_seconds,
        clock_skew_seconds=policy.clock_skew_seconds,
    )
