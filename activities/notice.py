"""Mails about a review that ask nothing new: reminder, withdrawal, escalation. Queued once, sent by the mailroom's outbox."""

from collections.abc import Collection

from temporalio import activity

from activities.guard import on_own_run
from activities.ports import Parts
from ledger.records import RequestRow
from policies.run_identity import effect_key, message_id
from wire.activity_signatures import NoticeInput
from wire.approval import MailContent, MessageType, RequestStatus
from wire.task import RunState


class NoticeStage:
    """Holds the parts for ``send_notice``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def send_notice(self, notice: NoticeInput) -> RequestStatus:
        """Queue a reminder, withdrawal or escalation for everybody who was asked; answers the request's status."""
        return await on_own_run(self._parts, notice.run_id, lambda _: self._queue(notice))

    def _queue(self, notice: NoticeInput) -> RequestStatus:
        ledger, here = self._parts.ledger, (notice.run_id, notice.step, notice.review)
        request = ledger.request(*here)
        if request is None:
            return RequestStatus.WITHDRAWN
        kind = MessageType(notice.message_type)
        if kind is MessageType.WITHDRAWAL_NOTICE:
            ledger.expire(*here, notice.reason, self._parts.now())
            ledger.set_state(notice.run_id, RunState.OVERDUE, notice.reason, self._parts.now())
        answered: Collection[str] = ()
        if kind is MessageType.APPROVAL_REMINDER:
            answered = ledger.principals(*here)
        queue_notices(self._parts, request, kind, notice.reason, but=answered)
        current = ledger.request(*here)
        return current.status if current else request.status


def queue_notices(parts: Parts, request: RequestRow, kind: MessageType, reason: str, but: Collection[str] = ()) -> None:
    """Queue, once, the request's own mail as another kind, in the thread of the request: for everybody whom it may have
    reached, ``but`` these persons.
    """
    ledger = parts.ledger
    key = effect_key(request.run_id, request.step, request.review, kind.value, request.call_digest)
    for mail in request.mails:
        if mail.failure is not None or mail.person in but:
            continue
        original = MailContent.model_validate_json(ledger.get(mail.content_digest))
        content = original.model_copy(
            update={
                "message_type": kind,
                "message_id": message_id(ledger.epoch, key, mail.addressee, parts.identity.domain),
                "in_reply_to": original.message_id,
                "references": (original.message_id,),
                "composed_at": parts.now().replace(microsecond=0),
                "note": reason,
            }
        )
        ledger.add_mail(f"{key}/{mail.addressee}", content, parts.now())
