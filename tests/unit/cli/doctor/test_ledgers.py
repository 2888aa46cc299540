"""The ledger and what it knows of the mailroom; looking creates and migrates nothing."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from cli.doctor.finding import Status
from cli.doctor.ledgers import look_at_ledger
from cli.doctor.mailroom import look_at_clock, look_at_mailroom
from ledger.store import open_ledger
from settings import MailServer, Settings
from tests.live import policy_text
from tests.unit.ledger.databases import empty_database
from tests.unit.ledger.world import World, at


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    policy = tmp_path / "policy.toml"
    policy.write_text(policy_text())
    url = empty_database("sqlite", tmp_path)
    return Settings(state_dir=tmp_path, policy_file=policy, ledger_url=url, imap=MailServer(user="room", port=1))


@pytest.fixture
def world(settings: Settings) -> Iterator[World]:
    ledger = open_ledger(settings.ledger, random_epoch=lambda: "epoch-1")
    yield World(ledger)
    ledger.dispose()


def test_a_ledger_that_is_not_there_is_not_made(settings: Settings):
    (found,) = look_at_ledger(settings)
    assert (found.status, found.told.endswith("does not exist")) == (Status.WRONG, True)
    assert not Path(settings.ledger.removeprefix("sqlite:///")).exists()


@pytest.mark.parametrize(
    ("revision", "status", "says"),
    [("0001", Status.WARNING, "stands at migration 0001"), ("9999", Status.WRONG, "stands at migration 9999")],
)
def test_another_migration_is_named_and_left_as_it_is(
    settings: Settings, world: World, revision: str, status, says: str
):
    with world.ledger.writing() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    (found,) = look_at_ledger(settings)
    assert (found.status, says in found.told) == (status, True)
    assert look_at_mailroom(settings, at(0))[0].status is Status.UNKNOWN


def test_a_database_of_something_else_is_no_ledger(settings: Settings):
    Path(settings.ledger.removeprefix("sqlite:///")).touch()
    assert "holds no ledger" in look_at_ledger(settings)[0].told


def test_a_login_is_not_shown():
    settings = Settings(ledger_url="postgresql+psycopg://u:hunter2@127.0.0.1:1/x")
    assert "hunter2" not in look_at_ledger(settings)[0].told


def test_chains_are_checked(settings: Settings, world: World):
    world.open_run()
    assert [f.status for f in look_at_ledger(settings)] == [Status.RIGHT, Status.RIGHT]
    with world.ledger.writing() as connection:
        connection.execute(text("UPDATE audit SET kind = 'other' WHERE seq = 2"))
    assert "do not hold: run-a" in look_at_ledger(settings)[1].told


def test_a_mailroom_that_never_ran(settings: Settings, world: World):
    assert [f.status for f in look_at_mailroom(settings, at(0))[:2]] == [Status.WRONG, Status.WRONG]


@pytest.mark.parametrize(
    ("minutes", "statuses"), [(0.1, ["right", "right"]), (1, ["wrong", "right"]), (9, ["wrong", "wrong"])]
)
def test_who_is_active_and_how_far_the_mailbox_is_read(settings, world: World, minutes: float, statuses: list[str]):
    world.ledger.acquire_lease("mailroom", "vm/1", timedelta(seconds=10), at(0))
    world.ledger.save_cursor("room", 1, 1, at(0))
    world.ledger.save_read_past("room", at(0), at(0))
    assert [f.status for f in look_at_mailroom(settings, at(minutes))[:2]] == statuses


@pytest.mark.parametrize(("minutes", "status"), [(4, Status.RIGHT), (6, Status.WRONG)])
def test_what_waits_in_the_outbox_for_long_is_told_with_its_fault(
    settings, world: World, minutes: float, status: Status
):
    world.open_run()
    world.answer()
    item = world.ledger.pending_outbox("signal")[0]
    world.ledger.failed(item.id, "no Temporal", at(6))
    signals = look_at_mailroom(settings, at(5 + minutes))[2]
    assert (signals.status, "no Temporal" in signals.told) == (status, status is Status.WRONG)


@pytest.mark.parametrize(
    ("ahead", "minutes", "status", "says"),
    [
        (None, 0, Status.UNKNOWN, "never measured"),
        (0, 5, Status.RIGHT, "bound 30 s"),
        (90, 5, Status.WRONG, "no yes is accepted"),
        (0, 400, Status.WRONG, "last measured"),
    ],
)
def test_what_the_clock_says(settings: Settings, world: World, ahead, minutes: float, status: Status, says: str):
    if ahead is not None:
        probe = world.ledger.begin_probe("room", "c.example", at(0))
        stored = at(0) + timedelta(seconds=ahead)
        world.ledger.probe_returned(probe.message_id, stored, at(0), world.policy)
    (found,) = look_at_clock(settings, at(minutes))
    assert (found.status, says in found.told) == (status, True), found.told


def test_a_probe_that_is_missing_is_told_before_the_measurement_runs_out(settings: Settings, world: World):
    probe = world.ledger.begin_probe("room", "c.example", at(0))
    world.ledger.probe_returned(probe.message_id, at(0), at(0), world.policy)
    world.ledger.begin_probe("room", "c.example", at(60))
    assert [look_at_clock(settings, at(m))[0].status for m in (65, 75)] == [Status.RIGHT, Status.WARNING]


def test_policy_without_probes_leaves_the_clock_unused(settings: Settings, world: World):
    settings.policy_file.write_text("clock_probe_seconds = 0\n" + policy_text())
    assert look_at_clock(settings, at(0))[0].status is Status.UNUSED
