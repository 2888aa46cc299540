"""``doctor`` on the embedded default: all right, then each part killed and told."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live import live_system, plan, policy_text


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with live_system(plan(tmp_path_factory.mktemp("doctor"), None, policy_text())) as system:
        yield system


def examined(live: Any) -> tuple[int, dict[str, str], str]:
    """Exit code, status by part, everything that was said."""
    done = live.cli("--json", "doctor", "--seconds", "60")
    told = json.loads(done.stdout)
    return done.returncode, {f["part"]: f["status"] for f in told["findings"]}, done.stdout


def test_on_the_embedded_default_all_is_right_and_no_secret_is_shown(live: Any):
    code, statuses, said = examined(live)
    assert (code, set(statuses.values()) - {"right", "unused", "warning"}) == (0, set()), said
    assert not [word for word in live.deployment.passwords.values() if word in said]


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("odata", {"processes", "service PURCHASE_ORDER"}),
        ("worker", {"processes"}),
        ("mailroom", {"processes"}),
        ("mail", {"processes", "IMAP", "SMTP"}),
        ("temporal", {"processes", "Temporal"}),
    ],
)
def test_a_part_that_was_killed_is_told(live: Any, part: str, wrong: set[str]):
    live.kill(part)
    code, statuses, said = examined(live)
    live.restart(part)
    assert (code, wrong <= {name for name, status in statuses.items() if status == "wrong"}) == (1, True), said


def test_a_queue_that_nobody_polls_is_told(live: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COUNTERSIGN_TASK_QUEUE", "elsewhere")
    _, statuses, said = examined(live)
    assert statuses["worker"] == "wrong", said
