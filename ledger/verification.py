"""Is a run's record whole? The chain, the contents that it names, and the evidence under every effect."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from ledger.audit import append, chain_faults, read_trail
from ledger.content import get_content
from ledger.erasure_record import erased_contents, erasure_faults, erasure_lines, erasure_of
from ledger.errors import ContentAltered, ContentMissing, RunUnknown
from ledger.proof import asked, is_hashed, request_faults, vote_faults
from ledger.reviews import read_reviews
from ledger.schema import CONTENT, CONTENT_USES, RUNS
from ledger.schema_approval import DECISIONS, EFFECTS, VOTES
from ledger.transactions import Store
from wire.audit import AuditEvent, ChainVerdict


class AuditTrail(Store):
    """Reading and verifying the chain."""

    def trail(self, run_id: str) -> tuple[AuditEvent, ...]:
        """All events of a run in order."""
        with self.reading() as connection:
            return read_trail(connection, run_id)

    def note(
        self, run_id: str, kind: str, payload: Mapping[str, Any], content: Mapping[str, str], at: datetime
    ) -> None:
        """Append what a stage did that no other entry records; ``content`` names digests by role. Raises RunUnknown."""
        with self.writing(run_id) as connection:
            append(connection, run_id, kind, at, payload, content)

    def verify(self, run_id: str) -> ChainVerdict:
        """Recompute the chain and check all that it names: contents, decisions, effects. Raises RunUnknown."""
        with self.reading() as connection:
            return verdict_on(connection, run_id)[0]


def verdict_on(connection: Connection, run_id: str) -> tuple[ChainVerdict, tuple[AuditEvent, ...]]:
    """``AuditTrail.verify`` inside a transaction, with the events that it judged."""
    run = connection.execute(select(RUNS).where(RUNS.c.run_id == run_id)).one_or_none()
    if run is None:
        raise RunUnknown(run_id)
    events = read_trail(connection, run_id)
    faults = chain_faults(events, run.audit_seq, run.audit_hash)
    if not faults:
        # What an altered chain says of decisions and effects proves nothing either way.
        faults += erasure_faults(events)
        faults += (
            []
            if (run.erased_at is None) == (erasure_of(events) is None)
            else ["the run's row and its chain differ on its erasure"]
        )
        faults += _decision_faults(connection, run_id, events)
        faults += vote_faults(events, connection.execute(select(VOTES).where(VOTES.c.run_id == run_id)))
        faults += [f for review in read_reviews(connection, run_id) for f in request_faults(events, review)]
        faults += _effect_faults(connection, run_id, events)
    faults += _content_faults(connection, events)
    verdict = ChainVerdict(
        run_id=run_id, events=len(events), intact=not faults, faults=tuple(faults), erased=erasure_lines(events)
    )
    return verdict, events


def content_names(events: tuple[AuditEvent, ...]) -> Iterator[tuple[AuditEvent, str, str]]:
    """Every content that the chain names: event, role, digest."""
    for event in events:
        named = event.payload.get("content")
        for role, digest in named.items() if isinstance(named, dict) else ():
            yield event, role, str(digest)


def _content_faults(connection: Connection, events: tuple[AuditEvent, ...]) -> list[str]:
    """Contents that are gone or altered though no erasure names them, and such as it names that are still there."""
    erased = erased_contents(events)
    faults = []
    for event, role, digest in content_names(events):
        if digest in erased:
            continue
        try:
            get_content(connection, digest)
        except (ContentMissing, ContentAltered) as fault:
            faults.append(f"event {event.seq} ({event.kind}), {role}: {fault}")
    return faults + [f"content {digest} was to be erased and is still there" for digest in _left(connection, erased)]


def _left(connection: Connection, erased: frozenset[str]) -> list[str]:
    unnamed = CONTENT.c.digest.not_in(select(CONTENT_USES.c.digest))
    here = select(CONTENT.c.digest).where(CONTENT.c.digest.in_(erased), unnamed)
    return sorted(connection.scalars(here)) if erased else []


def _decision_faults(connection: Connection, run_id: str, events: tuple[AuditEvent, ...]) -> list[str]:
    """Every decision row says what the chain recorded when its mail was judged."""
    judged = {e.payload["content"]["raw"]: e.payload for e in events if e.kind == "mail_judged"}
    noted = {e.payload["evidence_id"] for e in events if e.kind == "collision_noted"}
    faults = []
    for row in connection.execute(select(DECISIONS).where(DECISIONS.c.run_id == run_id)):
        said = judged.get(row.evidence_id)
        if said is None and row.evidence_id not in noted:
            faults.append(f"decision {row.evidence_id} has no event")
        elif said is not None and _said(said) != (row.outcome, row.person, row.principal, row.received_at):
            faults.append(
                f"decision {row.evidence_id} ({row.outcome}) says otherwise than its event ({said['outcome']})"
            )
    return faults


def _said(event: dict[str, Any]) -> tuple[str, str, str, datetime]:
    received_at = datetime.fromisoformat(event["received_at"])
    return event["outcome"], event["person"] or "", event["principal"] or "", received_at


def _effect_faults(connection: Connection, run_id: str, events: tuple[AuditEvent, ...]) -> list[str]:
    """Every effect stands on an intent event, approvals up to its quorum for these bytes, and a call that hashes to them."""
    opened = {e.payload["effect_key"]: e.payload for e in events if e.kind == "intent_opened"}
    recorded = {e.payload["effect_key"]: e.payload for e in events if e.kind == "effect_recorded"}
    erased = erasure_of(events) is not None
    rows = connection.execute(select(EFFECTS).where(EFFECTS.c.run_id == run_id)).all()
    faults = [
        f"effect {key} is in the chain but not in the table" for key in opened.keys() - {r.effect_key for r in rows}
    ]
    for row in rows:
        if row.effect_key not in opened:
            faults.append(f"effect {row.effect_key} has no intent event")
            continue
        faults += _outcome_faults(events, row, recorded.get(row.effect_key, {}))
        said = asked(events, row.step, row.review)
        if said is None or said["call_digest"] != row.call_digest:
            faults.append(f"effect {row.effect_key} is not the call of its request")
        elif _approvals(events, row.step, row.review, row.call_digest) < int(said["quorum"]):
            faults.append(f"effect {row.effect_key} lacks the approvals of its quorum")
        if erased:
            faults += [] if _was_validated(events, row) else [f"effect {row.effect_key}: no event validated its call"]
        elif not is_hashed(connection, events, row.step, row.call_digest):
            faults.append(f"effect {row.effect_key}: no validated call of step {row.step} hashes to {row.call_digest}")
    return faults


def _outcome_faults(events: tuple[AuditEvent, ...], row: Row[Any], event: dict[str, Any]) -> list[str]:
    """Whether an outcome is the recorded one, and what stands on a person's word stands on an act of theirs."""
    faults = []
    if event.get("outcome") != row.outcome:
        faults.append(f"effect {row.effect_key} says {row.outcome}, its event {event.get('outcome')}")
    if (event.get("settled_by") or None) != row.settled_by:
        faults.append(
            f"effect {row.effect_key} is settled by {row.settled_by}, its event says {event.get('settled_by')}"
        )
    acts = [e.payload for e in events if e.kind == "operator_act" and e.payload.get("kind") == "settle"]
    word = {"executed": "succeeded", "failed": "failed"}.get(str(row.outcome))
    if row.settled_by and not any(_settles(act, row.step, row.settled_by, word) for act in acts):
        faults.append(f"effect {row.effect_key} is settled and no operator's act settles it so")
    return faults


def _settles(act: dict[str, Any], step: int, actor: str, word: str | None) -> bool:
    said = act.get("details") or {}
    return (act.get("actor"), said.get("step"), said.get("settled")) == (actor, step, word)


def _was_validated(events: tuple[AuditEvent, ...], row: Row[Any]) -> bool:
    """All that is left to say of an erased call: its bytes had hashed to this digest when they were validated."""
    wanted = ("verdict_recorded", row.step, row.call_digest)
    return any((e.kind, e.payload.get("step"), e.payload.get("call_digest")) == wanted for e in events)


def _approvals(events: tuple[AuditEvent, ...], step: int, review: int, call_digest: str) -> int:
    wanted = ("accepted", step, review, call_digest)
    judged = (e.payload for e in events if e.kind == "mail_judged")
    return len({p["principal"] for p in judged if (p["outcome"], p["step"], p["review"], p["call_digest"]) == wanted})
