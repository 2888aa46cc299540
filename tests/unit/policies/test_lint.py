"""policy check: faults and doubts, each with its place."""

import tomllib
from datetime import UTC, datetime

import pytest

from policies.lint import find_errors, find_warnings
from policies.rulebook import parse_policy, policy_version
from policies.toml_lines import line_of
from wire.policy import Policy

TEXT = """\
version = "1"
requesters = ["rita"]

[trust]
authserv_id = "mx.x.example"

[[persons]]
id = "rita"
name = "Rita"
addresses = ["rita@x.example"]

[[persons]]
id = "ann"
name = "Ann"
addresses = [
  "ann@x.example",
]
timezone = "Europe/Berlin"

[[rules]]
id = "first"
approvers = ["ann"]

[[rules.when]]
property = "Amount"
op = ">="
value = 1000

[[rules]]
id = "rest"
approvers = ["ann"]
"""
NOW = datetime(2026, 11, 2, tzinfo=UTC)


def lint(text: str):
    policy = parse_policy(tomllib.loads(text))
    if not isinstance(policy, Policy):
        return policy
    return (
        *find_errors(policy),
        *find_warnings(policy, now=NOW, zones={"UTC", "Europe/Berlin"}, languages=("en", "de")),
    )


def test_a_sound_file_has_no_findings():
    assert lint(TEXT) == ()


MX = 'authserv_id = "mx.x.example"'
CLOSED = '[mailboxes."approvals@x.example"]'
INTRANET = 'receiver = "mx.x.example"\nnetworks = ["10.0.0.0/8"]'
BAD_NET, WIDE_NET = ('networks = ["10.0.0.1/8"]', 'networks = ["0.0.0.0/0"]')
SOON, FAR = ("clock_probe_valid_seconds = 4000", "clock_skew_bound_seconds = 900")


@pytest.mark.parametrize(
    ("old", "new", "severity", "says", "at"),
    [
        ('op = ">="', 'op = ">"\nvalu = 3', "error", "Extra inputs", "valu = 3"),
        ("value = 1000", 'value = "x"', "error", "needs a number", 'value = "x"'),
        ("value = 1000", 'value = 1\ncurrency = "EUR"', "error", "nowhere read from", "[[rules.when]]"),
        (
            'timezone = "Europe/Berlin"',
            'timezone = "Europe/Berln"',
            "error",
            "no time zone",
            'timezone = "Europe/Berln"',
        ),
        ('id = "rest"', 'id = "first"  #', "error", "stands twice", 'id = "first"  #'),
        (
            'id = "rest"',
            'id = "rest"\nescalate_to = ["role:x"]',
            "error",
            "no person 'role:x'",
            'escalate_to = ["role:x"]',
        ),
        ('authserv_id = "mx.x.example"', 'mode = "closed"', "warning", "as it stands", 'mode = "closed"'),
        ('authserv_id = "mx.x.example"', "", "error", "nobody vouches", "[trust]"),
        (MX, f'{MX}\n{CLOSED}\nmode = "closed"', "warning", "as it stands", 'mode = "closed"'),
        (MX, f"{MX}\n{CLOSED}\n{INTRANET}", "warning", "are not looked at", 'networks = ["10.0.0.0/8"]'),
        (MX, f"{MX}\n{CLOSED}", "error", "nobody vouches", CLOSED),
        (MX, 'mode = "closed"\nnetworks = ["10.0.0.0/8"]', "error", "only useful together", "[trust]"),
        (MX, 'mode = "closed"\nreceiver = "mx"', "error", "only useful together", 'receiver = "mx"'),
        (MX, f'mode = "closed"\n{INTRANET}'.replace("10.0.0.0/8", "10.0.0.1/8"), "error", "is no network", BAD_NET),
        (MX, f'mode = "closed"\n{INTRANET}'.replace("10.0.0.0/8", "0.0.0.0/0"), "warning", "is wide", WIDE_NET),
        (
            'version = "1"',
            'version = "1"\nclock_probe_seconds = 0',
            "warning",
            "nobody measures",
            "clock_probe_seconds = 0",
        ),
        ('version = "1"', f'version = "1"\n{SOON}', "warning", "one probe mail that is late", SOON),
        ('version = "1"', f'version = "1"\n{FAR}', "warning", "is wide", FAR),
        ('id = "rest"', 'id = "rest"\ncalendar = "c"', "error", "no calendar", 'calendar = "c"'),
        ('id = "rest"', 'id = "rest"\nwindow_seconds = 9999999', "warning", "30 days", "window_seconds = 9999999"),
        ('version = "1"', 'version = "1"\nlanguages = ["tlh"]', "error", "no reply words", 'languages = ["tlh"]'),
        ('approvers = ["ann"]\n\n', 'approvers = ["rita"]\n\n', "warning", "nobody is left", 'approvers = ["rita"]'),
    ],
)
def test_every_fault_is_named_with_its_line(old, new, severity, says, at):
    text = TEXT.replace(old, new)
    found = [(f.severity, text.splitlines()[line_of(text, f.place) - 1]) for f in lint(text) if says in f.message]
    assert found == [(severity, at)]


@pytest.mark.parametrize("odd", ["rita@x.example.", "rita@straße.example", "Rita <rita@x.example>", "rita"])
def test_an_address_that_no_answer_can_come_from_is_named(odd: str):
    text = TEXT.replace('"rita@x.example"', f'"{odd}"')
    assert [f.field for f in lint(text) if "is no plain address" in f.message] == ["persons.0.addresses"]


def test_a_rule_that_escalates_to_nobody_is_named_at_its_head():
    text = TEXT + 'on_deadline = "escalate"\n'
    (finding,) = lint(text)
    assert (finding.message, text.splitlines()[line_of(text, finding.place) - 1]) == (
        "(rest) escalates to nobody",
        "[[rules]]",
    )


def test_a_rule_that_another_covers_is_named():
    found = [f.message for f in lint(TEXT + '\n[[rules]]\nid = "never"\napprovers = ["ann"]')]
    assert found == ["(never) never matches: 'rest' stands before it"]


def test_a_field_at_its_default_is_no_change_of_the_policy():
    first = parse_policy(tomllib.loads(TEXT))
    same = parse_policy(tomllib.loads(TEXT.replace('id = "rest"', 'id = "rest"\nmax_reviews = 3')))
    other = parse_policy(tomllib.loads(TEXT.replace('id = "rest"', 'id = "rest"\nmax_reviews = 4')))
    assert policy_version(first) == policy_version(same) != policy_version(other)


def test_every_line_of_a_chain_must_reach_the_quorum_by_itself():
    rest = 'id = "rest"\nquorum = 2\non_deadline = "escalate"\nescalate_to = ["ann", "rita"]\nescalate_further = [["rita"]]'
    found = [f.field for f in lint(TEXT.replace('id = "rest"', rest)) if "quorum 2 of 1" in f.message]
    assert found == ["rules.1.quorum", "rules.1.escalate_further"]
