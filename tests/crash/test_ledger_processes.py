"""One ledger, several processes: together they judge a mail once, and a killed one leaves nothing half done."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.store import Ledger, open_ledger
from tests.crash.ledger_judge import reply
from tests.unit.ledger.databases import KINDS, empty_database
from tests.unit.ledger.world import World, make_policy

COUNT = 60
ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.crash


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_database(request.param, tmp_path)


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    """A ledger with COUNT runs that wait for an answer."""
    opened = open_ledger(url, random_epoch=lambda: "parent")
    world = World(opened)
    for number in range(COUNT):
        world.open_run(f"run-{number}")
    yield opened
    opened.dispose()


def start(url: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.crash.ledger_judge", url, str(COUNT)]
    child = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def go(child: "subprocess.Popen[str]") -> None:
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


def counts(ledger: Ledger) -> tuple[int, int]:
    """(votes, signals) over all runs."""
    votes = sum(len(ledger.principals(f"run-{number}", 1, 1)) for number in range(COUNT))
    return votes, len(ledger.pending_outbox("signal", limit=10 * COUNT))


def test_two_processes_judge_the_same_replies_once(ledger: Ledger, url: str):
    children = [start(url), start(url)]
    for child in children:
        go(child)
    said = Counter("".join(child.communicate()[0] for child in children).split())
    assert said == {"accepted": COUNT, "ignored": COUNT}
    assert counts(ledger) == (COUNT, COUNT)
    assert all(ledger.verify(f"run-{number}").intact for number in range(COUNT))


@pytest.mark.parametrize("lines", [1, 7, 20])
def test_a_killed_process_leaves_whole_chains_and_the_rest_is_done_once(ledger: Ledger, url: str, lines: int):
    child = start(url)
    go(child)
    assert child.stdout is not None
    for _ in range(lines):
        child.stdout.readline()
    child.kill()
    child.communicate()
    votes, signals = counts(ledger)
    assert votes == signals >= lines
    assert all(ledger.verify(f"run-{number}").intact for number in range(COUNT))
    for number in range(COUNT):
        ledger.judge_batch([reply(number)], make_policy(), reply(number).received_at)
    assert counts(ledger) == (COUNT, COUNT)
