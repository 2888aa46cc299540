"""Operators' commands as typed, on a ledger with one open request and one refused mail."""

import json

import pytest

from cli.main import run_command
from ledger.store import open_ledger
from tests.unit.ledger.world import World, at
from wire.task import RunState

POLICY = """\
version = "1"
requesters = ["rita"]
operators = ["olga"]
[trust]
mode = "closed"
{persons}
[[rules]]
id = "all"
approvers = ["ann", "bob"]
deputies = ["dora"]
"""
PERSON = '[[persons]]\nid = "{0}"\nname = "{0}"\naddresses = ["{0}@corp.example"]\nos_users = {1}\n'


@pytest.fixture
def world(tmp_path):
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "epoch-1")
    world = World(ledger)
    world.open_run("run-aaaaaa")
    yield world
    ledger.dispose()


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys, world):
    monkeypatch.setenv("COUNTERSIGN_POLICY_FILE", str(tmp_path / "policy.toml"))

    def run(*arguments: str, by: str = "olga", code: int = 0):
        names = ("ann", "bob", "carl", "dora", "rita", "olga")
        persons = "".join(PERSON.format(name, '["*"]' if name == by else "[]") for name in names)
        (tmp_path / "policy.toml").write_text(POLICY.format(persons=persons))
        assert run_command(["--state", str(tmp_path), "--json", *arguments]) == code
        captured = capsys.readouterr()
        return json.loads(captured.out) if captured.out else captured.err

    return run


def acts(world: World) -> list[str]:
    return [act.kind for act in world.ledger.proven_acts("run-aaaaaa")]


def test_what_waits_for_whom(typed):
    (row,) = typed("waiting")
    assert (row["run_id"], row["for"], row["review"]) == ("run-aaaaaa", "ann", 1)
    assert typed("waiting", "--person", "bob") == []


def test_reissue_and_extend_are_acts_with_a_reason(typed, world):
    assert typed("reissue", "run-aaa", "--reason", "lost mail")["ended_review"] == 1
    world.ask("run-aaaaaa", review=2, minutes=1)
    typed("extend", "run-aaa", "--hours", "4", "--reason", "holiday")
    assert acts(world) == ["reissue", "extend"]
    told = [e.payload["policy_version"] for e in world.ledger.trail("run-aaaaaa") if e.kind == "operator_act"]
    assert [version[:2] for version in told] == ["1+", "1+"]
    assert world.ledger.proven_acts("run-aaaaaa")[1].details == {"step": 1, "review": 2, "window_seconds": 14400}


@pytest.mark.parametrize("by", ["rita", "ann", "dora"])
def test_only_operators_act(typed, world, by):
    assert "is no operator" in typed("reissue", "run-aaa", "--reason", "x", by=by, code=2)
    assert acts(world) == []


@pytest.mark.parametrize(
    ("giver", "taker", "says"),
    [
        ("ann", "carl", "does not name carl"),
        ("bob", "dora", "bob is not asked"),
        ("ann", "rita", "asked for this run"),
        ("ann", "olga", "seat of their own"),
    ],
)
def test_a_seat_goes_only_where_policy_lets_it(typed, world, giver, taker, says):
    shift = ("replace", "run-aaa", "--from", giver, "--to", taker, "--reason", "ill")
    assert says in typed(*shift, code=2)
    assert acts(world) == []


def test_nobody_gets_a_second_seat(typed, world):
    world.ask("run-aaaaaa", review=2, minutes=1, approvers=("ann", "dora"))
    shift = ("run-aaa", "--from", "ann", "--to", "dora", "--reason", "away")
    assert "dora is asked already" in typed("delegate", *shift, "--hours", "2", code=2)
    assert "dora is asked already" in typed("replace", *shift, code=2)
    assert acts(world) == []


def test_a_seat_is_replaced_and_delegated(typed, world):
    typed("replace", "run-aaa", "--from", "ann", "--to", "dora", "--reason", "ill")
    world.ask("run-aaaaaa", review=2, minutes=1, approvers=("dora",))
    typed("delegate", "run-aaa", "--from", "dora", "--to", "bob", "--hours", "2", "--reason", "away")
    assert acts(world) == ["replace", "delegate"]


def test_a_halt_is_released_or_confirmed(typed, world):
    assert "not halted" in typed("release", "run-aaa", "--reason", "x", code=2)
    world.ledger.halt(["run-aaaaaa"], "operator", "look", at(1))
    assert typed("release", "run-aaa", "--reason", "all well")["lifted"] == ["operator"]
    world.ledger.halt(["run-aaaaaa"], "operator", "again", at(2))
    typed("confirm", "run-aaa", "--reason", "so it is")
    assert acts(world) == ["release", "confirm"]


def test_hearsay_reminds_once_and_decides_nothing(typed, world):
    said = ("note", "run-aaa", "--text", "looks good, in the chat", "--person", "ann")
    assert typed(*said, by="rita")["reminded"] == ["ann"]
    assert typed(*said)["reminded"] == []
    assert world.ledger.votes("run-aaaaaa", 1, 1) == ()


def test_refused_mail_is_listed_shown_and_resolved(typed, world):
    refused = world.mail("approve", sender="dora", run_id="run-aaaaaa")
    world.judge(refused)
    (row,) = typed("refused", "list")
    digest = row["raw_digest"]
    assert typed("refused", "show", digest[:8])["mail"]["reason"] == "sender is no approver of this request"
    assert typed("refused", "resolve", digest, "--how", "ask", "--reason", "who is it")["reminded"] == ["ann"]
    assert typed("refused", "list") == []
    assert "discard, judge or ask" in typed("refused", "resolve", digest, "--how", "accept", "--reason", "x", code=2)


ACTS = {
    "reissue": (),
    "extend": ("--hours", "1"),
    "delegate": ("--from", "ann", "--to", "dora", "--hours", "1"),
    "replace": ("--from", "ann", "--to", "dora"),
    "release": (),
    "confirm": (),
    "settle": ("--outcome", "failed"),
    "cancel": (),
}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_on_a_run_that_has_ended_is_one_line_and_its_own_exit_code(typed, world, act):
    world.ledger.close("run-aaaaaa", RunState.COMPLETED, "done", at(9))
    said = typed(act, "run-aaa", *ACTS[act], "--reason", "x", code=9)
    assert (said.count("\n"), "completed" in said) == (1, True)
    assert acts(world) == []


@pytest.mark.parametrize("act", ["release", "confirm", "settle"])
def test_an_act_that_does_not_fit_where_the_run_stands_says_why(typed, world, act):
    said = typed(act, "run-aaa", *ACTS[act], "--reason", "x", code=2)
    assert (said.count("\n"), "there is nothing to" in said) == (1, True)
    assert acts(world) == []


@pytest.mark.parametrize(("reason", "run", "code"), [(" ", "run-aaa", 2), ("x", "run-zzz", 12)])
@pytest.mark.parametrize("act", ACTS)
def test_an_act_needs_a_reason_and_a_run(typed, act, reason, run, code):
    assert typed(act, run, *ACTS[act], "--reason", reason, code=code).count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--outcome", "maybe"), "succeeded or failed"),
        (("--outcome", "succeeded"), "say what you saw"),
        (("--outcome", "succeeded", "--key", "Order"), "NAME=VALUE"),
    ],
)
def test_a_word_that_says_nothing_is_refused(typed, options, says):
    assert says in typed("settle", "run-aaa", *options, "--reason", "x", code=2)


def test_mail_of_a_run_that_has_ended_can_still_be_noted(typed, world):
    world.ledger.close("run-aaaaaa", RunState.COMPLETED, "done", at(9))
    assert typed("note", "run-aaa", "--text", "too late, they say")["reminded"] == []
