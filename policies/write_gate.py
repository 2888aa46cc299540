"""Which calls need approval, and by whom. Policy alone names approvers; a caller can only narrow them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from policies.conditions import evaluate
from policies.people import persons_named, speakers_for
from policies.rulebook import person_of, policy_version
from policies.run_identity import person_token
from wire.approval import Addressee, ApprovalPlan
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Person, Policy

WRITES = frozenset({"POST", "PATCH", "PUT", "DELETE", "ACTION"})


@dataclass(frozen=True)
class Denied:
    """Nobody may approve this call; ``reason`` says why in one line."""

    reason: str


@dataclass(frozen=True)
class Match:
    """Whether a rule is the call's: ``matches`` is None when its conditions cannot be told and policy then denies."""

    rule: ApprovalRule
    matches: bool | None
    why: str


def is_write(call: ProposedCall) -> bool:
    """Whether the call has an effect, so that it waits for a human."""
    return call.method in WRITES


def rule_for(policy: Policy, call: ProposedCall) -> ApprovalRule | Denied:
    """The first rule that matches the call. Without a rule, or with one that cannot be judged, no write is possible."""
    for match in matches(policy, call):
        if match.matches is None:
            return Denied(f"rule '{match.rule.id}' of policy {policy.version} cannot be judged: {match.why}")
        if match.matches:
            return match.rule
    return Denied(f"no rule of policy {policy.version} names {call.method} {call.service}/{call.endpoint}")


def matches(policy: Policy, call: ProposedCall) -> Iterator[Match]:
    """Every rule in order with what it says of the call."""
    return (_match(policy, rule, call) for rule in policy.rules)


def _match(policy: Policy, rule: ApprovalRule, call: ProposedCall) -> Match:
    endpoint = call.path[-1] if call.path else call.endpoint
    if call.method not in rule.methods:
        return Match(rule, False, f"it names {', '.join(rule.methods)}, not {call.method}")
    if not any(fnmatchcase(call.service, pattern) for pattern in rule.services):
        return Match(rule, False, f"it names the services {', '.join(rule.services)}")
    if not any(fnmatchcase(name, pattern) for pattern in rule.endpoints for name in {call.endpoint, endpoint}):
        return Match(rule, False, f"it names the endpoints {', '.join(rule.endpoints)}")
    said, undecided = [], []
    for condition in rule.when:
        answer = evaluate(policy, condition, call)
        said.append(answer.why)
        if answer.holds is False or (answer.holds is None and condition.undecided == "skip"):
            return Match(rule, False, answer.why)
        if answer.holds is None and condition.undecided == "deny":
            undecided.append(answer.why)
    if undecided:
        return Match(rule, None, "; ".join(undecided))
    return Match(rule, True, "; ".join(said) or "service, endpoint and method fit")


def line_of(policy: Policy, rule: ApprovalRule, escalations: int) -> tuple[str, ...]:
    """Who is asked after so many escalations: the approvers, then ``escalate_to``, then each of ``escalate_further``."""
    chain = [rule.approvers, *([rule.escalate_to] if rule.escalate_to else []), *rule.escalate_further]
    return persons_named(policy, chain[min(escalations, len(chain) - 1)])


def quorum_of(rule: ApprovalRule, persons: int) -> int:
    """How many distinct persons must say yes, of so many that are asked."""
    if isinstance(rule.quorum, int):
        return rule.quorum
    return {"one": 1, "two-person": 2, "all": max(1, persons)}[rule.quorum]


def approval_plan(
    policy: Policy,
    call: ProposedCall,
    requester: str,
    narrowed_to: tuple[str, ...],
    epoch: str,
    *,
    cause: str = "first",
    escalations: int = 1,
    excluded: Iterable[str] = (),
) -> ApprovalPlan | Denied:
    """Who must approve this call within which window, or why nobody can. ``cause``: of the review; overdue may escalate, for
    the ``escalations``-th time.

    The requester and whoever may answer for the requester by delegation never count as approvers; nor do ``excluded``.
    """
    rule = rule_for(policy, call)
    if isinstance(rule, Denied):
        return rule
    chain = persons_named(
        policy, (*rule.approvers, *rule.escalate_to, *(n for line in rule.escalate_further for n in line))
    )
    strangers = [name for name in narrowed_to if name not in chain]
    if strangers:
        return Denied(
            f"rule '{rule.id}' does not name {', '.join(strangers)} as approver; approvers only narrow policy"
        )
    escalated = cause == "overdue" and rule.on_deadline == "escalate" and bool(rule.escalate_to)
    line = line_of(policy, rule, escalations if escalated else 0)
    out = speakers_for(policy, {requester}) | set(excluded)
    named = [name for name in line if (escalated or not narrowed_to or name in narrowed_to) and name not in out]
    persons = [person for name in named if (person := person_of(policy, name)) is not None]
    quorum = quorum_of(rule, sum(1 for name in line if name not in out))
    if len(persons) < quorum:
        return Denied(
            f"rule '{rule.id}' needs {quorum} approver(s) other than the requester {requester}; {len(persons)} remain"
        )
    return _plan(policy, rule, persons, quorum, epoch)


def _plan(policy: Policy, rule: ApprovalRule, persons: list[Person], quorum: int, epoch: str) -> ApprovalPlan:
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
        quorum=quorum,
        window_seconds=rule.window_seconds,
        max_reviews=rule.max_reviews,
        on_deadline=rule.on_deadline,
        reminder_share=rule.reminder_share,
        grace_seconds=rule.grace_seconds,
        tail_seconds=rule.tail_seconds,
        clock_skew_seconds=policy.clock_skew_seconds,
        calendar=rule.calendar,
    )
