"""Who handed a mail to our server: the comment that the server wrote counts, nothing that the client chose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.authenticity import check_authenticity
from mail.received import read_received
from wire.policy import TrustProfile

CLOSED = TrustProfile(mode="closed", receiver="mx.bank.example", networks=("10.20.0.0/16", "fd12:3456::/32"))
DATE = "Mon, 2 Nov 2026 09:15:00 +0100"
TAIL = f"by mx.bank.example (Postfix) with ESMTPSA id 4F5\r\n for <approvals@bank.example>; {DATE}"
INSIDE = f"Received: from pc7.bank.example (pc7.bank.example [10.20.3.4])\r\n\t(using TLSv1.3 with cipher X) {TAIL}"
OUTSIDE = INSIDE.replace("10.20.3.4", "203.0.113.9")


def check(*headers: str, trust: TrustProfile = CLOSED):
    lines = [*headers, "From: Ann <ann@bank.example>", "Subject: x", "", "APPROVE"]
    return check_authenticity("\r\n".join(lines).encode(), trust)


@pytest.mark.parametrize(
    "received",
    [
        INSIDE,
        INSIDE.replace("pc7.bank.example [", "unknown ["),
        INSIDE.replace("(pc7.bank.example [", "(["),
        INSIDE.replace("10.20.3.4", "IPv6:fd12:3456::1"),
        INSIDE.replace("10.20.3.4", "IPv6:::ffff:10.20.3.4"),
        INSIDE.replace("by mx.bank.example", "by MX.Bank.Example."),
        INSIDE.replace("from pc7.bank.example", "from [203.0.113.9]"),
        INSIDE.replace("10.20.3.4]", "10.20.3.4]:41234"),
    ],
)
def test_mail_from_inside_is_believed(received: str):
    proof = check(received, OUTSIDE)
    assert (proof.authenticated, proof.method) == (True, "closed intranet (by mx.bank.example)"), proof.reason


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ((), "no Received header"),
        ((OUTSIDE,), "outside the trusted networks"),
        ((OUTSIDE, INSIDE), "outside the trusted networks"),
        ((INSIDE.replace("by mx.bank.example", "by mx.other.example"),), "not by mx.bank.example"),
        ((INSIDE.replace("by mx.bank.example", "by mx.bank.example.evil.example"),), "not by mx.bank.example"),
        ((OUTSIDE.replace("from pc7.bank.example", "from [10.20.3.4]"),), "outside"),
        ((OUTSIDE.replace("(pc7.bank.example [", "(helo=[10.20.3.4] ["),), "says plainly"),
        ((INSIDE.replace("(pc7.bank.example [10.20.3.4])", "(helo=[10.20.3.4])"),), "says plainly"),
        ((INSIDE.replace("(pc7.bank.example [10.20.3.4])", "(10.20.3.4)"),), "says plainly"),
        ((INSIDE.replace("[10.20.3.4]", "[10.20.3.4] [203.0.113.9]"),), "says plainly"),
        ((INSIDE.replace("10.20.3.4", "10.20.3.999"),), "says plainly"),
        ((f"Received: {TAIL}",), "says plainly"),
        ((INSIDE.rpartition(";")[0],), "says plainly"),
    ],
)
def test_whatever_else_is_refused(headers: tuple[str, ...], reason: str):
    proof = check(*headers)
    assert not proof.authenticated
    assert reason in proof.reason


@given(said=st.text(st.sampled_from('pc7 ()[];.=by with id for via <>mx.bank.example10.20.3.4\\"'), max_size=120))
def test_no_name_that_a_client_gives_itself_makes_it_an_insider(said: str):
    """What stands after ``from`` is the client's; the rest is what the server saw."""
    received = f"from {said} (unknown [203.0.113.9]) by mx.bank.example with ESMTP id 1; {DATE}"
    handover = read_received(" ".join(received.split()))
    assert handover is None or str(handover.client) == "203.0.113.9"


@pytest.mark.parametrize(
    "said",
    [
        "x (pc7 [10.20.3.4]) by mx.bank.example",
        "x (pc7 [10.20.3.4]) by mx.bank.example with",
        "x (pc7 [10.20.3.4]) by mx.bank.example via x id",
        f"x (pc7 [10.20.3.4]) by mx.bank.example with ESMTP id 7; {DATE}",
    ],
)
def test_a_client_cannot_write_the_server_s_part(said: str):
    received = f"from {said} (unknown [203.0.113.9]) by mx.bank.example with ESMTP id 1; {DATE}"
    assert read_received(received) is None


def test_a_profile_without_networks_believes_as_before():
    assert check(OUTSIDE, trust=TrustProfile(mode="closed")).authenticated
