"""The chain tells what happened, and tells when it was tampered with."""

import pytest
from sqlalchemy import delete, insert, update

from ledger.account import account_for
from ledger.audit import GENESIS, chain_faults
from ledger.errors import RunUnknown
from ledger.schema import AUDIT, CONTENT, RUNS, TURNS
from ledger.schema_approval import DECISIONS, EFFECTS
from tests.unit.ledger.world import World, at, make_call
from wire.audit import AuditEvent
from wire.call import CallResult, ExecutedCall

OLD = "63c29ae92402a66767be2087b67777ca39eb44123cb06c80fa3f41586bb3e74c"
"""Hash of an event as release 0.1.0 wrote it: it must never come out otherwise."""


@pytest.fixture
def finished(world: World) -> World:
    """A run with one executed write."""
    world.open_run()
    world.answer("approve", comment="fine")
    key = world.dispatch().effect_key
    result = ExecutedCall(effect_key=key, digest=make_call("1").digest, result=CallResult(status=201))
    world.ledger.record_effect(key, "executed", result, at(7))
    return world


def tamper(world: World, statement) -> tuple[str, ...]:
    with world.ledger.writing() as connection:
        connection.execute(statement)
    return world.ledger.verify("run-a").faults


def test_an_untouched_run_is_whole(finished: World):
    verdict = finished.ledger.verify("run-a")
    assert (verdict.intact, verdict.events) == (True, len(finished.ledger.trail("run-a")))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("payload", '{"step":1}'),
        ("payload", "no JSON"),
        ("payload", '{"content":7}'),
        ("kind", "nothing"),
        ("at", at(99)),
        ("hash", "f" * 64),
        ("prev_hash", "f" * 64),
    ],
)
@pytest.mark.parametrize("seq", [1, 3, 8])
def test_an_altered_event_is_found(finished: World, seq: int, column: str, value: object):
    assert tamper(finished, update(AUDIT).where(AUDIT.c.seq == seq).values({column: value}))


@pytest.mark.parametrize("seq", [1, 4, "last"])
def test_a_removed_event_is_found(finished: World, seq: int | str):
    number = finished.ledger.run("run-a").events if seq == "last" else seq
    assert tamper(finished, delete(AUDIT).where(AUDIT.c.seq == number))


def test_an_added_event_is_found(finished: World):
    last = finished.ledger.trail("run-a")[-1]
    values = last.model_dump() | {
        "seq": last.seq + 1,
        "payload": "{}",
        "public": "{}",
        "prev_hash": last.hash,
        "hash": "e" * 64,
    }
    assert tamper(finished, insert(AUDIT).values(**values))


@pytest.mark.parametrize("gone", ["raw", "comment", "turn", "validated", "context", "executed", "mail_0"])
def test_missing_content_is_found(finished: World, gone: str):
    named = [e.payload["content"][gone] for e in finished.ledger.trail("run-a") if gone in e.payload.get("content", {})]
    assert tamper(finished, delete(CONTENT).where(CONTENT.c.digest == named[0]))


def test_a_changed_raw_mail_is_found(finished: World):
    evidence_id = finished.ledger.decisions("run-a")[0].evidence_id
    faults = tamper(finished, update(CONTENT).where(CONTENT.c.digest == evidence_id).values(body=b"APPROVE"))
    assert any("altered" in fault for fault in faults)


def test_a_changed_decision_is_found(finished: World):
    assert tamper(finished, update(DECISIONS).values(outcome="rejected"))


def test_an_effect_on_another_call_is_found(finished: World):
    assert tamper(finished, update(EFFECTS).values(call_digest=make_call("2").digest))


def test_a_removed_effect_is_found(finished: World):
    assert tamper(finished, delete(EFFECTS))


def test_a_changed_outcome_of_an_effect_is_found(finished: World):
    assert tamper(finished, update(EFFECTS).values(outcome="failed"))


def test_a_shortened_chain_with_a_forged_head_lacks_what_the_tables_hold(finished: World):
    trail = finished.ledger.trail("run-a")
    cut = next(e for e in trail if e.kind == "intent_opened")
    tamper(finished, delete(AUDIT).where(AUDIT.c.seq >= cut.seq))
    head = update(RUNS).values(audit_seq=cut.seq - 1, audit_hash=cut.prev_hash)
    assert tamper(finished, head) == (f"effect {cut.payload['effect_key']} has no intent event",)


def test_the_account_of_a_write_answers_the_auditors_questions(finished: World):
    (account,) = account_for(finished.ledger.trail("run-a"))
    assert (account.rule_id, account.policy_version, account.asked, account.quorum) == ("all", "1", ("ann",), 1)
    assert [(a.person, a.evidence_id) for a in account.approvals] == [
        ("ann", finished.ledger.decisions("run-a")[0].evidence_id)
    ]
    assert finished.ledger.get(account.validated_digest) == make_call("1").model_dump_json().encode()
    assert account.outcome == "executed"


def test_the_account_names_the_turn_and_the_model(finished: World):
    (account,) = account_for(finished.ledger.trail("run-a"))
    assert account.origin is not None
    assert account.origin.exchanges == (("planner", "m", "1", "fill"),)
    with finished.ledger.reading() as connection:
        assert account.origin.turn_digest == connection.scalar(TURNS.select().with_only_columns(TURNS.c.turn_digest))


def test_an_unknown_run_has_no_verdict(world: World):
    with pytest.raises(RunUnknown):
        world.ledger.verify("run-z")


def test_every_event_names_a_policy_version(finished: World):
    """The one that it states, the one in force where it was written, or the one that the run knew last."""
    finished.ledger.in_force = "2+f00d"
    finished.ledger.remark("run-a", "note", "olga", "operator", "heard", {}, at(9))
    finished.ledger.in_force = ""
    finished.ledger.remark("run-a", "note", "olga", "operator", "heard more", {}, at(10))
    versions = [e.payload["policy_version"] for e in finished.ledger.trail("run-a")]
    assert versions[0] == "1"
    assert versions[-2:] == ["2+f00d", "2+f00d"]
    assert finished.ledger.verify("run-a").intact


def test_a_record_that_was_exported_by_the_release_before_still_holds():
    line = (
        '{"run_id":"run-a","seq":1,"kind":"run_registered","at":"2026-03-02T12:00:00Z","payload":{"requester":"rita"},'
        f'"prev_hash":"{GENESIS}","hash":"{OLD}"}}'
    )
    event = AuditEvent.model_validate_json(line)
    assert chain_faults((event,), 1, OLD) == []
    assert chain_faults((event.model_copy(update={"payload": {"requester": "ann"}}),), 1, OLD) != []
