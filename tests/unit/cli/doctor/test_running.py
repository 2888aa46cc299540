"""Checks that hang, raise or leak: each becomes one line, and none holds up another."""

import threading

import pytest
from pydantic import SecretStr

from cli.doctor.command import lines_of
from cli.doctor.finding import Finding, Status, right, secrets_in, unknown, unused, warning, without_secrets, wrong
from cli.doctor.running import Check, run_checks
from settings import MailServer, Model, OData, ODataService, Settings


def test_what_a_check_raises_is_a_finding():
    def look():
        raise ValueError("no such thing")

    (found,) = run_checks([Check("part", look, "mend it")], 5)
    assert found == wrong("part", "ValueError: no such thing", "mend it")


def test_one_that_hangs_is_unknown_and_the_others_are_told_in_order():
    hanging = threading.Event()
    checks = [
        Check("first", lambda: [right("first", "well")], ""),
        Check("hangs", lambda: [right("hangs", str(hanging.wait()))], "see its log"),
        Check("last", lambda: [right("last", "well")], ""),
    ]
    found = run_checks(checks, 0.2)
    hanging.set()
    assert [(f.part, f.status) for f in found] == [
        ("first", Status.RIGHT),
        ("hangs", Status.UNKNOWN),
        ("last", Status.RIGHT),
    ]


def test_every_secret_of_the_settings_is_found():
    settings = Settings(
        imap=MailServer(port=1, user="u", password=SecretStr("imap-secret")),
        model=Model(api_key=SecretStr("key-secret")),
        odata=OData(services={"S": ODataService(bearer=SecretStr("odata-secret"))}),
    )
    assert {"imap-secret", "key-secret", "odata-secret"} <= set(secrets_in(settings))


def test_a_secret_that_a_server_says_back_is_not_shown():
    told = without_secrets(
        wrong("IMAP", "no user with\r\npassword hunter2x", "hunter2x is wrong"), ["hunter2x", "", "a"]
    )
    assert (told.told, told.mend) == ("no user with password …", "… is wrong")


@pytest.mark.parametrize(
    ("finding", "bad"),
    [
        (right("p", "t"), False),
        (unused("p", "t"), False),
        (warning("p", "t", "m"), False),
        (wrong("p", "t", "m"), True),
        (unknown("p", "t", "m"), True),
    ],
)
def test_only_what_is_right_speaks_for_all_being_right(finding: Finding, bad: bool):
    assert finding.is_bad is bad
    assert ("all is right" in lines_of([finding])[-1]) is not bad


def test_a_line_says_what_and_how_to_mend_it():
    assert lines_of([wrong("IMAP", "login refused", "check the password")])[0] == (
        "wrong    IMAP  login refused -> check the password"
    )
