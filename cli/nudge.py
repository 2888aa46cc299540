"""A reminder that hearsay brings about: once for each review, in the thread of the request, to those who have not answered."""

from datetime import datetime

from ledger.records import RunRow
from ledger.store import Ledger
from policies.run_identity import effect_key, message_id
from wire.approval import MailContent, MessageType, RequestStatus
from wire.task import FINAL_STATES

HEARD = "Somebody says that you have answered. That decides nothing: only your own reply to this mail does."


def nudge(ledger: Ledger, row: RunRow, person: str, at: datetime) -> tuple[str, ...]:
    """Remind ``person``, or all who have not answered when it is empty. Who was reminded now; nobody a second time."""
    if row.state in FINAL_STATES:
        return ()
    asking = (RequestStatus.COMPOSED, RequestStatus.SENT, RequestStatus.EXPIRED)
    live = [request for request in ledger.requests(row.run_id) if request.is_live and request.status in asking]
    if not live:
        return ()
    request = live[-1]
    answered = set(ledger.principals(row.run_id, request.step, request.review))
    key = effect_key(row.run_id, request.step, request.review, "nudge", request.call_digest)
    reminded = []
    for mail in request.mails:
        if mail.person in answered or (person and mail.person != person):
            continue
        original = MailContent.model_validate_json(ledger.get(mail.content_digest))
        domain = original.message_id.rpartition("@")[2]
        changes = {
            "message_type": MessageType.APPROVAL_REMINDER,
            "message_id": message_id(ledger.epoch, key, mail.addressee, domain),
            "in_reply_to": original.message_id,
            "references": (original.message_id,),
            "composed_at": at.replace(microsecond=0),
            "note": HEARD,
        }
        if ledger.add_mail(f"{key}/{mail.addressee}", original.model_copy(update=changes), at):
            reminded.append(mail.person)
    return tuple(reminded)
