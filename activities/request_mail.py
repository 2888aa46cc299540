"""What the mails of one review say: pure, from the recorded facts, so that a copy sent again is the same message."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from activities.judging import Judged
from activities.ports import MailIdentity
from ledger.records import RunRow
from mail.business_content import CallDescription, describe_call
from mail.exact_content import exact_lines
from mail.known_names import known_names, with_names
from policies.rulebook import person_of
from policies.run_identity import effect_key, message_id, opaque_id
from wire.approval import Addressee, ApprovalPlan, Line, MailContent, MessageType, Table
from wire.call import ValidatedCall
from wire.policy import Policy

CAUSES = {
    "first": "",
    "late": "An earlier answer came after the deadline, so it could not count. Please look again.",
    "overdue": "Nobody answered in time. Please look again.",
    "drifted": "What the call rests on has changed since it was approved. Please look at the changes.",
    "undeliverable": "The earlier request could not be delivered.",
    "operator": "An operator has this call asked again. Earlier answers do not count.",
    "released": "The run was halted and has been released by an operator. Earlier answers do not count.",
}


@dataclass(frozen=True)
class RequestFacts:
    """Everything that the mails of a review are made from. ``earlier``: what the review before said, if there was one."""

    identity: MailIdentity
    epoch: str
    run: RunRow
    step: int
    review: int
    cause: str
    call: ValidatedCall
    judged: Judged
    plan: ApprovalPlan
    reason: str
    brain: str
    composed_at: datetime
    deadline: datetime
    policy: Policy
    answers: Sequence[Any] = ()
    earlier: MailContent | None = None


def request_mails(facts: RequestFacts) -> tuple[MailContent, ...]:
    """One mail per approver of the plan, in the plan's order."""
    if facts.judged.contract is None:
        raise ValueError(f"run {facts.run.run_id}, step {facts.step}: a request needs the contract of its call")
    plain = describe_call(facts.call.call, facts.judged.contract, facts.judged.before)
    described = with_names(plain, known_names(facts.answers))
    return tuple(_mail(facts, described, index, approver) for index, approver in enumerate(facts.plan.approvers))


def _mail(facts: RequestFacts, described: CallDescription, index: int, approver: Addressee) -> MailContent:
    run_id, identity = facts.run.run_id, facts.identity
    opaque = opaque_id(facts.epoch, run_id, facts.step, facts.review, facts.call.digest)
    key = effect_key(run_id, facts.step, facts.review, "mail", facts.call.digest)
    first = facts.review == 0
    return MailContent(
        message_type=MessageType.APPROVAL_REQUEST if first else MessageType.FRESH_REVIEW_REQUEST,
        message_id=message_id(facts.epoch, key, index, identity.domain),
        from_address=identity.approvals,
        from_name=identity.name,
        reply_to=identity.plus(opaque),
        to_address=approver.address,
        to_name=approver.name,
        language=approver.language,
        timezone=approver.timezone,
        composed_at=facts.composed_at,
        run_id=run_id,
        step=facts.step,
        review=facts.review,
        ref=opaque,
        policy_version=facts.plan.policy_version,
        deadline=facts.deadline,
        call_digest=facts.call.digest,
        title=described.title,
        summary=facts.run.task.goal,
        lines=described.lines,
        tables=described.tables,
        reason=facts.reason,
        brain=facts.brain,
        requester=_name(facts.policy, facts.run.task.requester),
        undecided=tuple(f"{f.pointer.removeprefix('/payload/')}: {f.message}" for f in facts.call.undecided),
        differences=_differences(facts.earlier, described) if facts.cause == "drifted" else (),
        technical=_technical(facts),
        note=CAUSES.get(facts.cause, ""),
    )


def _name(policy: Policy, person_id: str) -> str:
    person = person_of(policy, person_id)
    return f"{person.name} <{person.addresses[0]}>" if person else person_id


def _technical(facts: RequestFacts) -> tuple[Line, ...]:
    lines = [
        Line(label="Rule", value=f"{facts.plan.rule_id} (policy {facts.plan.policy_version})"),
        Line(label="Approvals needed", value=str(facts.plan.quorum)),
        Line(label="Graph", value=facts.call.graph_hash[:16]),
        Line(label="Metadata", value=facts.call.metadata_digest[:16]),
    ]
    return (*lines, *exact_lines(facts.call.request))


def _differences(earlier: MailContent | None, described: CallDescription) -> tuple[Line, ...]:
    """What this request says otherwise than the one before."""
    if earlier is None:
        return ()
    before = _flat(earlier.lines, earlier.tables)
    after = _flat(described.lines, described.tables)
    changed = [k for k in dict.fromkeys([*before, *after]) if before.get(k) != after.get(k)]
    return tuple(Line(label=k, value=after.get(k, "(gone)"), old=before.get(k, "(not there)")) for k in changed)


def _flat(lines: Sequence[Line], tables: Sequence[Table]) -> dict[str, str]:
    flat = {line.label: line.value + (f" (was {line.old})" if line.old is not None else "") for line in lines}
    for table in tables:
        for row in table.rows:
            pairs = zip(table.columns[1:], row[1:], strict=True)
            flat |= {f"{table.title} {row[0]}, {column}": cell for column, cell in pairs}
    return flat
