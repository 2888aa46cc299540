"""What the mailroom makes of a run that Temporal no longer knows."""

from pathlib import Path

import pytest

from ledger.store import open_ledger
from mail.poll import ReadingRules
from mailroom import EXECUTION_ENDED, end_without_execution, rules_in_force, waking
from settings import Settings
from tests.live import policy_text
from tests.unit.ledger.world import World, at
from wire.policy import TrustProfile
from wire.task import RunState


@pytest.fixture
def world(tmp_path):
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "epoch-1")
    yield World(ledger)
    ledger.dispose()


def test_an_open_run_halts_once(world):
    run_id = world.start()
    end_without_execution(world.ledger, run_id, at(1))
    end_without_execution(world.ledger, run_id, at(2))
    assert [block.kind for block in world.ledger.blocks(run_id)] == [EXECUTION_ENDED]
    assert world.ledger.run(run_id).state is RunState.HALTED


def test_a_cancelled_run_ends_and_takes_its_requests_back(world):
    run_id = world.open_run()
    (request,) = world.ledger.requests(run_id)
    world.ledger.cancel(run_id, "olga", "not needed", at(1))
    end_without_execution(world.ledger, run_id, at(2))
    assert world.ledger.run(run_id).state is RunState.CANCELLED
    assert not world.ledger.request(run_id, request.step, request.review).is_live


def test_a_closed_run_stays_as_it_ended(world):
    run_id = world.start()
    world.ledger.close(run_id, RunState.COMPLETED, "done", at(1))
    end_without_execution(world.ledger, run_id, at(2))
    assert world.ledger.run(run_id).state is RunState.COMPLETED


def test_trust_follows_the_policy_file_while_the_room_runs(tmp_path: Path):
    file = tmp_path / "policy.toml"
    file.write_text(policy_text())
    rules = ReadingRules(name="INBOX", own_addresses=("approvals@agent.example",), trust=TrustProfile())
    in_force = rules_in_force(Settings(state_dir=tmp_path, policy_file=file))
    before = in_force(rules).trust.authserv_id
    file.write_text(policy_text().replace(before, "mx.other.example"))
    assert (before, in_force(rules).trust.authserv_id) == ("mx.countersign.example", "mx.other.example")


def test_a_changed_policy_file_wakes_who_is_parked_at_the_next_poll(world, tmp_path: Path):
    file = tmp_path / "policy.toml"
    file.write_text(policy_text())
    world.ledger.set_state(world.start(), RunState.UNDELIVERABLE, "nobody left", at(1))
    rules = ReadingRules(name="INBOX", own_addresses=("approvals@agent.example",), trust=TrustProfile())
    check = waking(lambda rules: rules, Settings(state_dir=tmp_path, policy_file=file), world.ledger)
    owed = []
    for text in (policy_text(), policy_text(), policy_text(approvers=("ann", "ben"))):
        file.write_text(text)
        assert check(rules) is rules
        owed.append(len(world.ledger.pending_outbox("signal")))
    assert owed == [1, 1, 2]
