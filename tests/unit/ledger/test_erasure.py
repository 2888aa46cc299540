"""Erasure by retention: people and their words go, chain and digests stay, and whatever is changed afterwards is found."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select, text, update

from ledger.audit import GENESIS, event_hash, read_trail
from ledger.columns import METADATA
from ledger.errors import ActRefused, ForeignExecution, RunErased
from ledger.migrations import upgrade
from ledger.schema import AUDIT, CONTENT, RUNS
from ledger.store import open_ledger
from ledger.transactions import make_engine
from policies.canonical import sha256_hex
from tests.unit.ledger.world import CONTEXT, NOON, World, at, make_call, make_policy
from wire.call import CallResult, ExecutedCall
from wire.task import RunState

KEPT = make_policy(retention_days=30)
DUE = NOON + timedelta(days=31)


def close(world: World, run_id: str = "run-a") -> None:
    key = world.dispatch(run_id).effect_key
    done = ExecutedCall(effect_key=key, digest=make_call("1").digest, result=CallResult(status=201))
    world.ledger.record_effect(key, "executed", done, at(7))
    world.ledger.close(run_id, RunState.COMPLETED, "order for ann made", at(8))


def erase(world: World, run_id: str = "run-a", when=DUE):
    return world.ledger.erase(run_id, KEPT, "olga", "operator", "retention", when)


@pytest.fixture
def closed(world: World) -> World:
    """A run with refused, unclear and clear mail, an act, and a write that two people approved; it has ended."""
    world.open_run(approvers=("ann", "bob"), quorum=2)
    world.answer("approve", "dora", authenticated=False)
    world.answer("unclear", "ann")
    world.ledger.remark("run-a", "note", "rita", "requester", "bob said yes in the lift", {"about": "bob"}, at(4))
    world.answer("approve", "ann", comment="well done, Bob")
    world.answer("approve", "bob")
    close(world)
    return world


def everything(world: World) -> str:
    """All that the database holds, as one text."""
    with world.ledger.reading() as connection:
        rows = [row for table in METADATA.tables.values() for row in connection.execute(select(table))]
    return "\n".join(bytes(v).decode() if isinstance(v, bytes) else str(v) for row in rows for v in row)


def test_an_erased_run_is_whole_and_says_what_was_erased(closed: World):
    done = erase(closed)
    verdict = closed.ledger.verify("run-a")
    assert (verdict.faults, done.shared) == ((), 0)
    assert all("erased by policy" in line for line in verdict.erased)


def test_nothing_that_names_a_person_is_left_but_who_erased(closed: World):
    before = everything(closed)
    erase(closed)
    after = everything(closed)
    named = r"\b(?:ann|bob|rita|dora)\b|lift|well done|create an order|@corp\.example|order for"
    assert len(set(re.findall(named, before, re.IGNORECASE))) == 11
    assert re.findall(named, after, re.IGNORECASE) == []
    assert "olga" in after


def test_nothing_is_left_in_the_files_while_others_are_connected(tmp_path):
    world = World(open_ledger(f"sqlite:///{tmp_path / 'ledger'}", random_epoch=lambda: "epoch-1"))
    world.open_run()
    world.answer("approve", "ann", comment="well done, Bob")
    close(world)
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    erase(world)
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    world.ledger.dispose()
    assert (b"well done" in held, b"@corp.example" in held) == (True, True)
    assert (b"well done" in left, b"order for ann" in left) == (False, False)


def test_every_content_of_the_run_is_gone(closed: World):
    erase(closed)
    with closed.ledger.reading() as connection:
        assert connection.scalars(select(CONTENT.c.digest)).all() == []


def test_that_two_people_approved_can_still_be_shown(closed: World):
    erase(closed)
    said = [d.person for d in closed.ledger.decisions("run-a") if d.outcome == "accepted"]
    assert len(set(said)) == 2
    assert all(person.startswith("person-") for person in said)


def test_what_another_run_names_stays_until_that_is_erased_too(closed: World):
    closed.open_run("run-b", order="2")
    digest = next(e.payload["content"]["context"] for e in closed.ledger.trail("run-b") if e.kind == "turn_recorded")
    assert erase(closed).shared == 2  # the context, and the request in the same words
    assert closed.ledger.get(digest)
    assert (closed.ledger.verify("run-a").faults, closed.ledger.verify("run-b").faults) == ((), ())


@pytest.mark.parametrize("when", [at(9), NOON + timedelta(days=30)])
def test_a_run_that_is_not_due_is_not_erased(closed: World, when):
    with pytest.raises(ActRefused, match="its 30 days end"):
        erase(closed, when=when)
    assert closed.ledger.verify("run-a").erased == ()


def test_an_open_run_is_not_erased(world: World):
    world.open_run()
    with pytest.raises(ActRefused, match="is open"):
        erase(world)


def test_a_record_that_is_not_intact_is_not_erased(closed: World):
    with closed.ledger.writing() as connection:
        connection.execute(text("UPDATE decisions SET outcome = 'rejected'"))
    with pytest.raises(ActRefused, match="not intact"):
        erase(closed)


def test_an_erased_chain_is_sealed(closed: World):
    erase(closed)
    with pytest.raises(RunErased):
        erase(closed)
    with pytest.raises(RunErased):
        closed.ledger.remark("run-a", "note", "rita", "requester", "more", {}, DUE)


def test_mail_to_an_erased_run_is_left_untouched(closed: World):
    late = closed.mail("approve", "ann")
    erase(closed)
    assert closed.judge(late).outcome == "untouched"
    assert closed.ledger.verify("run-a").intact


def test_a_copy_of_a_mail_of_an_erased_run_halts_no_other(closed: World):
    closed.open_run("run-b", order="2")
    crossed = closed.mail("approve", "ann", "run-b", message_id="reply-2@corp.example")
    erase(closed)
    assert closed.judge(crossed).outcome == "collision"
    assert (closed.ledger.verify("run-a").faults, closed.ledger.verify("run-b").faults) == ((), ())


def test_due_are_runs_whose_retention_ended(closed: World):
    assert closed.ledger.due_runs(KEPT, at(9)) == ()
    assert closed.ledger.due_runs(KEPT, DUE) == ("run-a",)
    assert closed.ledger.due_runs(make_policy(), DUE) == ()
    erase(closed)
    assert closed.ledger.due_runs(KEPT, DUE) == ()


def test_the_mailbox_is_owed_its_part(closed: World):
    erase(closed)
    assert closed.ledger.folders_to_erase() == (("run-a", at(8)),)
    closed.ledger.folders_erased("run-a", DUE)
    assert closed.ledger.folders_to_erase() == ()


def test_what_no_run_names_is_swept(closed: World):
    left = closed.ledger.put(b"left by a crash", "text/plain", NOON)
    fresh = closed.ledger.put(b"about to be named", "text/plain", DUE)
    assert closed.ledger.sweep_contents(KEPT, DUE) == 1
    with closed.ledger.reading() as connection:
        held = set(connection.scalars(select(CONTENT.c.digest)))
    assert fresh in held
    assert left not in held


def test_the_same_order_is_still_known_to_have_run(closed: World):
    before = closed.ledger.run("run-a")
    erase(closed)
    closed.start()
    again = closed.ledger.run("run-a")
    assert (again.state, again.closed_at, again.task.goal) == (before.state, before.closed_at, "")
    assert closed.ledger.verify("run-a").faults == ()


def test_another_execution_of_an_erased_run_is_foreign_and_leaves_no_trace(closed: World):
    erase(closed)
    with pytest.raises(ForeignExecution):
        closed.ledger.claim_execution("run-a", "another", closed.ledger.epoch, DUE)
    assert closed.ledger.verify("run-a").faults == ()


def as_version_1(world: World, run_id: str = "run-a") -> None:
    """Rewrite a chain as release 0.1.0 wrote it: hashes over the payload itself."""
    previous = GENESIS
    with world.ledger.writing(run_id) as connection:
        for event in read_trail(connection, run_id):
            digest = event_hash(run_id, event.seq, event.kind, event.at, event.payload, previous)
            values = {"version": 1, "public": None, "whole": "", "salt": "", "prev_hash": previous, "hash": digest}
            connection.execute(update(AUDIT).where(AUDIT.c.seq == event.seq).values(**values))
            previous = digest
        connection.execute(update(RUNS).values(audit_hash=previous))


@pytest.fixture
def old(closed: World) -> World:
    """The closed run in a ledger of release 0.1.0."""
    as_version_1(closed)
    return closed


def test_a_chain_of_version_1_is_whole_before_and_after_its_erasure(old: World):
    assert old.ledger.verify("run-a").faults == ()
    erase(old)
    assert old.ledger.verify("run-a").faults == ()
    assert re.findall(r"\b(?:ann|bob|rita|dora)\b|well done", everything(old)) == []


@pytest.mark.parametrize("column", ["payload", "kind", "at", "hash", "prev_hash", "erased", "version"])
def test_what_is_left_of_an_event_of_version_1_cannot_be_changed(old: World, column: str):
    erase(old)
    changed = {"payload": '{"outcome":"accepted"}', "at": at(99), "erased": 0, "version": 2}.get(column, "f" * 64)
    with old.ledger.writing() as connection:
        connection.execute(update(AUDIT).where(AUDIT.c.seq == 8).values({column: changed}))
    assert old.ledger.verify("run-a").faults


def test_a_ledger_of_the_release_before_is_taken_over(shared_url: str):
    """Its runs get keys, the policy version that they were registered under, and who names which content."""
    engine = make_engine(shared_url)
    with engine.connect().execution_options(ledger_writes=True) as connection, connection.begin():
        upgrade(connection, "0002")
        filled = {
            "task_key_digest": "k",
            "request_digest": "r",
            "request": "{}",
            "requester": "rita",
            "state": "failed",
        }
        filled |= {"detail": "", "summary": "", "audit_hash": GENESIS, "id": "run-a"}
        insert_run = (
            "INSERT INTO runs (run_id, task_key_digest, request_digest, task, request, requester, state, detail, summary,"
            " registered_at, state_at, audit_seq, audit_hash) VALUES (:id, :task_key_digest, :request_digest,"
            ' \'{"policy_version": "7+abc"}\', :request, :requester, :state, :detail, :summary, :at, :at, 1, :audit_hash)'
        )
        connection.execute(text(insert_run), filled | {"at": NOON})
        payload = '{"content": {"raw": "' + "d" * 64 + '"}}'
        event = "INSERT INTO audit (run_id, seq, kind, at, payload, prev_hash, hash) VALUES (:id, 1, 'x', :at, :said, '0', '1')"
        connection.execute(text(event), {"id": "run-a", "at": NOON, "said": payload})
        upgrade(connection)
        run = connection.execute(text("SELECT policy_version, trail_key FROM runs")).one()
        used = connection.execute(text("SELECT digest, run_id FROM content_uses")).all()
    engine.dispose()
    assert (run.policy_version, len(run.trail_key)) == ("7+abc", 32)
    assert [tuple(row) for row in used] == [("d" * 64, "run-a")]


def test_a_content_that_another_process_is_about_to_name_stays(shared_url: str):
    """It has stored it again and not yet said so: the erasure waits for what it commits."""
    ledgers = [open_ledger(shared_url, random_epoch=lambda: "epoch-1") for _ in range(2)]
    world = World(ledgers[0])
    world.open_run()
    world.answer("approve")
    close(world)
    world.start("run-b")
    digest = sha256_hex(CONTEXT)
    with ThreadPoolExecutor(1) as pool:
        with ledgers[1].jointly("run-b"):
            ledgers[1].put(CONTEXT, "application/json", DUE)
            erasing = pool.submit(erase, world)
            ledgers[1].note("run-b", "context_retrieved", {}, {"context": digest}, DUE)
        assert erasing.result(30).run_id == "run-a"
    assert world.ledger.get(digest) == CONTEXT
    assert [world.ledger.verify(run).faults for run in ("run-a", "run-b")] == [(), ()]
    for ledger in ledgers:
        ledger.dispose()
