"""Who must approve a call of a run now: policy as it stands, with what operators changed for this run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from activities.ports import Parts
from ledger.facts import BARRING_ACTS
from ledger.records import RequestRow, RunRow
from ledger.run_changes import ProvenAct, changes_of, window_of
from policies.rulebook import policy_version
from policies.run_rules import delegated_seats, policy_for_run
from policies.seats import Position, after_silence, position_of
from policies.write_gate import Denied, approval_plan, rule_for
from wire.approval import ApprovalPlan
from wire.call import ProposedCall
from wire.policy import Policy


@dataclass(frozen=True)
class RunPolicy:
    """Policy for one run. ``policy`` has the run's changes in it; ``version`` is the file's."""

    policy: Policy
    version: str
    acts: tuple[ProvenAct, ...]

    @property
    def barred(self) -> frozenset[str]:
        """Who shifted a seat or released a halt cannot approve in this run."""
        return frozenset(act.actor for act in self.acts if act.kind in BARRING_ACTS)


def run_policy(parts: Parts, run_id: str) -> RunPolicy:
    """Policy as it is now, for that run."""
    policy, acts = parts.policy(), parts.ledger.proven_acts(run_id)
    return RunPolicy(policy_for_run(policy, changes_of(acts)), policy_version(policy), acts)


def plan_now(parts: Parts, row: RunRow, call: ProposedCall, cause: str, step: int) -> ApprovalPlan | Denied:
    """The plan of the next review of a step, made for ``cause``: where the reviews before it stand in the chain, whom mail
    of this run reaches.
    """
    held, before = run_policy(parts, row.run_id), parts.ledger.requests(row.run_id, step)
    position = _position(before)
    rule = rule_for(held.policy, call)
    if cause == "overdue" and not isinstance(rule, Denied):
        position = after_silence(held.policy, rule, position)
    return _plan(parts, row, call, step, position, parts.ledger.unreachable(row.run_id))


def plan_again(parts: Parts, row: RunRow, call: ProposedCall, request: RequestRow) -> ApprovalPlan | Denied:
    """The plan of a review as policy would make it today. What mail reaches decides whom to ask, not who may decide."""
    upto = [r for r in parts.ledger.requests(row.run_id, request.step) if r.review <= request.review]
    return _plan(parts, row, call, request.step, _position(upto), frozenset())


def _position(reviews: Sequence[RequestRow]) -> Position:
    if not reviews:
        return Position()
    return position_of(reviews[-1].plan, sum(review.cause == "overdue" for review in reviews))


def _plan(
    parts: Parts, row: RunRow, call: ProposedCall, step: int, position: Position, unreachable: frozenset[str]
) -> ApprovalPlan | Denied:
    held, task = run_policy(parts, row.run_id), row.task
    narrowed = _narrowed(held, task.approvers)
    plan = approval_plan(
        held.policy, call, task.requester, narrowed, task.ledger_epoch,
        position=position, excluded=held.barred, unreachable=unreachable,
    )  # fmt: skip
    if isinstance(plan, Denied):
        return plan
    window = window_of(held.acts, step)
    seats = delegated_seats(held.policy, plan.approvers, changes_of(held.acts), parts.now(), unreachable)
    changes = {"policy_version": held.version, "approvers": seats}
    return plan.model_copy(update=changes | ({"window_seconds": window, "calendar": ""} if window else {}))


def _narrowed(held: RunPolicy, narrowed_to: Iterable[str]) -> tuple[str, ...]:
    """The caller's narrowing follows a seat to who has it now."""
    found = tuple(narrowed_to)
    for change in changes_of(held.acts):
        if change.kind == "replace":
            found = tuple(change.to_person if name == change.from_person else name for name in found)
    return found
