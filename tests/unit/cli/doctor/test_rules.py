"""Settings files, processes and policy."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.doctor.finding import Status
from cli.doctor.rules import look_at_parts, look_at_policy, look_at_settings
from settings import Settings
from tests.live import policy_text

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    policy = tmp_path / "policy.toml"
    policy.write_text(policy_text().replace('os_users = ["*"]', 'os_users = ["rita"]'))
    return Settings(state_dir=tmp_path, policy_file=policy)


def test_a_sound_policy_is_right_and_says_whom_the_mailbox_believes(settings: Settings):
    first, trust = look_at_policy(settings, NOW)
    assert (first.status, trust.status) == (Status.RIGHT, Status.RIGHT)
    assert "mx.countersign.example" in trust.told


@pytest.mark.parametrize(
    ("old", "new", "status", "says"),
    [
        ('approvers = ["ann"]', 'approvers = ["nobody"]', Status.WRONG, "no person 'nobody'"),
        ('version = "test"', 'version = "test"\nvresion = 1', Status.WRONG, "vresion"),
        ('version = "test"', 'version = "test"\nclock_probe_seconds = 0', Status.WARNING, "nobody measures"),
        ('authserv_id = "mx.countersign.example"', "", Status.WARNING, "nobody vouches"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(settings: Settings, old: str, new: str, status: Status, says: str):
    settings.policy_file.write_text(settings.policy_file.read_text().replace(old, new))
    found = look_at_policy(settings, NOW)[0]
    assert (found.status, says in found.told) == (status, True), found.told


def test_a_state_folder_without_settings_is_worth_a_look(settings: Settings):
    assert look_at_settings(settings)[0].status is Status.WARNING
    (settings.state_dir / "parts.toml").write_text("")
    assert look_at_settings(settings)[0].status is Status.RIGHT


@pytest.mark.parametrize(
    ("noted", "status"),
    [
        (None, Status.UNUSED),
        ("{", Status.WRONG),
        (json.dumps({"up": 1, "parts": {"mail": os.getpid()}}), Status.RIGHT),
        (json.dumps({"up": 1, "parts": {"mail": os.getpid(), "worker": 2**22 + 1}}), Status.WRONG),
    ],
)
def test_processes_that_ended_are_named(settings: Settings, noted: str | None, status: Status):
    if noted is not None:
        (settings.state_dir / "up.lock").write_text(noted)
    (found,) = look_at_parts(settings)
    assert found.status is status
    assert ("worker ended" in found.told) is (noted is not None and "worker" in noted)
