"""Recording one judged mail: bytes, judgement, claim, decision, vote, block, signal, notices, audit event."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from ledger import audit
from ledger.blocking import add_block, halt_run
from ledger.bounces import route_bounce
from ledger.clocks import clock_facts
from ledger.content import put_content
from ledger.facts import approvals_of, erased_among, message_key, votes_for
from ledger.judging import IncomingMail, Judged, claimed_person, known_sender
from ledger.notices import owed_notices, queue_notices, what_waits
from ledger.outbox import add_signal
from ledger.reviews import find_review, prove_acceptance, set_status
from ledger.schema import RUNS
from ledger.schema_approval import DECISIONS, EVIDENCE, MAILS, VOTES
from ledger.text import storable
from policies.clock import UNTRUSTED
from policies.evidence_checks import ReviewKey
from policies.rulebook import policy_version
from wire.approval import Judgement, Outcome, RequestStatus
from wire.policy import Policy
from wire.task import RunState

SIGNALLED = (Outcome.ACCEPTED, Outcome.REJECTED, Outcome.LATE, Outcome.COLLISION, Outcome.UNDELIVERABLE)


@dataclass(frozen=True)
class Recording:
    """Where and under which policy a mail is recorded."""

    connection: Connection
    epoch: str
    policy: Policy
    mail: IncomingMail
    at: datetime

    @property
    def evidence_id(self) -> str:
        """The digest of the raw mail."""
        return self.mail.parsed.raw_digest

    def record(self, judged: Judged) -> Judgement:
        """Write everything that follows from a ruling."""
        if judged.ruling.outcome is Outcome.UNDELIVERABLE:
            bounce = route_bounce(self.connection, judged.request, self.mail, self.at)
            judged = replace(judged, ruling=bounce.ruling, alert=bounce.alert)
        judgement = self._judgement(judged)
        if judgement.outcome is Outcome.COLLISION:
            judgement = self._halt_all(judged, judgement)
        comment = self._store(judged, judgement)
        if judgement.outcome in (*SIGNALLED, Outcome.UNCLEAR):
            self._decide(judged, judgement, comment)
        if judged.request is not None:
            alert = self._alert(judged)
            self._follow(judged, judgement)
            self._notify(judged, judgement, alert)
        if self._reaches(judged, judgement):
            add_signal(self.connection, judged.named.key.run_id, 0, 0, self.evidence_id, self.at)
        return judgement

    def _reaches(self, judged: Judged, judgement: Judgement) -> bool:
        """Does an answer that comes too late for its review show a run that found nobody that somebody is there to be asked?

        A report of failure can be forged: without this an honest answer would change nothing until an operator acts.
        """
        if judged.voter is None or judgement.outcome is not Outcome.REFUSED or judged.ruling.reason != "superseded":
            return False
        state = select(RUNS.c.state).where(RUNS.c.run_id == judged.named.key.run_id)
        return self.connection.scalar(state) == RunState.UNDELIVERABLE.value

    def _judgement(self, judged: Judged) -> Judgement:
        key = judged.named.key
        return Judgement(
            outcome=judged.ruling.outcome,
            reason=storable(judged.ruling.reason, 250),
            check=judged.ruling.check,
            run_id=key.run_id,
            step=key.step or None,
            review=key.review if key.step else None,
            evidence_id=self.evidence_id,
            person=judged.voter.person if judged.voter else None,
            noted=(*judged.named.noted, *(f"names run {other.run_id} too" for other in judged.named.others)),
        )

    def _halt_all(self, judged: Judged, judgement: Judgement) -> Judgement:
        reason = f"{judged.ruling.reason} (mail {self.evidence_id[:12]})"
        runs = [key.run_id for key in self._colliding(judged)]
        halted = tuple(
            run_id
            for run_id in runs
            if halt_run(self.connection, run_id, "collision", reason, self.at, evidence_id=self.evidence_id)
        )
        closed = tuple(f"run {run_id} is closed" for run_id in runs if run_id not in halted)
        raw = put_content(self.connection, self.mail.raw, "message/rfc822", self.at)
        for run_id in runs[1:]:
            payload = {"reason": reason, "runs": runs, "evidence_id": self.evidence_id}
            audit.append(self.connection, run_id, "collision_noted", self.at, payload, {"raw": raw})
        return judgement.model_copy(update={"halted_runs": halted, "noted": (*judgement.noted, *closed)})

    def _colliding(self, judged: Judged) -> list[ReviewKey]:
        """One review of each run that a collision touches, but of none that was erased: its record is sealed."""
        erased = erased_among(self.connection, (key.run_id for key in judged.colliding))
        return [key for key in judged.colliding if key.run_id not in erased]

    def _store(self, judged: Judged, judgement: Judgement) -> str | None:
        """Raw bytes, judgement, claim, audit event; the digest of the comment, if there is one."""
        parsed, key = self.mail.parsed, judged.named.key
        named = {"raw": put_content(self.connection, self.mail.raw, "message/rfc822", self.at)}
        if parsed.comment and judged.voter is not None:
            text = storable(parsed.comment, 100_000).encode()
            named["comment"] = put_content(self.connection, text, "text/plain; charset=utf-8", self.at)
        self._insert_mail(judgement, key.run_id)
        if judged.voter is not None and judged.claim is None:
            held: dict[str, Any] = {
                "evidence_id": self.evidence_id,
                "message_key": message_key(parsed),
                "run_id": key.run_id,
            }
            held |= {"content_digest": parsed.content_digest, "step": key.step, "review": key.review}
            held |= {"person": judged.voter.person, "received_at": self.mail.received_at, "at": self.at}
            self.connection.execute(insert(EVIDENCE).values(**held))
        payload = judgement.model_dump(mode="json", exclude={"run_id", "evidence_id"})
        payload |= {"received_at": self.mail.received_at.isoformat(), "policy_version": policy_version(self.policy)}
        payload |= {"method": storable(self.mail.authenticity.method), "keyword": storable(parsed.keyword)}
        payload |= {"call_digest": judged.request.call_digest if judged.request else None}
        payload |= {"principal": judged.voter.principal if judged.voter else None}
        payload |= {} if judged.clock is None else {"clock": clock_facts(self.mail.mailbox, judged.clock, self.policy)}
        audit.append(self.connection, key.run_id, "mail_judged", self.at, payload, named)
        return named.get("comment")

    def _insert_mail(self, judgement: Judgement, run_id: str) -> None:
        parsed = self.mail.parsed
        values: dict[str, Any] = {
            "raw_digest": self.evidence_id,
            "run_id": run_id,
            "step": judgement.step,
            "review": judgement.review,
        }
        values |= {"outcome": judgement.outcome.value, "check_number": judgement.check, "reason": judgement.reason}
        values |= {"message_key": message_key(parsed), "content_digest": parsed.content_digest}
        values |= {"message_id": None if parsed.message_id is None else storable(parsed.message_id, 998)}
        values |= {"judgement": judgement.model_dump_json(), "received_at": self.mail.received_at, "at": self.at}
        self.connection.execute(insert(MAILS).values(**values, person=judgement.person))

    def _decide(self, judged: Judged, judgement: Judgement, comment: str | None) -> None:
        """One decision row in each run concerned."""
        keys = self._colliding(judged) if judgement.outcome is Outcome.COLLISION else [judged.named.key]
        for key in keys:
            request = find_review(self.connection, key.run_id, key.step, key.review)
            values = {"evidence_id": self.evidence_id, "run_id": key.run_id, "step": key.step, "review": key.review}
            values |= {"outcome": judgement.outcome.value, "reason": judgement.reason, "comment_digest": comment}
            values |= {"person": judged.voter.person if judged.voter else ""}
            values |= {"principal": judged.voter.principal if judged.voter else ""}
            values |= {"call_digest": request.call_digest if request else ""}
            values |= {"policy_version": request.policy_version if request else ""}
            values |= {"clock_skew_seconds": judged.clock.ahead if judged.clock else None}
            self.connection.execute(insert(DECISIONS).values(**values, received_at=self.mail.received_at, at=self.at))
            if judgement.outcome in SIGNALLED and judged.ruling.reason != "rejected again":
                add_signal(self.connection, key.run_id, key.step, key.review, self.evidence_id, self.at)

    def _follow(self, judged: Judged, judgement: Judgement) -> None:
        """The vote of a YES, the block of a NO."""
        request, voter = judged.request, judged.voter
        if request is None or voter is None:
            return
        if judgement.outcome is Outcome.ACCEPTED:
            values = {"run_id": request.run_id, "step": request.step, "review": request.review}
            values |= {"person": voter.person, "principal": voter.principal}
            values |= {"call_digest": request.call_digest, "evidence_id": self.evidence_id}
            self.connection.execute(insert(VOTES).values(**values))
            if approvals_of(votes_for(self.connection, request)) >= request.plan.quorum:
                set_status(self.connection, request, RequestStatus.DECIDED, "")
            prove_acceptance(self.connection, request)
        elif judged.ruling.reason == "rejected":
            reason = f"{voter.person} said no to review {request.review}"
            where = (request.run_id, request.step)
            add_block(self.connection, *where, "rejected", reason, self.at, evidence_id=self.evidence_id)

    def _alert(self, judged: Judged) -> str:
        """What operators must hear of, empty when nothing."""
        ruling, request = judged.ruling, judged.request
        if judged.alert:
            return judged.alert
        if ruling.outcome is Outcome.COLLISION:
            return f"Evidence collision: {ruling.reason}"
        if judged.misused:
            return f"Somebody who may not answer reused ids of ours ({ruling.reason}); nothing was halted"
        if ruling.reason == UNTRUSTED and judged.clock is not None:
            return f"A yes was kept back, and none counts for now: {judged.clock.fault}. 'starter.py doctor' says more"
        if claimed_person(judged, self.mail, self.policy) is not None:
            return f"A reply in an approver's name was not believed ({ruling.reason})"
        if ruling.reason == "already dispatched":
            return "A rejection arrived after the call had been sent"
        if ruling.outcome is Outcome.REJECTED and request is not None and votes_for(self.connection, request):
            return "A rejection followed an approval; the write is stopped"
        return ""

    def _notify(self, judged: Judged, judgement: Judgement, alert: str) -> None:
        if judged.request is None:
            return
        claimed = claimed_person(judged, self.mail, self.policy)
        told = judgement.person or known_sender(judged, self.mail, self.policy)
        run_id, superseded = judged.request.run_id, judged.ruling.reason == "superseded"
        waiting = what_waits(self.connection, run_id, told) if superseded and told else ""
        notices = owed_notices(self.policy, judged.ruling, judgement, told, claimed, alert, waiting)
        answers = _header_safe(self.mail.parsed.message_id)
        queue_notices(self.connection, self.epoch, judged.request, notices, answers, self.at)


def _header_safe(message_id: str | None) -> str | None:
    """A foreign Message-ID only if it may stand in a header of ours."""
    if message_id is None or len(message_id) > 250 or not message_id.isascii():
        return None
    fit = "@" in message_id and all(c.isprintable() and c not in " <>" for c in message_id)
    return message_id if fit else None


def known_judgement(connection: Connection, raw_digest: str) -> Judgement | None:
    """The same raw bytes were judged before: a believed mail is ignored now, any other stays what it was."""
    stored = connection.scalar(select(MAILS.c.judgement).where(MAILS.c.raw_digest == raw_digest))
    if stored is None:
        return None
    before = Judgement.model_validate_json(stored)
    if before.person is None:
        return before.model_copy(update={"halted_runs": ()})
    changes: dict[str, Any] = {"outcome": Outcome.IGNORED, "reason": "the same mail again", "check": 5}
    changes |= {"halted_runs": (), "repeats": before.outcome}
    return before.model_copy(update=changes)
