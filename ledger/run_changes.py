"""Acts of operators as the audit chain holds them: the chain is what proves them, so it is read and not a copy."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from ledger.audit import read_events
from ledger.schema_approval import REQUEST_MAILS
from policies.run_rules import Change
from wire.base import Wire

ASKING_AGAIN = frozenset({"reissue", "extend", "delegate", "replace"})
"""Acts after which the review that was waiting is asked afresh."""


class ProvenAct(Wire):
    """One act with its details."""

    kind: str
    actor: str
    role: str
    reason: str
    at: datetime
    details: dict[str, Any] = {}


def acts_of(connection: Connection, run_id: str) -> tuple[ProvenAct, ...]:
    """All acts on a run in order."""
    return tuple(
        ProvenAct(
            kind=str(event.payload.get("kind", "")),
            actor=str(event.payload.get("actor", "")),
            role=str(event.payload.get("role", "")),
            reason=str(event.payload.get("reason", "")),
            at=event.at,
            details=event.payload.get("details") or {},
        )
        for event in read_events(connection, run_id, "operator_act")
    )


def changes_of(acts: tuple[ProvenAct, ...]) -> tuple[Change, ...]:
    """Seats that operators shifted."""
    return tuple(
        Change(
            kind="replace" if act.kind == "replace" else "delegate",
            from_person=str(act.details["from"]),
            to_person=str(act.details["to"]),
            since=act.at,
            until=datetime.fromisoformat(act.details["until"]) if act.details.get("until") else None,
        )
        for act in acts
        if act.kind in ("replace", "delegate") and {"from", "to"} <= act.details.keys()
    )


def asked_again(acts: tuple[ProvenAct, ...], step: int, review: int) -> bool:
    """Whether an operator ended this review so that its call is asked afresh."""
    return any(
        act.kind in ASKING_AGAIN and (act.details.get("step"), act.details.get("review")) == (step, review)
        for act in acts
    )


def unreachable_of(connection: Connection, run_id: str) -> frozenset[str]:
    """Addresses (folded) at which mail of the run failed for good, while nothing since says that they take mail again: no
    believed answer of that person, no operator who had the call asked afresh.
    """
    failed: set[Copy] = set()
    owners: dict[Copy, tuple[str, str]] | None = None
    kinds = ("request_undeliverable", "operator_act", "mail_judged")
    for event in read_events(connection, run_id, *kinds) if read_events(connection, run_id, kinds[0]) else ():
        said = event.payload
        if event.kind == "request_undeliverable" and not event.erased:
            failed.add((said["step"], said["review"], said["addressee"]))
        elif event.kind == "operator_act" and said.get("kind") in {*ASKING_AGAIN, "release"}:
            failed.clear()
        elif failed and event.kind == "mail_judged" and said.get("person"):
            owners = owners or _owners(connection, run_id)
            failed = {copy for copy in failed if owners[copy][0] != said["person"]}
    owners = owners or (_owners(connection, run_id) if failed else {})
    return frozenset(owners[copy][1] for copy in failed)


Copy = tuple[int, int, int]
"""Step, review and addressee of one mail."""


def _owners(connection: Connection, run_id: str) -> dict[Copy, tuple[str, str]]:
    """Person and address of every copy."""
    rows = connection.execute(select(REQUEST_MAILS).where(REQUEST_MAILS.c.run_id == run_id))
    return {(row.step, row.review, row.addressee): (row.person, row.address) for row in rows}


def window_of(acts: tuple[ProvenAct, ...], step: int) -> int | None:
    """The window in seconds that an operator gave to the reviews of a step from now on."""
    given = [a.details.get("window_seconds") for a in acts if a.kind == "extend" and a.details.get("step") == step]
    return int(given[-1]) if given and given[-1] is not None else None
