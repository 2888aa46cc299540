"""Lease, cursor and read-past instant."""

from datetime import timedelta

from ledger.mailroom import Cursor
from ledger.store import Ledger
from tests.unit.ledger.world import World, at, opaque
from wire.task import RunState

TTL = timedelta(minutes=1)


def test_one_holder_at_a_time(ledger: Ledger):
    assert ledger.acquire_lease("mailroom", "one", TTL, at(0))
    assert not ledger.acquire_lease("mailroom", "two", TTL, at(0.5))
    assert ledger.acquire_lease("mailroom", "one", TTL, at(0.9))
    assert not ledger.acquire_lease("mailroom", "two", TTL, at(1.5))
    assert ledger.acquire_lease("mailroom", "two", TTL, at(2))


def test_a_released_lease_is_free_and_only_its_holder_releases_it(ledger: Ledger):
    ledger.acquire_lease("mailroom", "one", TTL, at(0))
    ledger.release_lease("mailroom", "two", at(0.1))
    assert not ledger.acquire_lease("mailroom", "two", TTL, at(0.2))
    ledger.release_lease("mailroom", "one", at(0.3))
    assert ledger.acquire_lease("mailroom", "two", TTL, at(0.3))


def test_the_cursor_goes_forward_until_the_uids_change(ledger: Ledger):
    assert ledger.cursor("INBOX") is None
    for uidvalidity, uid in ((7, 10), (7, 4)):
        ledger.save_cursor("INBOX", uidvalidity, uid, at(0))
    assert ledger.cursor("INBOX") == Cursor(uidvalidity=7, uid=10)
    ledger.save_cursor("INBOX", 4_294_967_295, 1, at(1))
    assert ledger.cursor("INBOX") == Cursor(uidvalidity=4_294_967_295, uid=1)


def test_the_read_past_instant_never_goes_back(ledger: Ledger):
    ledger.save_cursor("INBOX", 7, 10, at(0))
    assert ledger.read_past("INBOX") is None
    for minutes in (5, 3):
        ledger.save_read_past("INBOX", at(minutes), at(6))
    assert ledger.read_past("INBOX") == at(5)


def test_of_many_ids_and_addresses_those_of_ours_are_named(world: World):
    world.open_run("run-a")
    ref = opaque("run-a", 1, 1)
    ids = [f"{number}@elsewhere.example" for number in range(450)]
    addresses = [f"APPROVALS+{ref}@agent.example", "approvals+other@agent.example", "bad\0@agent.example"]
    found = world.ledger.ours_among([*ids, f"req.{ref}.0@agent.example"], addresses)
    assert found == {f"req.{ref}.0@agent.example", addresses[0]}


def test_runs_are_told_that_ended_before_an_instant(world: World):
    for run_id in ("run-a", "run-b", "run-c"):
        world.start(run_id)
    world.ledger.close("run-a", RunState.FAILED, "", at(1))
    world.ledger.close("run-b", RunState.FAILED, "", at(3))
    found = world.ledger.closed_runs(["run-a", "run-b", "run-c", *(f"other-{n}" for n in range(600))], at(2))
    assert found == {"run-a": at(1)}


def test_a_policy_wakes_each_parked_run_once(world: World):
    world.open_run()
    world.open_run("run-b", order="2")
    world.ledger.set_state("run-a", RunState.UNDELIVERABLE, "nobody left", at(5))
    woken = [world.ledger.wake_undeliverable(version, at(6)) for version in ("2+a", "2+a", "3+b")]
    assert woken == [("run-a",), (), ("run-a",)]
    assert [s.payload["evidence_id"] for s in world.ledger.pending_outbox("signal")] == ["policy-2+a", "policy-3+b"]
