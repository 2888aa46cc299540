"""Mail that was not believed: listed until somebody resolved it, judged once more on request. Nothing here accepts anything."""

from datetime import datetime

from sqlalchemy import Connection, select

from ledger.content import get_content
from ledger.evidence import mail_row
from ledger.judging import IncomingMail, policy_in_run, rule_on
from ledger.lookup import find_named
from ledger.records import MailRow
from ledger.run_changes import acts_of
from ledger.schema import OPERATOR_ACTS, RUNS
from ledger.schema_approval import MAILS
from ledger.transactions import Store
from policies.ruling import Ruling
from wire.approval import Outcome
from wire.policy import Policy


class Refused(Store):
    """Reading what was refused."""

    def refused_mails(self, run_id: str | None = None, *, resolved: bool = False) -> tuple[MailRow, ...]:
        """Refused and colliding mails, of one run or all, oldest first; those that were resolved only when asked for."""
        refused = MAILS.c.outcome.in_([Outcome.REFUSED.value, Outcome.COLLISION.value])
        kept = select(MAILS).join(RUNS, RUNS.c.run_id == MAILS.c.run_id).where(refused, RUNS.c.erased_at.is_(None))
        query = kept if run_id is None else kept.where(MAILS.c.run_id == run_id)
        with self.reading() as connection:
            rows = [mail_row(row) for row in connection.execute(query.order_by(MAILS.c.at, MAILS.c.raw_digest))]
            done = set() if resolved else _resolved(connection, {row.run_id for row in rows})
        return tuple(row for row in rows if row.raw_digest not in done)

    def raw_mail(self, raw_digest: str) -> bytes:
        """The bytes as they were received. Raises ContentMissing, ContentAltered."""
        with self.reading() as connection:
            return get_content(connection, raw_digest)

    def would_rule(self, mail: IncomingMail, policy: Policy, at: datetime) -> Ruling | None:
        """What checks 1 to 8 say of a mail under policy as it is now; records nothing. None when it names nothing of ours."""
        with self.reading() as connection:
            named = find_named(connection, mail.parsed)
            if named is None:
                return None
            return rule_on(connection, mail, named, policy_in_run(connection, named.key.run_id, policy), at).ruling


def _resolved(connection: Connection, run_ids: set[str]) -> set[str]:
    """Digests of mails that an operator resolved. The list of acts says where to look, the chain what was done."""
    acted = connection.scalars(select(OPERATOR_ACTS.c.run_id).where(OPERATOR_ACTS.c.kind == "resolve").distinct())
    acts = [act for run_id in run_ids.intersection(acted) for act in acts_of(connection, run_id)]
    return {str(act.details.get("mail")) for act in acts if act.kind == "resolve"}
