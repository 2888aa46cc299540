"""Requests for approval: recorded before anything is sent, one row per review, one mail per addressee."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field
from sqlalchemy import Connection, insert, select, update

from ledger import audit
from ledger.blocking import halt_run, read_blocks
from ledger.content import get_content, put_model
from ledger.errors import DigestConflict, GateRefused, IdClash, IntentOpen, LedgerError
from ledger.outbox import claim_message_id
from ledger.records import RequestRow
from ledger.reviews import end_review, find_review, guards_intent, opens_at, read_review, read_reviews, set_status
from ledger.runs import enter_state, require_open
from ledger.schema_approval import ASKED, REQUEST_MAILS, REQUESTS, SENT_IDS
from ledger.steps import check_not_asked, read_step
from ledger.text import storable
from ledger.transactions import Store
from policies.people import fold_address
from wire.approval import ApprovalPlan, MailContent, RequestStatus
from wire.base import Wire
from wire.task import RunState


class NewRequest(Wire):
    """A review to be recorded. ``mails`` stand in the order of ``plan.approvers``; all share ``ref`` and ``reply_to``."""

    run_id: str
    step: int
    review: int
    call_digest: str
    policy_version: str
    plan: ApprovalPlan
    cause: str
    composed_at: datetime
    deadline: datetime
    mails: tuple[MailContent, ...] = Field(min_length=1)


class Requests(Store):
    """The life of a review."""

    def create_request(self, new: NewRequest, at: datetime) -> RequestRow:
        """Record a review and put older reviews of its step out of force; the same review again is returned as it stands.

        Raises DigestConflict or IdClash after halting the run; GateRefused when anything blocks the step; DigestAlreadyAsked,
        IntentOpen, RunClosed, StepUnknown.
        """
        _check_mails(new)
        with self.writing(new.run_id, across_runs=True, alone=True) as connection:
            require_open(connection, new.run_id)
            read_step(connection, new.run_id, new.step)
            fault = _fault(connection, new, at)
            if fault is None:
                _record(connection, new, at)
                detail = f"step {new.step}, review {new.review}"
                enter_state(connection, new.run_id, RunState.REQUESTING, detail, at)
                return read_review(connection, new.run_id, new.step, new.review)
            known = find_review(connection, new.run_id, new.step, new.review)
        if fault == "known" and known is not None:
            return known
        raise fault if isinstance(fault, LedgerError) else RuntimeError(fault)

    def begin_sending(self, run_id: str, step: int, review: int, addressee: int, at: datetime) -> MailContent | None:
        """Record that a copy is about to be sent, and answer what it says. Call it right before each SMTP attempt.

        None when there is nothing to send any more: decided, out of force, or blocked.
        """
        with self.writing(run_id) as connection:
            request = read_review(connection, run_id, step, review)
            decided = request.status is RequestStatus.DECIDED
            if decided or not request.is_live or read_blocks(connection, run_id, step):
                return None
            mail = request.mails[addressee]
            values = {"attempts": mail.attempts + 1, "sending_at": mail.sending_at or at}
            _update_mail(connection, run_id, step, review, addressee, values)
            _refresh_window(connection, run_id, step, review)
            return MailContent.model_validate_json(get_content(connection, mail.content_digest))

    def mark_accepted(
        self, run_id: str, step: int, review: int, addressee: int, accepted_at: datetime, response: str
    ) -> RequestRow:
        """The server took one copy. The review is sent once every copy was taken or failed; further copies are counted.

        A bounce that was quicker than this entry stands.
        """
        with self.writing(run_id) as connection:
            mail = read_review(connection, run_id, step, review).mails[addressee]
            values = {"copies": mail.copies + 1, "accepted_at": mail.accepted_at or accepted_at}
            _update_mail(connection, run_id, step, review, addressee, values | {"response": storable(response)})
            _settle_sent(connection, _refresh_window(connection, run_id, step, review))
            payload = {"step": step, "review": review, "addressee": addressee, "message_id": mail.message_id}
            payload |= {"copy": mail.copies + 1, "attempts": mail.attempts, "response": storable(response)}
            audit.append(connection, run_id, "request_accepted", accepted_at, payload, {"mail": mail.content_digest})
            return read_review(connection, run_id, step, review)

    def mark_undeliverable(
        self, run_id: str, step: int, review: int, addressee: int, reason: str, at: datetime
    ) -> RequestRow:
        """One copy failed for good. The review is undeliverable once too few addressees are left for its quorum."""
        with self.writing(run_id) as connection:
            fail_mail(connection, read_review(connection, run_id, step, review), addressee, reason, at)
            return read_review(connection, run_id, step, review)

    def expire(self, run_id: str, step: int, review: int, reason: str, at: datetime) -> None:
        """Nobody answered by the deadline and no review is left. It stays in force until the run ends or asks afresh: an answer
        that came in time and is read later still counts, a late one is told from one to an old review.
        """
        with self.writing(run_id) as connection:
            request = read_review(connection, run_id, step, review)
            if request.status in (RequestStatus.COMPOSED, RequestStatus.SENT) and request.is_live:
                set_status(connection, request, RequestStatus.EXPIRED, reason)
                _note_end(connection, request, RequestStatus.EXPIRED, reason, at)

    def withdraw(self, run_id: str, step: int, review: int, reason: str, at: datetime) -> bool:
        """Take a review out of force; an expired one stays expired. False while a write under it has no outcome."""
        with self.writing(run_id) as connection:
            request = read_review(connection, run_id, step, review)
            if not request.is_live:
                return True
            status = RequestStatus.EXPIRED if request.status is RequestStatus.EXPIRED else RequestStatus.WITHDRAWN
            if guards_intent(connection, request):
                payload = {"step": step, "review": review, "status": status.value, "reason": storable(reason)}
                audit.append(connection, run_id, "withdrawal_waits", at, payload)
                return False
            end_review(connection, request, status, reason)
            _note_end(connection, request, status, reason, at)
            return True

    def request(self, run_id: str, step: int, review: int) -> RequestRow | None:
        """The review, or None."""
        with self.reading() as connection:
            return find_review(connection, run_id, step, review)

    def requests(self, run_id: str, step: int | None = None) -> tuple[RequestRow, ...]:
        """All reviews of a run, or of one of its steps, in order."""
        with self.reading() as connection:
            return read_reviews(connection, run_id, step)


def _note_end(connection: Connection, request: RequestRow, status: RequestStatus, reason: str, at: datetime) -> None:
    payload = {"step": request.step, "review": request.review, "status": status.value, "reason": storable(reason)}
    audit.append(connection, request.run_id, "request_withdrawn", at, payload)


def fail_mail(connection: Connection, request: RequestRow, addressee: int, reason: str, at: datetime) -> bool:
    """Record that a copy failed for good; whether that made the whole review undeliverable."""
    here = (request.run_id, request.step, request.review)
    _update_mail(connection, *here, addressee, {"failure": storable(reason)})
    payload = {"step": request.step, "review": request.review, "addressee": addressee, "reason": storable(reason)}
    audit.append(connection, request.run_id, "request_undeliverable", at, payload)
    left = sum(1 for m in request.mails if m.addressee != addressee and m.failure is None)
    waiting = request.status in (RequestStatus.COMPOSED, RequestStatus.SENT)
    if not waiting or left >= request.plan.quorum or guards_intent(connection, request):
        _settle_sent(connection, read_review(connection, *here))
        return False
    end_review(connection, request, RequestStatus.UNDELIVERABLE, reason)
    return True


def _settle_sent(connection: Connection, request: RequestRow) -> None:
    if request.status is RequestStatus.COMPOSED and all(m.accepted_at or m.failure for m in request.mails):
        set_status(connection, request, RequestStatus.SENT, "")


def _check_mails(new: NewRequest) -> None:
    shared = {(m.run_id, m.step, m.review, m.ref, fold_address(m.reply_to)) for m in new.mails}
    here = (new.run_id, new.step, new.review)
    if len(shared) != 1 or next(iter(shared))[:3] != here or len(new.mails) != len(new.plan.approvers):
        raise ValueError(
            f"the mails of run {new.run_id}, step {new.step}, review {new.review} do not fit their request"
        )


def _fault(connection: Connection, new: NewRequest, at: datetime) -> LedgerError | str | None:
    known = find_review(connection, new.run_id, new.step, new.review)
    if known is not None:
        if known.call_digest == new.call_digest:
            return "known"
        halt_run(connection, new.run_id, "digest_conflict", f"step {new.step}, review {new.review}", at)
        return DigestConflict(new.run_id, new.step, new.review)
    check_not_asked(connection, new.run_id, new.step, new.call_digest)
    clash = _clash(connection, new)
    if clash is not None:
        halt_run(connection, new.run_id, "id_clash", clash, at)
        return IdClash(new.run_id, clash)
    if any(guards_intent(connection, older) for older in read_reviews(connection, new.run_id, new.step)):
        return IntentOpen(new.run_id, new.step)
    blocks = read_blocks(connection, new.run_id, new.step)
    if blocks:
        return GateRefused(new.run_id, new.step, new.review, tuple(f"blocked: {block.kind}" for block in blocks))
    return None


def _clash(connection: Connection, new: NewRequest) -> str | None:
    ids = [mail.message_id for mail in new.mails]
    first = new.mails[0]
    if len(set(ids)) != len(ids):
        return ids[0]
    taken: str | None = connection.scalar(select(SENT_IDS.c.message_id).where(SENT_IDS.c.message_id.in_(ids)))
    if taken is not None:
        return taken
    same_id = REQUESTS.c.opaque_id == first.ref.casefold()
    same_address = REQUESTS.c.reply_address == fold_address(first.reply_to)
    other: str | None = connection.scalar(select(REQUESTS.c.opaque_id).where(same_id | same_address))
    return other


def _record(connection: Connection, new: NewRequest, at: datetime) -> None:
    for older in read_reviews(connection, new.run_id, new.step):
        if older.is_live and older.review < new.review:
            end_review(connection, older, RequestStatus.SUPERSEDED, f"review {new.review} ({new.cause})")
    if not check_not_asked(connection, new.run_id, new.step, new.call_digest):
        connection.execute(insert(ASKED).values(run_id=new.run_id, call_digest=new.call_digest, step=new.step))
    values = new.model_dump(include={"run_id", "step", "review", "call_digest", "policy_version", "cause"})
    values |= {"plan": new.plan.model_dump_json(), "status": RequestStatus.COMPOSED.value, "is_live": 1, "detail": ""}
    values |= {"opaque_id": new.mails[0].ref.casefold(), "reply_address": fold_address(new.mails[0].reply_to)}
    connection.execute(insert(REQUESTS).values(**values, composed_at=new.composed_at, deadline=new.deadline))
    contents = _record_mails(connection, new, at)
    payload = new.model_dump(include={"step", "review", "call_digest", "policy_version", "cause"})
    payload |= {"rule_id": new.plan.rule_id, "quorum": new.plan.quorum, "deadline": new.deadline.isoformat()}
    payload |= {"approvers": [a.person for a in new.plan.approvers], "message_ids": [m.message_id for m in new.mails]}
    named = {f"mail_{index}": digest for index, digest in enumerate(contents)}
    audit.append(connection, new.run_id, "request_created", at, payload, named)


def _record_mails(connection: Connection, new: NewRequest, at: datetime) -> Sequence[str]:
    digests = []
    for index, (approver, mail) in enumerate(zip(new.plan.approvers, new.mails, strict=True)):
        digests.append(put_model(connection, mail, at))
        claim_message_id(connection, mail)
        values = {"run_id": new.run_id, "step": new.step, "review": new.review, "addressee": index}
        values |= {"person": approver.person, "address": fold_address(mail.to_address), "message_id": mail.message_id}
        values |= {"content_digest": digests[-1], "attempts": 0, "copies": 0, "response": ""}
        connection.execute(insert(REQUEST_MAILS).values(**values))
    return digests


def _update_mail(
    connection: Connection, run_id: str, step: int, review: int, addressee: int, values: dict[str, object]
) -> None:
    table = REQUEST_MAILS.c
    here = (table.run_id == run_id, table.step == step, table.review == review, table.addressee == addressee)
    connection.execute(update(REQUEST_MAILS).where(*here).values(**values))


def _refresh_window(connection: Connection, run_id: str, step: int, review: int) -> RequestRow:
    """Write when the window opened, from the mails as they are now; the review as it was before that."""
    request = read_review(connection, run_id, step, review)
    accepted = min((m.accepted_at for m in request.mails if m.accepted_at), default=None)
    here = (REQUESTS.c.run_id == run_id, REQUESTS.c.step == step, REQUESTS.c.review == review)
    values = {"opens_at": opens_at(request.mails), "accepted_at": accepted}
    connection.execute(update(REQUESTS).where(*here).values(**values))
    return request
