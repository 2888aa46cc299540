"""What we ask for of servers that report failures, and that their reports name our mail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.dsn import from_xtext, mail_options, recipient_options, xtext


def test_the_envelope_id_is_the_message_id():
    raw = b"Subject: x\r\nMessage-ID:\r\n <a+b=1.0@agent.example>\r\n\r\nENVID"
    assert mail_options(raw) == ["RET=HDRS", "ENVID=a+2Bb+3D1.0@agent.example"]


@pytest.mark.parametrize("name", ["", "x" * 101 + "@agent.example", "ä@agent.example"])
def test_what_no_server_must_take_is_left_out(name: str):
    assert mail_options(f"Message-ID: <{name}>\r\n\r\n".encode()) == ["RET=HDRS"]


def test_only_failures_are_reported_and_name_the_address_that_we_sent_to():
    assert recipient_options("ann+x@corp.example") == ["NOTIFY=FAILURE", "ORCPT=rfc822;ann+2Bx@corp.example"]
    assert recipient_options("änn@corp.example") == ["NOTIFY=FAILURE"]


@given(st.text(st.characters(min_codepoint=0, max_codepoint=127)))
def test_encoding_is_printable_and_loses_nothing(text: str):
    assert from_xtext(xtext(text)) == text
    assert all("!" <= c <= "~" and c != "=" for c in xtext(text))
