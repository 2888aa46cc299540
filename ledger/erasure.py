"""Erasure by retention: what names people leaves the ledger, digests and chain stay. One transaction a run."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from ledger import audit
from ledger.erased_tables import empty_tables
from ledger.erasure_record import ERASED, due_at, residue
from ledger.errors import ActRefused, RunErased, RunUnknown
from ledger.pseudonyms import public_part
from ledger.schema import AUDIT, CONTENT, CONTENT_USES, OPERATOR_ACTS, RUNS
from ledger.text import storable
from ledger.transactions import Store
from ledger.verification import verdict_on
from policies.canonical import canonical_json
from policies.rulebook import policy_version
from wire.audit import AuditEvent
from wire.base import Wire
from wire.policy import Policy
from wire.task import FINAL_STATES


class Erased(Wire):
    """What erasing a run took away. ``shared``: contents that another run still names, so that their bytes stay."""

    run_id: str
    events: int
    contents: int
    shared: int


class Erasure(Store):
    """Retention, as policy says it."""

    def due_runs(self, policy: Policy, at: datetime, limit: int = 100) -> tuple[str, ...]:
        """Runs whose retention has ended, the longest closed first; none without ``retention_days``."""
        if policy.retention_days is None:
            return ()
        ended = RUNS.c.closed_at <= at - timedelta(days=policy.retention_days)
        query = select(RUNS.c.run_id).where(ended, RUNS.c.erased_at.is_(None))
        with self.reading() as connection:
            return tuple(connection.scalars(query.order_by(RUNS.c.closed_at, RUNS.c.run_id).limit(limit)))

    def erase(self, run_id: str, policy: Policy, actor: str, role: str, reason: str, at: datetime) -> Erased:
        """Erase a run that is due. Raises ActRefused when it is not or when its record is not intact, RunErased, RunUnknown."""
        with self.writing(run_id, across_runs=True) as connection:
            run = connection.execute(select(RUNS).where(RUNS.c.run_id == run_id)).one_or_none()
            days = _retention(run_id, run, policy, at)
            verdict, events = verdict_on(connection, run_id)
            if not verdict.intact:
                fault = verdict.faults[0]
                raise ActRefused(f"the record of run {run_id} is not intact ({fault}): erasing it would hide that")
            assert run is not None
            residues = _empty_events(connection, events, run.trail_key)
            named, kept = _empty_contents(connection, run_id)
            empty_tables(connection, run_id, run.trail_key, at)
            # A key of its own for the act: with the run's own key, which is gone now, its pseudonyms could be tried out.
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(trail_key=self.random_key()))
            act: dict[str, Any] = {"actor": actor, "role": role, "reason": storable(reason)}
            said: dict[str, Any] = {"policy_version": policy_version(policy), "retention_days": days}
            said |= {"closed_at": run.closed_at.isoformat(), "contents": named, "residues": residues}
            audit.append(connection, run_id, ERASED, at, act | said)
            connection.execute(insert(OPERATOR_ACTS).values(run_id=run_id, kind="erase", at=at, **act))
            sealed = {"trail_key": "", "erased_at": at}
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(**sealed))
        self.empty_journal()
        return Erased(run_id=run_id, events=len(events), contents=len(named), shared=kept)

    def sweep_contents(self, policy: Policy, at: datetime) -> int:
        """Delete contents older than the retention that no run names: what processes that died between two entries left."""
        if policy.retention_days is None:
            return 0
        old = CONTENT.c.at <= at - timedelta(days=policy.retention_days)
        unnamed = CONTENT.c.digest.not_in(select(CONTENT_USES.c.digest))
        with self.writing(across_runs=True) as connection:
            held = select(CONTENT.c.digest).where(old, unnamed).with_for_update()
            orphans = list(connection.scalars(held))
            gone = _delete_unnamed(connection, orphans)
        self.empty_journal()
        return gone

    def folders_to_erase(self, limit: int = 100) -> tuple[tuple[str, datetime], ...]:
        """Erased runs whose mails the mailroom has yet to delete from the mailbox, with when they had closed."""
        owed = (RUNS.c.erased_at.is_not(None), RUNS.c.folders_erased_at.is_(None))
        query = select(RUNS.c.run_id, RUNS.c.closed_at).where(*owed).order_by(RUNS.c.erased_at, RUNS.c.run_id)
        with self.reading() as connection:
            return tuple((row.run_id, row.closed_at) for row in connection.execute(query.limit(limit)))

    def folders_erased(self, run_id: str, at: datetime) -> None:
        """The mailbox holds no folder of that run any more."""
        with self.writing(run_id) as connection:
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(folders_erased_at=at))


def _retention(run_id: str, run: Row[Any] | None, policy: Policy, at: datetime) -> int:
    """The days that policy keeps a run, if it is due."""
    if run is None:
        raise RunUnknown(run_id)
    if run.erased_at is not None:
        raise RunErased(run_id)
    days = policy.retention_days
    if days is None:
        raise ActRefused(f"policy {policy.version} names no retention_days: nothing is ever erased under it")
    if run.state not in FINAL_STATES or run.closed_at is None:
        raise ActRefused(f"run {run_id} is open ({run.state}): only what has ended is erased")
    if at < due_at(run.closed_at, days):
        when = due_at(run.closed_at, days)
        raise ActRefused(f"run {run_id} closed {run.closed_at:%Y-%m-%d}: its {days} days end {when:%Y-%m-%d %H:%M} UTC")
    return days


def _empty_events(connection: Connection, events: tuple[AuditEvent, ...], key: str) -> dict[str, str]:
    """Leave the public part of every event; digests of what is left where its own hash does not cover that."""
    residues = {}
    for event in events:
        left = event.public if event.version > 1 and event.public is not None else public_part(event.payload, key)
        here = (AUDIT.c.run_id == event.run_id, AUDIT.c.seq == event.seq)
        values = {"payload": canonical_json(left).decode(), "public": None, "salt": "", "erased": 1}
        connection.execute(update(AUDIT).where(*here).values(**values))
        if event.version == 1:
            residues[str(event.seq)] = residue(event.model_copy(update={"payload": left}))
    return residues


def _empty_contents(connection: Connection, run_id: str) -> tuple[list[str], int]:
    """Delete every content that this run names and no other does. All that it named, and how many of them stay."""
    own = CONTENT_USES.c.run_id == run_id
    named = sorted(connection.scalars(select(CONTENT_USES.c.digest).where(own)))
    # Locked before it is asked who else names them: whoever is about to name one has locked its row, too.
    held = select(CONTENT.c.digest).where(CONTENT.c.digest.in_(named)).order_by(CONTENT.c.digest)
    connection.execute(held.with_for_update()).all()
    connection.execute(delete(CONTENT_USES).where(own))
    return named, len(named) - _delete_unnamed(connection, named)


def _delete_unnamed(connection: Connection, digests: list[str]) -> int:
    gone = delete(CONTENT).where(CONTENT.c.digest.in_(digests), CONTENT.c.digest.not_in(select(CONTENT_USES.c.digest)))
    return connection.execute(gone).rowcount
