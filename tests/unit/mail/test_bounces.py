"""What mail systems report, in the shapes that they write it in (``bounce_shapes.toml``)."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.reply_parser import parse_reply
from wire.mail import ParsedReply

SHAPES = tomllib.loads(Path(__file__).with_name("bounce_shapes.toml").read_text(encoding="utf-8"))
FAILED = [name for name, shape in SHAPES.items() if shape["failed"]]
ID = "5e3f.0@agent.example"


def parsed(raw: str) -> ParsedReply:
    text = (
        raw.lstrip("\n")
        .replace("<ID>", f"<{ID}>")
        .replace("&lt;ID&gt;", f"&lt;{ID}&gt;")
        .replace(": ID\n", f": {ID}\n")
    )
    own = ["approvals@agent.example"]
    return parse_reply(text.replace("\n", "\r\n").encode(), languages=["en"], own_addresses=own)


@pytest.mark.parametrize("name", FAILED)
def test_a_failure_names_what_came_back_and_whom_it_did_not_reach(name: str):
    shape, found = SHAPES[name], parsed(SHAPES[name]["raw"])
    assert (found.automatic, sorted(found.failed_recipients)) == ("bounce", shape["to"])
    assert found.bounced_ids == ((ID,) if shape.get("ids", True) else ())
    assert shape.get("status", "") in found.failure_status


@pytest.mark.parametrize("name", sorted(SHAPES.keys() - set(FAILED)))
def test_what_may_still_arrive_is_no_failure(name: str):
    found = parsed(SHAPES[name]["raw"])
    assert (found.automatic, found.bounced_ids, found.failed_recipients) == ("receipt", (), ())


@pytest.mark.parametrize("name", FAILED)
def test_lines_of_other_length_and_case_change_nothing(name: str):
    raw = (
        SHAPES[name]["raw"]
        .replace("Message-ID:", "MESSAGE-ID:")
        .replace("Action: failed", "action:   Failed (for good)")
    )
    assert parsed(raw).bounced_ids == parsed(SHAPES[name]["raw"]).bounced_ids
    assert parsed(raw).automatic == "bounce"


def test_a_person_who_sends_a_report_on_is_read_as_a_person():
    report = SHAPES["postfix"]["raw"].partition('boundary="A1"\n')[2]
    raw = f'From: ann@corp.example\nTo: approvals@agent.example\nContent-Type: multipart/mixed; boundary="A1"\n{report}'
    assert parsed(raw).automatic is None


def test_ids_that_the_returned_mail_refers_to_are_not_what_came_back():
    assert "older@agent.example" not in parsed(SHAPES["expired"]["raw"]).bounced_ids
    assert "decoy@agent.example" not in parsed(SHAPES["exim_plain"]["raw"]).bounced_ids


HEAD = "From: MAILER-DAEMON@mx.example\nTo: approvals@agent.example\nSubject: failure notice\n"


@pytest.mark.parametrize(
    "filling",
    [
        "\n" * 60_000,
        "> " * 30_000,
        "-" * 60_000,
        "_" * 60_000,
        " " * 60_000,
        "a@" * 30_000,
        "Message-ID:" * 6_000,
        "<" * 60_000,
    ],
)
def test_long_runs_of_one_thing_are_read_in_one_pass(filling: str):
    raw = f"{HEAD}\n{filling}\nIt could not be delivered to ann@corp.example.\n{filling}"
    status = f"{HEAD}Content-Type: message/delivery-status\n\nX: {filling[:30_000]}\n\nAction: failed\n"
    assert parsed(raw).automatic == "bounce"
    assert parsed(status).automatic in ("bounce", "receipt")


@given(st.binary(max_size=400), st.sampled_from(sorted(SHAPES)))
def test_whatever_stands_in_a_report_is_read_without_an_error(junk: bytes, name: str):
    raw = SHAPES[name]["raw"].lstrip("\n").encode()
    middle = len(raw) // 2
    found = parse_reply(raw[:middle] + junk + raw[middle:], languages=["en"], own_addresses=["approvals@agent.example"])
    assert found.answer != "approve" or found.automatic is not None
