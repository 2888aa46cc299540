"""The evidence and decision gates (design.md section 4): mail in, judgement out, one transaction; and what was decided."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from ledger.blocking import read_blocks
from ledger.content import get_content
from ledger.errors import ContentAltered, ContentMissing, EvidenceMissing
from ledger.facts import approvals_of, erased_among, votes_for
from ledger.judging import IncomingMail, policy_in_run, rule_on
from ledger.lookup import find_named
from ledger.recording import Recording, known_judgement
from ledger.records import Block, MailRow
from ledger.reviews import find_review, read_review
from ledger.schema import META
from ledger.schema_approval import DECISIONS, EVIDENCE, MAILS
from ledger.transactions import Store, lock_runs
from policies.canonical import sha256_hex
from policies.dispatch_checks import Vote
from wire.approval import DecisionRecord, Judgement, Outcome
from wire.policy import Policy

UNTOUCHED = Judgement(outcome=Outcome.UNTOUCHED, reason="untouched", check=3)
PRECEDENCE = (Outcome.COLLISION, Outcome.REJECTED, Outcome.ACCEPTED, Outcome.LATE, Outcome.UNDELIVERABLE)


class Evidence(Store):
    """Judging mail, and reading what was made of it."""

    def judge_batch(self, mails: Sequence[IncomingMail], policy: Policy, at: datetime) -> tuple[Judgement, ...]:
        """Judge the replies of one poll together, in the order given (the mailbox's).

        One transaction: no write can be dispatched on a YES of the batch before a NO of the same batch is in force, so
        that the NO wins while the order of evidence stays as received. An untouched mail leaves no trace.
        """
        for mail in mails:
            if sha256_hex(mail.raw) != mail.parsed.raw_digest:
                raise ValueError(f"mail {mail.parsed.raw_digest} was parsed from other bytes than are to be stored")
        with self.writing(across_runs=True) as connection:
            epoch = str(connection.scalars(select(META.c.epoch)).one())
            found = [find_named(connection, mail.parsed) for mail in mails]
            runs = {key.run_id for named in found if named for key in (named.key, *named.others)}
            lock_runs(connection, tuple(sorted(runs)))
            erased = erased_among(connection, runs)
            found = [None if named is None or named.key.run_id in erased else named for named in found]
            # No mail shifts a seat: read once a run, not once a mail.
            touched = {named.key.run_id for named in found if named is not None}
            rules = {run_id: policy_in_run(connection, run_id, policy) for run_id in touched}
            judgements = []
            for mail, named in zip(mails, found, strict=True):
                judgement = known_judgement(connection, mail.parsed.raw_digest) if named else UNTOUCHED
                if judgement is None and named is not None:
                    judged = rule_on(connection, mail, named, rules[named.key.run_id], at)
                    judgement = Recording(connection, epoch, policy, mail, at).record(judged)
                judgements.append(judgement or UNTOUCHED)
        return tuple(judgements)

    def decision(self, run_id: str, step: int, review: int, evidence_id: str) -> DecisionRecord | None:
        """The decision that a signal names, if there is one. Raises EvidenceMissing when its raw mail does not prove it."""
        here = (DECISIONS.c.run_id == run_id, DECISIONS.c.step == step, DECISIONS.c.review == review)
        query = select(DECISIONS).where(*here, DECISIONS.c.evidence_id == evidence_id)
        with self.reading() as connection:
            row = connection.execute(query).one_or_none()
            return None if row is None else _proven(connection, row)

    def standing(self, run_id: str, step: int, review: int) -> DecisionRecord | None:
        """What counts for a review now, whatever was signalled: collision, a NO to any review of the step in force, YES
        votes (of a review that is live; compare ``approvals`` with the quorum), a late YES, undeliverability; else None.
        """
        with self.reading() as connection:
            request = find_review(connection, run_id, step, review)
            blocking = {b.evidence_id for b in read_blocks(connection, run_id, step) if b.evidence_id is not None}
            query = (
                select(DECISIONS).where(DECISIONS.c.run_id == run_id).order_by(DECISIONS.c.at, DECISIONS.c.received_at)
            )
            rows = [
                row
                for row in connection.execute(query)
                if row.evidence_id in blocking
                or (row.step, row.review) == (step, review)
                and row.outcome in ("accepted", "late", "undeliverable")
                and (row.outcome != "accepted" or (request is not None and request.is_live))
            ]
            for outcome in PRECEDENCE:
                matching = [row for row in rows if row.outcome == outcome]
                if matching:
                    return _proven(connection, matching[-1])
        return None

    def principals(self, run_id: str, step: int, review: int) -> tuple[str, ...]:
        """Designated approvers for whom a YES to this review stands, whether they or their delegates gave it."""
        with self.reading() as connection:
            votes = votes_for(connection, read_review(connection, run_id, step, review))
        return tuple(sorted({principal for principal, _ in votes.values()}))

    def votes(self, run_id: str, step: int, review: int) -> tuple[Vote, ...]:
        """Every YES that stands for this review and its call."""
        with self.reading() as connection:
            held = votes_for(connection, read_review(connection, run_id, step, review))
            ids = [evidence_id for _, evidence_id in held.values()]
            query = select(EVIDENCE.c.evidence_id, EVIDENCE.c.received_at).where(EVIDENCE.c.evidence_id.in_(ids))
            received = {row.evidence_id: row.received_at for row in connection.execute(query)}
        return tuple(Vote(person, principal, received[mail]) for person, (principal, mail) in sorted(held.items()))

    def decisions(self, run_id: str) -> tuple[DecisionRecord, ...]:
        """All decisions of a run in order, unproven: for lists and reports."""
        query = select(DECISIONS).where(DECISIONS.c.run_id == run_id).order_by(DECISIONS.c.at, DECISIONS.c.received_at)
        with self.reading() as connection:
            return tuple(_record(connection, row) for row in connection.execute(query).all())

    def mails(self, run_id: str) -> tuple[MailRow, ...]:
        """Every mail that was judged as naming this run, refused ones too."""
        query = select(MAILS).where(MAILS.c.run_id == run_id).order_by(MAILS.c.at, MAILS.c.received_at)
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return tuple(mail_row(row) for row in rows)

    def blocks(self, run_id: str) -> tuple[Block, ...]:
        """Everything in force against writes of the run, of whatever step."""
        with self.reading() as connection:
            return read_blocks(connection, run_id)


def mail_row(row: Row[Any]) -> MailRow:
    """A judged mail as a value."""
    fields = {k: v for k, v in row._mapping.items() if k in MailRow.model_fields}
    return MailRow(check=row.check_number, **fields)


def _proven(connection: Connection, row: Row[tuple[object, ...]]) -> DecisionRecord:
    try:
        get_content(connection, row.evidence_id)
    except (ContentMissing, ContentAltered) as fault:
        raise EvidenceMissing(row.evidence_id, str(fault)) from fault
    return _record(connection, row)


def _record(connection: Connection, row: Row[tuple[object, ...]]) -> DecisionRecord:
    request = find_review(connection, row.run_id, row.step, row.review)
    approvals = approvals_of(votes_for(connection, request)) if request is not None else 0
    return DecisionRecord.model_validate(dict(row._mapping) | {"approvals": approvals})
