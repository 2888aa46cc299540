"""What the mails of one review say: pure, from the recorded facts, so that a copy sent again is the same message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from activities.judging import Judged
from activities.ports import MailIdentity
from ledger.records import RunRow
from mail.business_content import CallDescription, describe_call
from mail.exact_content import exact_lines
from mail.known_names import known_names, with_names
from mail.phrases import Phrases
from policies.masking import (
    DOTS,
    Masks,
    Secret,
    masked_call,
    masked_request,
    masks_of,
    scrub,
    secrets_of_call,
    with_masks_named,
)
from policies.rulebook import person_of
from policies.run_identity import effect_key, message_id, opaque_id
from wire.approval import Addressee, ApprovalPlan, Line, MailContent, MessageType, Table
from wire.call import ValidatedCall
from wire.endpoint import EndpointContract
from wire.policy import Policy

CAUSES = frozenset({"late", "overdue", "drifted", "undeliverable", "operator", "released"})
"""Why a review is a fresh one; each has a phrase of its own."""


@dataclass(frozen=True)
class RequestFacts:
    """Everything that the mails of a review are made from. ``earlier``: the mails of the review before, if there was one."""

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
    secrets: Sequence[Secret] = ()
    earlier: Sequence[MailContent] = ()


def request_mails(facts: RequestFacts) -> tuple[MailContent, ...]:
    """One mail per approver of the plan, in the plan's order."""
    if facts.judged.contract is None:
        raise ValueError(f"run {facts.run.run_id}, step {facts.step}: a request needs the contract of its call")
    contract = facts.judged.contract
    return tuple(_mail(facts, contract, index, approver) for index, approver in enumerate(facts.plan.approvers))


def _described(facts: RequestFacts, contract: EndpointContract, language: str) -> CallDescription:
    """The call in words, masked before anything is made of it."""
    masks, before = _masks(facts), facts.judged.before
    call = masked_call(masks, facts.call.call)
    plain = describe_call(call, contract, masks.hide(before) if before is not None else None, language)
    # A masked number may be any of several, so that it has no name; a masked name stays masked.
    names = {value: name for value, name in known_names(facts.answers).items() if DOTS not in value}
    return with_names(plain, names, language)


def _masks(facts: RequestFacts) -> Masks:
    return masks_of(facts.policy, facts.call.call.service, facts.call.call.endpoint)


def _hidden(facts: RequestFacts) -> tuple[Secret, ...]:
    """What is masked of the call, of the entity that it changes, and of what the run has read."""
    before = _masks(facts).secrets(facts.judged.before) if facts.judged.before is not None else ()
    return (*secrets_of_call(facts.policy, facts.call.call), *before, *facts.secrets)


def _mail(facts: RequestFacts, contract: EndpointContract, index: int, approver: Addressee) -> MailContent:
    described, phrases = _described(facts, contract, approver.language), Phrases(approver.language)
    run_id, identity, hidden = facts.run.run_id, facts.identity, _hidden(facts)
    opaque = opaque_id(facts.epoch, run_id, facts.step, facts.review, facts.call.digest)
    key = effect_key(run_id, facts.step, facts.review, "mail", facts.call.digest)
    first = facts.review == 0
    content = MailContent(
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
        title=str(described.title),
        summary=scrub(facts.run.task.goal, hidden),
        lines=described.lines,
        tables=described.tables,
        reason=scrub(facts.reason, hidden),
        brain=facts.brain,
        requester=_name(facts.policy, facts.run.task.requester),
        undecided=tuple(
            scrub(f"{f.pointer.removeprefix('/payload/')}: {f.message}", hidden) for f in facts.call.undecided
        ),
        differences=_differences(facts, contract, approver.language) if facts.cause == "drifted" else (),
        technical=_technical(facts, hidden),
        note="\n".join(_notes(facts, phrases)),
        own_word=approver.language in facts.policy.languages,
    )
    return with_masks_named(content, hidden)


def _notes(facts: RequestFacts, phrases: Phrases) -> Iterator[str]:
    """Why this is asked again, and that one answer may not be enough."""
    if facts.cause in CAUSES:
        yield phrases(f"cause_{facts.cause}")
    if facts.plan.quorum > 1:
        yield phrases("quorum", n=str(facts.plan.quorum), of=str(len(facts.plan.approvers)))


def _name(policy: Policy, person_id: str) -> str:
    person = person_of(policy, person_id)
    return f"{person.name} ({person.id})" if person else person_id


def _technical(facts: RequestFacts, hidden: Sequence[Secret]) -> tuple[Line, ...]:
    lines = [
        Line(label="Rule", value=f"{facts.plan.rule_id} (policy {facts.plan.policy_version})"),
        Line(label="Approvals needed", value=str(facts.plan.quorum)),
        Line(label="Graph", value=facts.call.graph_hash[:16]),
        Line(label="Metadata", value=facts.call.metadata_digest[:16]),
    ]
    # The digest is of the real bytes, so that nobody must take masked ones for them.
    return (*lines, *exact_lines(facts.call.request, masked_request(_masks(facts), facts.call.request, hidden)))


def _differences(facts: RequestFacts, contract: EndpointContract, language: str) -> tuple[Line, ...]:
    """What this request says otherwise than the one before: compared in one language, the reader's where it can be."""
    if not facts.earlier:
        return ()
    earlier = next((mail for mail in facts.earlier if mail.language == language), facts.earlier[0])
    described, phrases = _described(facts, contract, earlier.language), Phrases(earlier.language)
    before = _flat(earlier.lines, earlier.tables)
    after = _flat(described.lines, described.tables)
    changed = [k for k in dict.fromkeys([*before, *after]) if before.get(k) != after.get(k)]
    gone, new = f"({phrases('gone')})", f"({phrases('not_there')})"
    return tuple(Line(label=k, value=after.get(k, gone), old=before.get(k, new)) for k in changed)


def _flat(lines: Sequence[Line], tables: Sequence[Table]) -> dict[str, str]:
    flat = {line.label: line.value + (f" (was {line.old})" if line.old is not None else "") for line in lines}
    for table in tables:
        for row in table.rows:
            pairs = zip(table.columns[1:], row[1:], strict=True)
            flat |= {f"{table.title} {row[0]}, {column}": cell for column, cell in pairs}
    return flat
