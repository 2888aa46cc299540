"""What the mailroom does about retention: erases what is due under the policy file as it stands, tells what it cannot."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from ledger.store import open_ledger
from mailroom import LedgerRetention
from settings import Settings
from tests.live import policy_text
from tests.unit.ledger.world import NOON, World, at
from wire.task import RunState

LATER = NOON + timedelta(days=40)
ENDED = ("run-a", "run-b", "run-c")


@pytest.fixture
def world(tmp_path):
    """Three runs that ended, one minute after the other, and one that is open."""
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "epoch-1")
    world = World(ledger)
    for minute, run_id in enumerate((*ENDED, "run-open")):
        world.open_run(run_id, order=run_id)
        if run_id in ENDED:
            ledger.close(run_id, RunState.FAILED, "no", at(9 + minute))
    yield world
    ledger.dispose()


def retention(world: World, folder: Path, days: int | None) -> LedgerRetention:
    line = "" if days is None else f"retention_days = {days}\n"
    (folder / "policy.toml").write_text(line + policy_text())
    return LedgerRetention(Settings(state_dir=folder, policy_file=folder / "policy.toml"), world.ledger)


def erased(world: World) -> list[str]:
    return [run_id for run_id in ENDED if world.ledger.run(run_id).erased_at]


def test_what_is_due_is_erased_in_steps_and_its_folders_are_owed(world, tmp_path: Path):
    keeper = retention(world, tmp_path, 30)
    assert [keeper.erase_due(LATER, 2), erased(world)] == [2, ["run-a", "run-b"]]
    assert [keeper.erase_due(LATER, 2), keeper.erase_due(LATER, 2)] == [1, 0]
    assert [run_id for run_id, _ in keeper.folders_to_erase(10)] == list(ENDED)


@pytest.mark.parametrize("days", [None, 50])
def test_nothing_goes_before_its_time_or_without_a_retention(world, tmp_path: Path, days: int | None):
    assert retention(world, tmp_path, days).erase_due(LATER, 10) == 0
    assert erased(world) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE audit SET kind = 'other' WHERE run_id = 'run-a' AND seq = 2",
        "UPDATE runs SET task = 'no JSON' WHERE run_id = 'run-a'",
        "UPDATE requests SET plan = '{}' WHERE run_id = 'run-a'",
    ],
)
def test_a_record_that_is_not_intact_is_kept_and_holds_up_no_other(world, tmp_path: Path, damage: str):
    with world.ledger.writing() as connection:
        connection.execute(text(damage))
    keeper = retention(world, tmp_path, 30)
    assert [keeper.erase_due(LATER, 1) for _ in range(3)] == [1, 1, 0]
    with world.ledger.reading() as connection:
        rows = connection.execute(text("SELECT run_id FROM runs WHERE erased_at IS NOT NULL ORDER BY run_id"))
        assert [row.run_id for row in rows] == ["run-b", "run-c"]
