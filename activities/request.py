"""Stage 5: put the call to its approvers. The request is in the ledger before the first byte is sent."""

from dataclasses import dataclass, replace

from temporalio import activity

from activities.approvers import plan_now
from activities.calendars import CalendarError, resolved_deadline
from activities.drift import live_version
from activities.guard import final, off_loop, on_own_run
from activities.judging import Judged, bind, contract_of, judge_call
from activities.passing_on import tell_of_failures, tell_of_passing_on, tell_parked
from activities.ports import Parts
from activities.request_mail import RequestFacts, request_mails
from ledger.errors import LedgerError
from ledger.records import RequestRow, RunRow
from ledger.requests import NewRequest
from mail.compose import compose
from mail.errors import SmtpError, SmtpRefused
from policies.masking import hidden_answer, secrets_of_answer
from policies.review import accepted_too_late, reminder_of
from policies.rulebook import policy_version
from policies.write_gate import Denied
from wire.activity_signatures import ReviewInput
from wire.agent import Turn
from wire.approval import ApprovalPlan, MailContent, RequestStatus, SentRequest
from wire.call import ValidatedCall
from wire.endpoint import ODataVersion
from wire.task import RunState


@dataclass(frozen=True)
class Asked:
    """What a review asks for."""

    row: RunRow
    call: ValidatedCall
    judged: Judged
    plan: ApprovalPlan
    reason: str
    brain: str


@dataclass(frozen=True)
class Call:
    """The call of a step: the turn that proposed it, as it was validated then, and how it is judged now."""

    row: RunRow
    turn: Turn
    recorded: ValidatedCall
    judged: Judged


@dataclass(frozen=True)
class Asking:
    """A call that is about to be judged again, against which snapshot, and the service's version of OData."""

    row: RunRow
    turn: Turn
    recorded: ValidatedCall
    graph_hash: str
    version: ODataVersion = "4.0"


class RequestStage:
    """Holds the parts for ``send_request``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def send_request(self, review: ReviewInput) -> SentRequest:
        """Resolve the approval plan, record the request, send one mail per addressee."""
        found = await on_own_run(self._parts, review.run_id, lambda row: self._begin(row, review))
        if isinstance(found, Asking):
            # A fresh review asks about things as they are now, the service's own metadata among them.
            await live_version(self._parts, found.recorded.call.service, found.version)
            found = await off_loop(self._judge, found, review)
        if isinstance(found, SentRequest):
            return found
        judged = await bind(self._parts, found.judged)
        return await off_loop(self._ask, replace(found, judged=judged), review)

    def _begin(self, row: RunRow, review: ReviewInput) -> SentRequest | Call | Asking:
        """The request on its way; or a fresh one, whose call has yet to be judged; or a change that has yet to be bound."""
        parts, ledger = self._parts, self._parts.ledger
        known = ledger.request(review.run_id, review.step, review.review)
        if known is not None:
            if _unsettled(known):
                detail = f"step {review.step}, review {review.review}"
                ledger.set_state(review.run_id, RunState.REQUESTING, detail, parts.now())
            return self._send_all(known, review)
        with ledger.together():
            turn = ledger.proposal(review.run_id, review.step)
            call = ledger.validated(review.run_id, review.step)
        if call is None or turn.call is None:
            raise ValueError(f"run {review.run_id}, step {review.step} has no valid call to ask for")
        if review.cause == "first":
            return self._judge(Asking(row, turn, call, row.task.graph_hash), review)
        version = contract_of(parts, call.call, call.graph_hash).version
        return Asking(row, turn, call, parts.graphs.current(), version)

    def _judge(self, asking: Asking, review: ReviewInput) -> SentRequest | Call:
        judged = judge_call(self._parts, asking.recorded.call, asking.graph_hash)
        found = Call(asking.row, asking.turn, asking.recorded, judged)
        return found if judged.unbound else self._ask(found, review)

    def _ask(self, found: Call, review: ReviewInput) -> SentRequest:
        asked = self._asked(found, review)
        if isinstance(asked, Denied):
            return self._denied(review, asked)
        try:
            new = _new_request(self._parts, asked, review)
        except CalendarError as error:
            return self._denied(review, Denied(str(error)))
        if review.dry_run:
            return self._composed(review, new)
        return self._send_all(self._create(new), review)

    def _send_all(self, request: RequestRow, review: ReviewInput) -> SentRequest:
        if self._withdrawn(request):
            return _unsent(review, RequestStatus.WITHDRAWN, "the server took it too late for its window")
        waiting = _unsettled(request)
        for addressee in waiting:
            request = self._send(request, addressee)
        if request.is_live and (not waiting or _unsettled(request)):
            self._say_awaited(request)
        tell_of_failures(self._parts, request)
        tell_of_passing_on(self._parts, request)
        return _sent(request)

    def _asked(self, found: Call, review: ReviewInput) -> Asked | Denied:
        """The call as it stands: a fresh review asks for what validation says now."""
        parts, turn, judged = self._parts, found.turn, found.judged
        if judged.validated is None:
            why = "; ".join(f.message for f in judged.verdict.findings)
            return Denied(f"the call is not valid any more: {why}")
        if _standing(judged.validated) != _standing(found.recorded):
            parts.ledger.record_verdict(review.run_id, review.step, judged.verdict, judged.validated, parts.now())
        plan = plan_now(parts, found.row, judged.call, review.cause, review.step)
        if isinstance(plan, Denied):
            return plan
        brain = next((f"{x.brain} {x.model}" for x in turn.exchanges), parts.brain.name)
        return Asked(found.row, judged.validated, judged, plan, turn.reason, brain)

    def _create(self, new: NewRequest) -> RequestRow:
        try:
            return self._parts.ledger.create_request(new, self._parts.now())
        except LedgerError as error:
            raise final(error) from error

    def _withdrawn(self, request: RequestRow) -> bool:
        """Too much of the window is gone and no copy is out: this review is withdrawn unsent and made anew."""
        if any(m.attempts for m in request.mails if m.accepted_at) or request.status is not RequestStatus.COMPOSED:
            return request.status is RequestStatus.WITHDRAWN
        share = self._parts.policy().late_acceptance_share
        if not accepted_too_late(request.composed_at, self._parts.now(), request.deadline, share):
            return False
        here = (request.run_id, request.step, request.review)
        return self._parts.ledger.withdraw(*here, "not accepted in time", self._parts.now())

    def _send(self, request: RequestRow, addressee: int) -> RequestRow:
        """One copy. A crash after the server took it sends the same bytes once more, and the copy is counted."""
        parts, here = self._parts, (request.run_id, request.step, request.review, addressee)
        content = parts.ledger.begin_sending(*here, parts.now().replace(microsecond=0))
        if content is None:
            return request
        try:
            delivered = parts.mailer(compose(content), content.to_address)
        except SmtpRefused as error:
            with parts.ledger.jointly(request.run_id):
                return self._settled(parts.ledger.mark_undeliverable(*here, str(error), parts.now()))
        except SmtpError as error:
            self._say_once(request, str(error))
            raise
        with parts.ledger.jointly(request.run_id):
            at = parts.now().replace(microsecond=0)
            return self._settled(parts.ledger.mark_accepted(*here, at, delivered.response))

    def _settled(self, request: RequestRow) -> RequestRow:
        """With the last copy out or failed, people are waited for."""
        if request.is_live and not _unsettled(request):
            self._say_awaited(request)
        return request

    def _say_once(self, request: RequestRow, trouble: str) -> None:
        """Let whoever follows the run see why it does not get on; every attempt would say the same."""
        ledger, detail = self._parts.ledger, f"not sent yet: {trouble}"
        if ledger.run(request.run_id).detail != detail:
            ledger.set_state(request.run_id, RunState.REQUESTING, detail, self._parts.now())

    def _say_awaited(self, request: RequestRow) -> None:
        detail = ", ".join(a.person for a in request.plan.approvers)
        self._parts.ledger.set_state(request.run_id, RunState.AWAITING_APPROVAL, detail, self._parts.now())

    def _denied(self, review: ReviewInput, denied: Denied) -> SentRequest:
        """Nobody may approve now what could be approved before: parked for the operator."""
        parts, version = self._parts, policy_version(self._parts.policy())
        facts = {"step": review.step, "reason": denied.reason, "policy_version": version}
        parts.ledger.note(review.run_id, "write_denied", facts, {}, parts.now())
        parts.ledger.set_state(review.run_id, RunState.UNDELIVERABLE, denied.reason, parts.now())
        tell_parked(parts, review.run_id, review.step, denied.reason, version)
        unsent = _unsent(review, RequestStatus.UNDELIVERABLE, denied.reason)
        return unsent.model_copy(update={"parked": True})

    def _composed(self, review: ReviewInput, new: NewRequest) -> SentRequest:
        """Dry run: the mail exists in the ledger, nothing is sent and no request waits."""
        at = self._parts.now()
        ledger, mails = self._parts.ledger, [compose(mail) for mail in new.mails]
        facts = {"step": review.step, "call_digest": new.call_digest, "to": [m.to_address for m in new.mails]}
        with ledger.jointly(review.run_id):
            digests = {f"mail_{i}": ledger.put(mail, "message/rfc822", at) for i, mail in enumerate(mails)}
            ledger.note(review.run_id, "dry_run_composed", facts, digests, at)
        return _unsent(review, RequestStatus.COMPOSED, f"{len(new.mails)} mail(s) composed")


def _standing(call: ValidatedCall) -> tuple[object, ...]:
    """What an approval rests on."""
    return call.digest, call.undecided, call.metadata_digest, call.graph_hash


def _unsettled(request: RequestRow) -> list[int]:
    """Addressees whose copy is neither out nor failed."""
    return [mail.addressee for mail in request.mails if mail.accepted_at is None and mail.failure is None]


def _new_request(parts: Parts, asked: Asked, review: ReviewInput) -> NewRequest:
    composed_at = parts.now().replace(microsecond=0)
    deadline = resolved_deadline(parts.policy(), asked.plan, composed_at)
    observed = [o for o in parts.ledger.observations(review.run_id) if o.kind == "result"]
    facts = RequestFacts(
        identity=parts.identity,
        epoch=asked.row.task.ledger_epoch,
        run=asked.row,
        step=review.step,
        review=review.review,
        cause=review.cause,
        call=asked.call,
        judged=asked.judged,
        plan=asked.plan,
        reason=asked.reason,
        brain=asked.brain,
        composed_at=composed_at,
        deadline=deadline,
        policy=parts.policy(),
        answers=[hidden_answer(parts.policy(), o.call, o.data) for o in observed],
        secrets=[s for o in observed for s in secrets_of_answer(parts.policy(), o.call, o.data)],
        earlier=_earlier(parts, review),
    )
    return NewRequest(
        run_id=review.run_id,
        step=review.step,
        review=review.review,
        call_digest=asked.call.digest,
        policy_version=asked.plan.policy_version,
        plan=asked.plan,
        cause=review.cause,
        composed_at=composed_at,
        deadline=deadline,
        mails=request_mails(facts),
    )


def _earlier(parts: Parts, review: ReviewInput) -> tuple[MailContent, ...]:
    """What the last review of this step said to each addressee."""
    older = parts.ledger.requests(review.run_id, review.step)
    contents = [parts.ledger.get(mail.content_digest) for mail in older[-1].mails] if older else []
    return tuple(MailContent.model_validate_json(content) for content in contents)


def _sent(request: RequestRow) -> SentRequest:
    plan = request.plan
    return SentRequest(
        run_id=request.run_id,
        step=request.step,
        review=request.review,
        status=request.status,
        call_digest=request.call_digest,
        policy_version=request.policy_version,
        rule_id=plan.rule_id,
        approver_tokens=tuple(a.token for a in plan.approvers),
        quorum=plan.quorum,
        accepted_at=request.accepted_at,
        opens_at=request.opens_at,
        deadline=request.deadline,
        reminder_at=reminder_of(request.composed_at, request.deadline, plan.reminder_share),
        clock_skew_seconds=plan.clock_skew_seconds,
        grace_seconds=plan.grace_seconds,
        tail_seconds=plan.tail_seconds,
        max_reviews=plan.max_reviews,
        on_deadline=plan.on_deadline,
        title=f"step {request.step}, review {request.review}",
        detail=request.detail,
    )


def _unsent(review: ReviewInput, status: RequestStatus, detail: str) -> SentRequest:
    return SentRequest(
        run_id=review.run_id,
        step=review.step,
        review=review.review,
        status=status,
        call_digest=review.call_digest,
        policy_version="",
        rule_id="",
        approver_tokens=(),
        quorum=1,
        accepted_at=None,
        deadline=None,
        reminder_at=None,
        grace_seconds=0,
        tail_seconds=0,
        max_reviews=1,
        on_deadline="expire",
        detail=detail,
    )
