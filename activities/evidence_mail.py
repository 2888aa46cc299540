"""The evidence notification: what came of a task, for the person who asked for it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from activities.ports import MailIdentity
from ledger.records import RunRow
from mail.phrases import Phrases
from policies.masking import Secret, scrub, with_masks_named
from policies.run_identity import message_id
from wire.approval import Line, MailContent, MessageType
from wire.policy import Person
from wire.task import FINAL_STATES, RunState


@dataclass(frozen=True)
class Write:
    """A write that took effect; ``title`` is what its approvers read. ``settled_by``: on whose word alone it did."""

    step: int
    review: int
    title: str
    call_digest: str
    settled_by: str = ""


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what of it nobody should read in a mail."""

    row: RunRow
    state: RunState
    summary: str
    writes: Sequence[Write]
    at: datetime
    secrets: Sequence[Secret] = ()


def evidence_mail(identity: MailIdentity, epoch: str, person: Person, ended: Ended) -> MailContent:
    """The mail to the requester: what was done, and where the record is."""
    row, phrases = ended.row, Phrases(person.language)
    lines = [Line(label=phrases("outcome"), value=_state(ended, phrases))]
    lines += [Line(label=phrases("writes"), value=str(len(ended.writes)))]
    for write in ended.writes:
        told = scrub(write.title, ended.secrets)
        told = phrases("not_proven", title=told, person=write.settled_by) if write.settled_by else told
        lines.append(Line(label=f"{phrases('step')} {write.step}", value=told))
    goal = scrub(row.task.goal, ended.secrets)
    content = MailContent(
        message_type=MessageType.EVIDENCE_NOTIFICATION,
        message_id=message_id(epoch, f"{row.run_id}/closed", 0, identity.domain),
        from_address=identity.approvals,
        from_name=identity.name,
        reply_to=identity.approvals,
        to_address=person.addresses[0].lower(),
        to_name=person.name,
        language=person.language,
        timezone=person.timezone,
        composed_at=ended.at.replace(microsecond=0),
        run_id=row.run_id,
        policy_version=row.task.policy_version,
        title=scrub(_title(ended, goal, phrases), ended.secrets),
        summary=goal,
        lines=tuple(lines),
        reason=scrub(ended.summary, ended.secrets),
        brain=row.task.brain,
        technical=tuple(Line(label=f"Step {w.step}, review {w.review}", value=w.call_digest) for w in ended.writes),
        note=_note(ended, phrases),
    )
    return with_masks_named(content, ended.secrets)


def _title(ended: Ended, goal: str, phrases: Phrases) -> str:
    """How it ended, and what was done or, where nothing was, what was asked for."""
    more = f" (+{len(ended.writes) - 1})" if len(ended.writes) > 1 else ""
    return f"{_state(ended, phrases)} · {ended.writes[0].title if ended.writes else goal}{more}"


def _note(ended: Ended, phrases: Phrases) -> str:
    """Where the record is, and what to do where the run ended with a question: it cannot be answered by mail."""
    record = phrases("whole_record", command=f"audit {ended.row.run_id}")
    return f"{phrases('start_again')}\n{record}" if ended.state is RunState.NEEDS_INPUT else record


def _state(ended: Ended, phrases: Phrases) -> str:
    return phrases(f"state_{ended.state.value}") if ended.state in FINAL_STATES else ended.state.value
