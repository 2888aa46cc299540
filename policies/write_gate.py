"""Which calls need approval, and by whom. Policy alone names approvers; a caller can only narrow them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from policies.conditions import evaluate
from policies.people import speakers_for
from policies.rulebook import policy_version
from policies.run_identity import person_token
from policies.seats import Candidates, Position, Seats, chain_of, seated
from wire.approval import Addressee, ApprovalPlan
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Policy

START = Position()
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


def approval_plan(
    policy: Policy,
    call: ProposedCall,
    requester: str,
    narrowed_to: tuple[str, ...],
    epoch: str,
    *,
    position: Position = START,
    excluded: Iterable[str] = (),
    unreachable: Collection[str] = (),
) -> ApprovalPlan | Denied:
    """Who must approve this call within which window, or why nobody can. ``position``: which lines of the chain are asked;
    ``unreachable``: addresses (folded) at which mail failed.

    The requester and whoever may answer for the requester by delegation never count as approvers; nor do ``excluded``.
    """
    rule = rule_for(policy, call)
    if isinstance(rule, Denied):
        return rule
    chain = {name for line in chain_of(policy, rule) for name in line}
    strangers = [name for name in narrowed_to if name not in chain]
    if strangers:
        return Denied(
            f"rule '{rule.id}' does not name {', '.join(strangers)} as approver; approvers only narrow policy"
        )
    out = speakers_for(policy, {requester}) | set(excluded)
    seats = seated(policy, rule, position, Candidates(out, narrowed_to, unreachable))
    if len(seats.named) < seats.quorum:
        left = f"{len(seats.named)} remain"
        return Denied(f"rule '{rule.id}' needs {seats.quorum} approver(s) other than the requester {requester}; {left}")
    if len(seats.reached) < seats.quorum:
        return Denied(_unreached(rule, seats))
    return _plan(policy, rule, seats, epoch)


def _unreached(rule: ApprovalRule, seats: Seats) -> str:
    who = ", ".join(seats.unreached)
    wanted = f"rule '{rule.id}' needs {seats.quorum} approver(s) and no mail reaches {who}"
    if rule.on_undeliverable == "operator":
        return f"{wanted}; policy leaves it to an operator"
    return f"{wanted}; it names nobody else who could be asked"


def _plan(policy: Policy, rule: ApprovalRule, seats: Seats, epoch: str) -> ApprovalPlan:
    return ApprovalPlan(
        rule_id=rule.id,
        policy_version=policy_version(policy),
        approvers=tuple(
            Addressee(
                person=seat.person.id,
                name=seat.person.name,
                address=seat.address,
                timezone=seat.person.timezone,
                language=seat.person.language,
                token=person_token(epoch, seat.person.id),
            )
            for seat in seats.reached
        ),
        quorum=seats.quorum,
        window_seconds=rule.window_seconds,
        max_reviews=rule.max_reviews,
        on_deadline=rule.on_deadline,
        reminder_share=rule.reminder_share,
        grace_seconds=rule.grace_seconds,
        tail_seconds=rule.tail_seconds,
        clock_skew_seconds=policy.clock_skew_seconds,
        calendar=rule.calendar,
        first_line=seats.position.first,
        last_line=seats.position.last,
    )
