"""starter.py policy check and explain, as typed."""

import json
from typing import Any

import pytest

from cli.main import run_command

POLICY = """\
version = "7"
requesters = ["rita"]
base_currency = "EUR"

[trust]
authserv_id = "mx.x.example"

[[persons]]
id = "rita"
name = "Rita"
addresses = ["rita@x.example"]

[[persons]]
id = "ann"
name = "Ann"
addresses = ["ann@x.example"]
timezone = "Europe/Berlin"

[[persons]]
id = "ben"
name = "Ben"
addresses = ["ben@x.example"]

[[roles]]
id = "board"
members = ["ann", "ben"]

[[calendars]]
id = "office"
timezone = "Europe/Berlin"
hours = [{ days = [1, 2, 3, 4, 5], opens = "09:00", closes = "17:00" }]

[[rules]]
id = "big"
approvers = ["role:board"]
quorum = "two-person"
window_seconds = 28800
calendar = "office"
when = [{ property = "Total", op = ">=", value = 1000, currency = "EUR", currency_property = "Currency" }]

[[rules]]
id = "rest"
approvers = ["ann"]
"""


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    monkeypatch.setenv("COUNTERSIGN_POLICY_FILE", str(file))

    def run(*arguments: str) -> tuple[int, str]:
        code = run_command(["--state", str(tmp_path), *arguments])
        return code, capsys.readouterr().out

    return run


def explain(typed, payload: dict[str, Any], *more: str) -> tuple[int, dict[str, Any]]:
    call = ["--service", "S", "--endpoint", "Orders", "--payload", json.dumps(payload)]
    code, out = typed("--json", "policy", "explain", *call, "--at", "2026-11-06T16:00:00+01:00", *more)
    return code, json.loads(out)


def test_a_sound_file_is_told_with_its_version(typed):
    code, out = typed("policy", "check")
    assert code == 0
    assert "0 errors, 0 warnings, version 7+" in out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "nothing is ever erased"),
        ("retention_days = 3650\n", "erased 3650 days after it closed"),
        ("retention_days = 7\n", "policy.toml:4: warning: retention_days: mails and names of a run are gone 7 days"),
    ],
)
def test_retention_is_told(typed, tmp_path, line, said):
    (tmp_path / "policy.toml").write_text(POLICY.replace('base_currency = "EUR"\n', f'base_currency = "EUR"\n{line}'))
    code, out = typed("policy", "check")
    assert code == 0
    assert said in out


def test_a_faulty_file_is_told_with_line_and_what_to_do(typed, tmp_path):
    file = tmp_path / "other.toml"
    file.write_text(POLICY.replace('members = ["ann", "ben"]', 'members = ["ann", "zoe"]'))
    code, out = typed("policy", "check", str(file))
    assert code == 2
    assert f"{file}:26: error: roles.0.members: no person 'zoe': add the person" in out


def test_explain_names_rule_people_quorum_and_deadline(typed):
    code, told = explain(typed, {"Total": "2000", "Currency": "EUR"})
    assert code == 0
    assert (told["plan"]["rule_id"], told["plan"]["quorum"]) == ("big", 2)
    assert told["deadline"] == "2026-11-09T15:00:00+00:00"


def test_whom_a_mailbox_believes_is_told_for_each(typed, tmp_path, monkeypatch):
    closed = 'mode = "closed"\nreceiver = "mx.y.example"\nnetworks = ["10.1.0.0/16"]\n'
    (tmp_path / "policy.toml").write_text(f'{POLICY}\n[mailboxes."Approvals@y.example"]\n{closed}')
    monkeypatch.setenv("COUNTERSIGN_IMAP__USER", "approvals@y.example")
    _, out = typed("policy", "check")
    assert "every other mailbox believes a sender when mx.x.example says dmarc=pass for the domain of From" in out
    _, out = typed(
        "policy", "explain", "--service", "S", "--endpoint", "Orders", "--payload", '{"Total": 1, "Currency": "EUR"}'
    )
    assert "an answer is believed when mx.y.example took the mail from 10.1.0.0/16" in out


def test_explain_says_why_an_earlier_rule_is_not_the_one(typed):
    code, told = explain(typed, {"Total": "10", "Currency": "EUR"})
    assert [(rule["rule"], rule["matches"]) for rule in told["rules"]] == [("big", False), ("rest", True)]
    assert "10" in told["rules"][0]["why"]


def test_explain_says_why_nobody_may_approve(typed):
    code, told = explain(typed, {"Total": "10", "Currency": "USD"})
    assert code == 1
    assert "policy has no rate of USD" in told["denied"]


def test_who_asks_cannot_be_among_those_who_approve(typed):
    code, told = explain(typed, {"Total": "2000", "Currency": "EUR"}, "--requester", "ann")
    assert code == 1
    assert "needs 2 approver(s)" in told["denied"]


def test_explain_names_the_masks_of_the_call(typed, tmp_path):
    mask = '[[masks]]\nid = "bank"\nproperties = ["IBAN"]\nendpoints = ["Ord*"]\n'
    (tmp_path / "policy.toml").write_text(POLICY + mask)
    _, told = explain(typed, {"Total": "10", "Currency": "EUR"})
    assert [named["id"] for named in told["masks"]] == ["bank"]
    assert "  mask bank hides IBAN from mails (shows last4)" in told["text"]
