"""``erase`` as typed, and what ``show`` and ``audit`` say of an erased run, from the ledger and from an exported record."""

import json
from datetime import UTC, datetime

import pytest

from cli.main import run_command
from ledger.store import open_ledger
from tests.unit.ledger.world import World, at, make_call
from wire.call import CallResult, ExecutedCall
from wire.task import RunState

POLICY = """\
version = "1"
requesters = ["rita"]
operators = ["olga"]
{retention}
[trust]
mode = "closed"
[[persons]]
id = "rita"
name = "Rita"
addresses = ["rita@corp.example"]
[[persons]]
id = "ann"
name = "Ann"
addresses = ["ann@corp.example"]
[[persons]]
id = "olga"
name = "Olga"
addresses = ["olga@corp.example"]
os_users = ["*"]
[[rules]]
id = "all"
approvers = ["ann"]
"""


@pytest.fixture
def world(tmp_path):
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "epoch-1")
    world = World(ledger)
    for run_id in ("run-closed", "run-fresh", "run-open"):
        world.open_run(run_id, order=run_id)
        world.answer("approve", run_id=run_id, comment="well done")
        key = world.dispatch(run_id, order=run_id).effect_key
        done = ExecutedCall(effect_key=key, digest=make_call(run_id).digest, result=CallResult(status=201))
        ledger.record_effect(key, "executed", done, at(7))
    ledger.close("run-closed", RunState.COMPLETED, "made", at(8))
    ledger.close("run-fresh", RunState.COMPLETED, "made", datetime(2999, 1, 1, tzinfo=UTC))
    yield world
    ledger.dispose()


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys, world):
    monkeypatch.setenv("COUNTERSIGN_POLICY_FILE", str(tmp_path / "policy.toml"))

    def run(*arguments: str, retention: str = "retention_days = 1", code: int = 0):
        (tmp_path / "policy.toml").write_text(POLICY.format(retention=retention))
        assert run_command(["--state", str(tmp_path), *arguments]) == code
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def test_what_is_due_is_erased_and_nothing_else(typed):
    assert json.loads(typed("erase", "--due", "--dry-run", "--reason", "look", "--json"))["due"] == ["run-closed"]
    assert "run-closed: erased" in typed("erase", "--due", "--reason", "yearly")
    assert "nothing is due" in typed("erase", "--due", "--reason", "yearly")


@pytest.mark.parametrize(
    ("run", "retention", "says"),
    [
        ("run-fresh", "retention_days = 1", "its 1 days end"),
        ("run-open", "retention_days = 1", "is open"),
        ("run-closed", "", "names no retention_days"),
    ],
)
def test_what_is_not_due_is_refused_in_one_line(typed, run, retention, says):
    said = typed("erase", run, "--reason", "please", retention=retention, code=2)
    assert says in said
    assert said.count("\n") == 1


def test_show_and_audit_say_so(typed):
    typed("erase", "run-closed", "--reason", "yearly")
    shown, audited = typed("show", "run-closed"), typed("audit", "run-closed")
    assert "goal: (erased by policy)" in shown
    assert "well done" not in shown + audited
    assert "bytes     erased by policy" in audited
    assert "intact" in audited
    assert [run["run_id"] for run in json.loads(typed("list", "--json")) if run["erased_at"]] == ["run-closed"]


def test_a_call_of_an_erased_run_cannot_be_explained_and_nothing_is_said_to_be_missing(typed):
    typed("erase", "run-closed", "--reason", "yearly")
    said = typed("policy", "explain", "--run", "run-closed", code=12)
    assert "run-closed was erased by policy" in said


def test_an_exported_record_of_an_erased_run_is_judged_offline(typed, tmp_path):
    typed("erase", "run-closed", "--reason", "yearly")
    folder = tmp_path / "record"
    typed("audit", "run-closed", "--export", str(folder))
    assert list((folder / "content").iterdir()) == []
    said = typed("audit", "--exported", str(folder))
    assert "erased by policy" in said
    lines = (folder / "events.jsonl").read_text()
    (folder / "events.jsonl").write_text(lines.replace('"outcome":"accepted"', '"outcome":"rejected"'))
    assert "was altered" in typed("audit", "--exported", str(folder), code=11)


def test_a_content_missing_from_a_record_that_was_not_erased_is_a_fault(typed, tmp_path):
    folder = tmp_path / "record"
    typed("audit", "run-open", "--export", str(folder))
    next((folder / "content").iterdir()).unlink()
    assert "is missing" in typed("audit", "--exported", str(folder), code=11)
