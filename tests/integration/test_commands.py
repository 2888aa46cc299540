"""The command line as a stranger meets it: help, exit codes, one line per error, and no crash at the end."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.live import GOAL, ROOT, live_system, plan, policy_text

COMMANDS = ["up", "run", "list", "show", "wait", "cancel", "ingest", "search", "audit", "doctor", "demo"]
TIMES = 20


def starter(state: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "starter.py"), "--state", str(state), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **env}, cwd=ROOT)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    with live_system(plan(folder, None, policy_text(approvers=("ann", "ben")))) as system:
        yield system


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, tmp_path):
    done = starter(tmp_path, command, "--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("list", "--nonsense"), 2, "No such option"),
        (("show",), 2, "Missing argument"),
        (("show", "run-nothing"), 12, "not in this ledger"),
        (("audit", "run-nothing"), 12, "not in this ledger"),
        (("cancel", "run-nothing", "--reason", "x"), 12, "not in this ledger"),
        (("run", "   "), 2, "the goal is empty"),
        (("run", GOAL), 12, "no graph in"),
        (("nonsense",), 2, "starter.py --help"),
        (("cancel", "run-nothing", "--reason", " "), 2, "the reason is empty"),
        (("search", " "), 2, "the query is empty"),
        (("audit", "run-nothing", "--exported", "nowhere"), 2, "--exported judges a folder alone"),
        (("search", "orders"), 12, "no graph in"),
        (("ingest", "nowhere"), 2, "nowhere"),
        (("up", "--catalogue", "nowhere"), 2, "no such folder"),
        (("up", "--policy", "nowhere.toml"), 2, "no such file"),
    ],
)
def test_a_wrong_use_is_one_line_and_its_own_code(arguments, code, says, tmp_path):
    done = starter(tmp_path, *arguments)
    assert (done.returncode, says in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_debug_shows_the_stack(tmp_path):
    assert "Traceback" in starter(tmp_path, "--debug", "show", "run-nothing").stderr


def test_a_policy_with_a_fault_is_named(tmp_path):
    policy = tmp_path / "p.toml"
    policy.write_text(policy_text(approvers=("zoe",)))
    done = starter(tmp_path, "run", GOAL, COUNTERSIGN_POLICY_FILE=str(policy))
    assert (done.returncode, "no person 'zoe'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("approver", "says"),
    [("zoe", "names no person 'zoe'"), ("rita", "cannot approve"), ("olga", "no rule of policy")],
)
def test_approvers_come_from_policy_alone(live, approver, says):
    done = live.cli("run", GOAL, "--approver", approver)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_a_service_that_the_graph_does_not_have_starts_no_run(live):
    done = live.cli("run", GOAL, "--service", "NOPE")
    assert (done.returncode, "no service NOPE (it has: " in done.stderr) == (2, True), done.stderr


def test_the_same_request_says_that_it_is_no_second_run(live):
    goal = "Write me a poem about the mountains"
    assert "no second run" not in live.cli("run", goal, "--key", "twice").stdout
    done = live.cli("run", goal, "--key", "twice")
    assert done.returncode == 9 or "no second run" in done.stdout


def test_a_second_up_says_who_holds_the_parts(live):
    done = live.cli("up")
    assert done.returncode == 1
    assert "already up" in done.stderr


def test_a_goal_that_nothing_serves_needs_input(live):
    done = live.cli("--json", "run", "Write me a poem about spring rain in the mountains", "--wait")
    assert (done.returncode, json.loads(done.stdout)["state"]) == (4, "needs_input")


def test_no_temporal_server_is_one_line(live):
    env = {"COUNTERSIGN_TEMPORAL_ADDRESS": "127.0.0.1:9"}
    done = starter(live.state, "run", GOAL, "--key", "unreachable", **env)
    assert (done.returncode, "no Temporal server at 127.0.0.1:9" in done.stderr) == (10, True)
    assert "unreachable" not in live.cli("--json", "list").stdout


def test_a_key_names_one_request(live):
    assert live.cli("run", "Write me a poem about spring", "--key", "poem").returncode == 0
    done = live.cli("run", "Write me another poem about autumn", "--key", "poem")
    assert (done.returncode, "another request" in done.stderr) == (2, True)


def test_a_search_says_why_each_hit_is_there(live):
    done = live.cli("--json", "search", "create a purchase order with items", "-k", "3")
    hits = json.loads(done.stdout)
    assert len(hits) == 3
    assert all(hit["reasons"] for hit in hits)


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("show", "{run}"),
        ("audit", "{run}"),
        ("wait", "{run}"),
        ("run", "{goal}"),
        ("cancel", "{run}", "--reason", "too late"),
        ("search", "purchase orders"),
        ("ingest",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_short_commands_end_without_a_crash_every_time(live, arguments):
    goal = "Write me a poem about the sea"
    live.cli("run", goal, "--wait")
    run_id = json.loads(live.cli("--json", "list").stdout)[0]["run_id"]
    filled = [a.format(run=run_id, goal=goal) for a in arguments]
    with ThreadPoolExecutor(4) as pool:
        codes = {done.returncode for done in pool.map(lambda _: live.cli(*filled), range(TIMES))}
    assert len(codes) == 1
    assert codes <= {0, 4, 9}
