"""Mails that a judgement owes: one clarification per review, one refusal notice per review, person and reason, alerts."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from ledger.content import get_content
from ledger.outbox import add_mail_item
from ledger.records import RequestRow
from ledger.reviews import read_reviews
from ledger.text import storable
from policies.canonical import sha256_hex
from policies.clock import UNTRUSTED
from policies.people import person_by_id
from policies.ruling import Ruling
from wire.approval import Judgement, MailContent, MessageType, Outcome, RequestStatus
from wire.policy import Person, Policy

CLARIFICATION = (
    "Your answer was not one clear word, so nothing has been decided. Please answer once more: the first line of your reply"
    " must be APPROVE or REJECT alone; a comment may stand on the lines after it."
)
REFUSALS = {
    "superseded": "Your answer was for an earlier request. Nothing was decided by it.",
    "already rejected": "This call was already rejected, so that a yes to it no longer counts.",
    "the run is closed": "This run has ended; your answer had no effect.",
    "the run is halted": "This run is halted; an operator looks into it. Your answer had no effect.",
    UNTRUSTED: "Your answer arrived, but our mail server's clock cannot be relied on at the moment, so that nobody can say"
    " whether it came in time. Nothing has been decided by it. You will get another mail once it can be answered; REJECT counts"
    " at any time.",
    "already dispatched": "The call had already been sent when your rejection arrived. The operators have been told.",
}
ANSWER_NOW = (
    "Your answer could not be counted when it arrived, since our mail server's clock could not be relied on. The clock is right"
    " again: please answer once more. What you wrote before decides nothing."
)
UNBELIEVED = (
    "A reply in your name arrived and was not believed, so that it decided nothing: {reason}. If it was yours, please reply"
    " directly from the address that the request went to. If it was not, no harm was done; the operators have been told."
)


@dataclass(frozen=True)
class Notice:
    """One mail to one person; at most one per ``reason`` and review. ``alert`` marks what is for operators."""

    message_type: MessageType
    person: Person
    reason: str
    note: str


def owed_notices(
    policy: Policy,
    ruling: Ruling,
    judgement: Judgement,
    voter: str | None,
    claimed: str | None,
    alert: str,
    waiting: str = "",
) -> list[Notice]:
    """Who must be told what. ``claimed`` is the designated approver in whose name an unbelieved mail came; ``waiting`` says
    what the run waits for now.
    """
    notices = []
    addressed = person_by_id(policy, voter or claimed or "")
    if addressed is not None and ruling.outcome is Outcome.UNCLEAR:
        notices.append(Notice(MessageType.CLARIFICATION_REQUEST, addressed, "", CLARIFICATION))
    elif addressed is not None and ruling.outcome is Outcome.REFUSED:
        known = REFUSALS.get(ruling.reason) if voter else UNBELIEVED.format(reason=ruling.reason)
        note = known or f"Your answer was not accepted: {ruling.reason}."
        note = f"{note} {waiting}" if ruling.reason == "superseded" else note
        notices.append(Notice(MessageType.REFUSAL_NOTICE, addressed, ruling.reason, note))
    if alert:
        runs = ", ".join(judgement.halted_runs)
        note = f"{alert}{f' (halted: {runs})' if runs else ''}. {'; '.join(judgement.noted)}"
        operators = [person_by_id(policy, operator) for operator in policy.operators]
        notices += [Notice(MessageType.OPERATOR_ALERT, o, ruling.reason, note) for o in operators if o is not None]
    return notices


def what_waits(connection: Connection, run_id: str, person: str) -> str:
    """What a run waits for now, for somebody whose answer was for something else."""
    live = [request for request in read_reviews(connection, run_id) if request.is_live]
    if not live or live[-1].status is RequestStatus.DECIDED:
        return "Nothing of this run waits for an answer now."
    request = live[-1]
    asked = {seat.person: seat.name for seat in request.plan.approvers}
    content = next((mail for mail in request.mails if mail.person == person), request.mails[0])
    title = MailContent.model_validate_json(get_content(connection, content.content_digest)).title
    until = f"{request.deadline:%Y-%m-%d %H:%M} UTC"
    told = f"Now waiting: step {request.step}, review {request.review}, “{title}”, until {until}"
    if person in asked:
        return f"{told}. You were sent that request, too: please answer it."
    return f"{told}, of {', '.join(asked.values())}. You are no longer asked; a rejection of yours still counts."


def queue_notices(
    connection: Connection, epoch: str, request: RequestRow, notices: list[Notice], answers: str | None, at: datetime
) -> None:
    """Put notices into the outbox, each at most once, to registered addresses only (never to a Reply-To of the mail)."""
    if not notices:
        return
    sent = {
        mail.person: MailContent.model_validate_json(get_content(connection, mail.content_digest))
        for mail in request.mails
    }
    for notice in notices:
        key = _key(request, notice)
        template = _template(sent, notice.person)
        thread = template.message_id
        domain = template.message_id.rpartition("@")[2]
        alert = notice.message_type is MessageType.OPERATOR_ALERT
        changes = {
            "message_type": notice.message_type,
            "message_id": f"{sha256_hex(f'{epoch}/{key}'.encode())[:40]}@{domain}",
            "in_reply_to": answers if answers and not alert else thread,
            "references": (thread, answers) if answers and not alert else (thread,),
            "to_address": notice.person.addresses[0],
            "to_name": notice.person.name,
            "timezone": notice.person.timezone,
            "composed_at": at,
            "note": storable(notice.note, 2000),
        }
        add_mail_item(connection, key, template.model_copy(update=changes), at)


def _template(sent: dict[str, MailContent], person: Person) -> MailContent:
    """The person's own mail, or one in their language: its numbers are written that way, and the frame must agree with them."""
    others = [content for content in sent.values() if content.language == person.language]
    return sent.get(person.id) or next(iter([*others, *sent.values()]))


def _key(request: RequestRow, notice: Notice) -> str:
    # One clarification per request whoever answers. What follows a colon may quote the mail: forgeries that differ in
    # nothing else are one reason.
    person = "" if notice.message_type is MessageType.CLARIFICATION_REQUEST else notice.person.id
    told = sha256_hex(f"{person}/{notice.reason.partition(':')[0]}".encode("utf-8", "backslashreplace"))[:32]
    return f"mail/{notice.message_type.value}/{request.run_id}/{request.step}/{request.review}/{told}"
