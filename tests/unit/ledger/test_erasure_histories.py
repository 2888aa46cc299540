"""Whatever happened in a run: erased it is whole, names nobody, says the same, and every change after that is found."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, delete, insert, select, update

from ledger.errors import LedgerError
from ledger.schema import AUDIT, CONTENT, OPERATOR_ACTS, OUTBOX, RUNS
from ledger.schema_approval import BLOCKS, DECISIONS, EFFECTS, EVIDENCE, MAILS, REQUEST_MAILS, REQUESTS, VOTES
from ledger.store import Ledger, open_ledger
from policies.canonical import sha256_hex
from tests.unit.ledger.test_histories import Event, Player, histories
from tests.unit.ledger.world import NOON, make_policy
from wire.task import RunState

KEPT = make_policy(retention_days=30)
DUE = NOON + timedelta(days=40)
OF_RUN = (
    RUNS,
    AUDIT,
    REQUESTS,
    REQUEST_MAILS,
    MAILS,
    EVIDENCE,
    DECISIONS,
    VOTES,
    BLOCKS,
    EFFECTS,
    OPERATOR_ACTS,
    OUTBOX,
)
NAMES = re.compile(r"\b(?:ann|bob|rita|dora|eve)\b|@corp\.example|@evil", re.IGNORECASE)
FALSE = "e" * 64
CHANGES: dict[Table, dict[str, Any]] = {
    AUDIT: {"payload": '{"outcome": "accepted"}', "kind": "x", "at": NOON + timedelta(days=1), "hash": FALSE},
    DECISIONS: {"outcome": "other", "person": "person-x", "received_at": DUE},
    VOTES: {"person": "person-x", "principal": "person-x", "call_digest": FALSE},
    EFFECTS: {"outcome": "failed", "call_digest": FALSE, "settled_by": "person-x"},
    REQUESTS: {"deadline": DUE, "call_digest": FALSE},
    RUNS: {"erased_at": None, "audit_hash": FALSE, "audit_seq": 1},
}
MORE = {"prev_hash": FALSE, "whole": FALSE, "salt": "s", "public": "{}", "erased": 0, "version": 1}
CHANGES[AUDIT] |= MORE
changes = st.sampled_from([(table, column) for table, columns in CHANGES.items() for column in columns])


BOUNDS = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    """One ledger for all histories; its keys are counted, so that a failure can be played again."""
    numbers = iter(range(10**9))
    opened = open_ledger("sqlite://", random_epoch=lambda: f"key-{next(numbers)}")
    yield opened
    opened.dispose()


def played(ledger: Ledger, events: list[Event]) -> Player:
    """Two runs with that history, ended and due."""
    player = Player(ledger)
    player.play(events)
    for book in player.books:
        ledger.close(book.run_id, RunState.COMPLETED, "done, says Ann", NOON + timedelta(hours=3))
    return player


def erase(ledger: Ledger, run_id: str) -> None:
    ledger.erase(run_id, KEPT, "olga", "operator", "retention", DUE)


def outcomes(ledger: Ledger, run_id: str) -> list[tuple[str, str]]:
    return [(decision.evidence_id, decision.outcome) for decision in ledger.decisions(run_id)]


@BOUNDS
@given(events=histories)
def test_an_erased_run_is_whole_and_says_the_same_of_nobody(ledger: Ledger, events: list[Event]):
    run_id = played(ledger, events).books[0].run_id
    before = outcomes(ledger, run_id), len({d.person for d in ledger.decisions(run_id)})
    erase(ledger, run_id)
    assert (outcomes(ledger, run_id), len({d.person for d in ledger.decisions(run_id)})) == before
    verdict = ledger.verify(run_id)
    assert (verdict.faults, len(verdict.erased)) == ((), 2)
    with ledger.reading() as connection:
        held = [tuple(row) for t in OF_RUN for row in connection.execute(select(t).where(t.c.run_id == run_id))]
    assert NAMES.findall(str(held)) == []


@BOUNDS
@given(events=histories)
def test_erasing_one_run_leaves_the_other_whole(ledger: Ledger, events: list[Event]):
    first, second = played(ledger, events).books
    erase(ledger, first.run_id)
    assert (ledger.verify(second.run_id).faults, ledger.verify(second.run_id).erased) == ((), ())
    erase(ledger, second.run_id)
    assert (ledger.verify(first.run_id).faults, ledger.verify(second.run_id).faults) == ((), ())


@BOUNDS
@given(events=histories, change=changes, which=st.integers(0, 30))
def test_every_change_after_an_erasure_is_found(
    ledger: Ledger, events: list[Event], change: tuple[Table, str], which: int
):
    run_id = played(ledger, [{"kind": "clean", "run": 0}, {"kind": "write", "run": 0}, *events]).books[0].run_id
    erase(ledger, run_id)
    table, column = change
    with ledger.reading() as connection:
        rows = connection.execute(select(table).where(table.c.run_id == run_id)).all()
    row = rows[which % len(rows)]
    keys = list(table.primary_key.columns)
    here = [key == row._mapping[key] for key in keys]
    value = sha256_hex(run_id.encode()) if CHANGES[table][column] == FALSE else CHANGES[table][column]
    with ledger.writing() as connection:
        connection.execute(update(table).where(*here).values({column: value}))
    assert ledger.verify(run_id).faults


@BOUNDS
@given(events=histories, which=st.integers(0, 30))
def test_a_missing_event_or_a_mail_that_came_back_is_found(ledger: Ledger, events: list[Event], which: int):
    run_id = played(ledger, [{"kind": "clean", "run": 0}, *events]).books[0].run_id
    raw = ledger.raw_mail(ledger.mails(run_id)[0].raw_digest)
    erase(ledger, run_id)
    with ledger.writing() as connection:
        values = {"digest": sha256_hex(raw), "media_type": "message/rfc822", "body": raw, "at": NOON}
        connection.execute(insert(CONTENT).values(**values))
    assert "still there" in ledger.verify(run_id).faults[0]
    seq = 1 + which % ledger.run(run_id).events
    with ledger.writing() as connection:
        connection.execute(delete(CONTENT).where(CONTENT.c.digest == sha256_hex(raw)))
        connection.execute(delete(AUDIT).where(AUDIT.c.run_id == run_id, AUDIT.c.seq == seq))
    assert ledger.verify(run_id).faults


def test_a_crash_within_an_erasure_leaves_all_as_it_was(ledger: Ledger):
    """Nothing is half erased: what raises in between undoes the rest."""
    run_id = played(ledger, [{"kind": "clean", "run": 0}]).books[0].run_id
    before = ledger.trail(run_id)

    def dying() -> None:
        with ledger.jointly(run_id, across_runs=True):
            erase(ledger, run_id)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        dying()
    assert ledger.trail(run_id) == before
    assert (ledger.verify(run_id).faults, ledger.verify(run_id).erased) == ((), ())
    with pytest.raises(LedgerError):
        ledger.erase(run_id, make_policy(), "olga", "operator", "no retention in this policy", DUE)
