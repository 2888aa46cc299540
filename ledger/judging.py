"""One mail through checks 1 to 8, in order. Reads the ledger, writes nothing: ``ledger.evidence`` records what it says."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from ledger.clocks import clock_of
from ledger.facts import find_claim, message_key, requester_of, review_facts, was_dispatched
from ledger.records import RequestRow
from ledger.reviews import find_review, read_reviews
from ledger.run_changes import acts_of, changes_of
from policies.clock import Clock
from policies.decision_checks import judge_answer
from policies.evidence_checks import Claim, Named, ReviewKey, Voter, check_kind, check_sender, check_unused, find_voter
from policies.people import person_of
from policies.ruling import Ruling
from policies.run_rules import policy_for_run
from wire.approval import Outcome
from wire.base import Wire
from wire.mail import Authenticity, ParsedReply
from wire.policy import Policy


class IncomingMail(Wire):
    """One message of the mailbox as the mail side hands it over. ``received_at`` is our own server's receipt time.

    ``mailbox`` names whose server's clock was measured; empty where nobody measures (policy's own skew counts alone).
    """

    raw: bytes
    parsed: ParsedReply
    authenticity: Authenticity
    received_at: datetime
    mailbox: str = ""


@dataclass(frozen=True)
class Judged:
    """A ruling with what recording it needs. ``request`` is None when the mail names a run but no review of it; ``alert`` is
    for the operators.
    """

    ruling: Ruling
    named: Named
    request: RequestRow | None
    voter: Voter | None = None
    claim: Claim | None = None
    clock: Clock | None = None
    alert: str = ""

    @property
    def misused(self) -> bool:
        """Somebody who may not answer sent ids of two runs or a known Message-ID: nothing halts, the operator hears of it."""
        return self.voter is None and self.ruling.check > 1 and (bool(self.named.others) or self.claim is not None)

    @property
    def colliding(self) -> tuple[ReviewKey, ...]:
        """One review of each run that a collision touches."""
        keys = (self.named.key, *self.named.others, *((self.claim.key,) if self.claim else ()))
        first: dict[str, ReviewKey] = {}
        for key in keys:
            first.setdefault(key.run_id, key)
        return tuple(first.values())


def policy_in_run(connection: Connection, run_id: str, policy: Policy) -> Policy:
    """The policy with the seats that operators shifted in that run."""
    return policy_for_run(policy, changes_of(acts_of(connection, run_id)))


def rule_on(connection: Connection, mail: IncomingMail, named: Named, policy: Policy, at: datetime) -> Judged:
    """The ruling on a mail that names something of ours, judged at ``at`` under the policy of its run (``policy_in_run``)."""
    request = find_review(connection, named.key.run_id, named.key.step, named.key.review)
    parsed = mail.parsed
    early = check_kind(parsed) or check_sender(parsed, mail.authenticity, policy)
    if early is None and request is None:
        early = Ruling(Outcome.REFUSED, "answers no request", 3)
    claim = find_claim(connection, named.key.run_id, message_key(parsed), parsed.content_digest)
    if early is not None or request is None:
        ruling = early or Ruling(Outcome.REFUSED, "answers no request", 3)
        return Judged(ruling, named, request, claim=claim)
    voter = _find_voter(connection, mail, request, policy)
    if isinstance(voter, Ruling):
        return Judged(voter, named, request, claim=claim)
    used = check_unused(parsed, named, claim)
    if used is not None:
        return Judged(used, named, request, voter, claim)
    facts = review_facts(connection, request, voter.person)
    clock = clock_of(connection, mail.mailbox, mail.received_at, policy, at)
    skew = policy.clock_skew_seconds
    ruling = judge_answer(parsed.answer, parsed.answer_reason, facts, mail.received_at, skew, clock)
    return Judged(ruling, named, request, voter, clock=clock)


def claimed_person(judged: Judged, mail: IncomingMail, policy: Policy) -> str | None:
    """The designated approver in whose name an unauthenticated mail came: they should hear of it."""
    addresses = mail.parsed.from_addresses
    if judged.ruling.check != 2 or judged.request is None or len(addresses) != 1:
        return None
    person = person_of(policy, addresses[0])
    designated = {approver.person for approver in judged.request.plan.approvers}
    return person.id if person is not None and person.id in designated else None


def known_sender(judged: Judged, mail: IncomingMail, policy: Policy) -> str | None:
    """A person of ours whose authenticated answer failed check 4: they should hear that it did not count."""
    if judged.ruling.check != 4:
        return None
    person = person_of(policy, mail.parsed.from_addresses[0])
    return None if person is None else person.id


def _find_voter(connection: Connection, mail: IncomingMail, request: RequestRow, policy: Policy) -> Voter | Ruling:
    reviews = [request]
    if mail.parsed.answer == "reject" and not was_dispatched(connection, request.run_id, request.step):
        # A NO counts from a designated approver of any review of the step.
        reviews += read_reviews(connection, request.run_id, request.step)
    designated = tuple(dict.fromkeys(approver.person for review in reviews for approver in review.plan.approvers))
    requester = requester_of(connection, request.run_id)
    return find_voter(policy, mail.parsed.from_addresses[0], designated, requester, mail.received_at)
