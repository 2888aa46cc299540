"""check_authenticity: who our own server vouches for."""

import pytest

from mail.auth_results import ResultsError, parse_results
from mail.authenticity import check_authenticity
from wire.policy import TrustProfile

TRUST = TrustProfile(authserv_id="mx.agent.example")
PASS = "Authentication-Results: mx.agent.example; dmarc=pass header.from=corp.example"
FROM = "From: Ann <ann@corp.example>"


def check(*headers: str, trust: TrustProfile = TRUST):
    return check_authenticity(("\r\n".join(headers) + "\r\n\r\nAPPROVE").encode(), trust)


@pytest.mark.parametrize(
    "headers",
    [
        (PASS, FROM),
        (PASS, "From: ann@corp.example"),
        (PASS, "From: ann@corp.example (Ann <x@evil.example>)"),
        (PASS, 'From: "ann@other.example, Ann" <Ann@Corp.Example>'),
        (PASS, "From: =?utf-8?q?Ann?= <ann@corp.example>"),
        (PASS, FROM, "Sender: Ann <ANN@corp.example>"),
        (PASS, FROM, "Authentication-Results: mx.corp.example; dkim=fail header.d=corp.example"),
        (PASS, FROM, "Authentication-Results: spf=fail smtp.mailfrom=x; dmarc=fail"),
        (PASS.replace("mx.agent.example;", "MX.agent.example (our own) 1;\r\n (a (nested) comment)"), FROM),
        (
            PASS.replace("; ", ";\r\n spf=pass smtp.mailfrom=x;\r\n ").replace("pass header", "pass (p=reject) header"),
            FROM,
        ),
        (PASS, FROM, "DKIM-Signature: v=1; d=other.example; l=10; h=to; b=x"),
        (PASS, FROM, "DKIM-Signature: v=1; d=corp.example; h=From:To; b=x"),
    ],
)
def test_genuine(headers):
    proof = check(*headers)
    assert (proof.authenticated, proof.address, proof.method) == (True, "ann@corp.example", "dmarc"), proof.reason


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ((FROM,), "no Authentication-Results"),
        ((PASS, PASS, FROM), "more than one Authentication-Results"),
        ((PASS.replace("mx.", "mail.mx."), FROM), "no Authentication-Results"),
        ((PASS.replace("agent.example;", "agent.example.evil.example;"), FROM), "no Authentication-Results"),
        (
            ("Authentication-Results: x.example (mx.agent.example); dmarc=pass header.from=corp.example", FROM),
            "no Auth",
        ),
        (
            ("Authentication-Results: evil.example; x=y; mx.agent.example; dmarc=pass header.from=corp.example", FROM),
            "malformed",
        ),
        ((PASS.replace("dmarc=pass", "spf=pass"), FROM), "no aligned pass"),
        ((PASS.replace("dmarc=pass", "dkim=pass"), FROM), "no aligned pass"),
        ((PASS.replace("dmarc=pass", "dmarc=fail (dmarc=pass)"), FROM), "dmarc=fail"),
        ((PASS + "; dmarc=fail", FROM), "dmarc=pass,fail"),
        ((PASS.replace("=corp.example", "=c0rp.example"), FROM), "no aligned pass"),
        ((PASS.replace(" header.from=corp.example", ""), FROM), "no aligned pass"),
        ((PASS.replace("dmarc=pass", 'reason="dmarc=pass"'), FROM), "no aligned pass"),
        ((PASS, FROM, FROM), "more than one From"),
        ((PASS,), "no From"),
        ((PASS, "From: ann@corp.example, bob@corp.example"), "not exactly one"),
        ((PASS, "From: <ann@corp.example> <mallory@evil.example>"), "not exactly one"),
        ((PASS, "From: ann@corp.example <mallory@evil.example>"), "not exactly one"),
        ((PASS, "From: team: ann@corp.example;"), "not exactly one"),
        ((PASS, 'From: "ann@corp.example" <mallory@evil.example>'), "no aligned pass"),
        ((PASS, "From: ann@cоrp.example"), "not exactly one"),
        ((PASS, FROM, "Sender: Bob <bob@corp.example>"), "sender is not"),
        ((PASS, FROM, "Resent-From: bob@corp.example"), "resent-from is not"),
        ((PASS, FROM, "List-Id: <l.corp.example>"), "mailing list"),
        ((PASS, FROM, "Message-ID: <a@b>", "Message-ID: <c@d>"), "more than one message-id"),
        ((PASS, FROM, "no header at all"), "malformed"),
        ((PASS, FROM, "DKIM-Signature: v=1; d=corp.example; l = 12; h=from; b=x"), "l="),
        ((PASS, FROM, "DKIM-Signature: v=1; d=corp.example; h=to:subject; b=x"), "does not cover From"),
    ],
)
def test_refused(headers, reason):
    proof = check(*headers)
    assert not proof.authenticated
    assert reason in proof.reason


NONE = PASS.replace("dmarc=pass", "dmarc=none")
SIGNED = f"{NONE}; dkim=pass header.d=corp.example"


@pytest.mark.parametrize(
    ("results", "methods", "believed"),
    [
        (SIGNED, ("dmarc",), False),
        (SIGNED, ("dmarc", "dkim"), True),
        (SIGNED.replace("header.d=corp", "header.d=evil"), ("dmarc", "dkim"), False),
        (SIGNED.replace("dkim=pass", "dkim=neutral"), ("dmarc", "dkim"), False),
        (SIGNED.replace("dmarc=none", "dmarc=temperror"), ("dmarc", "dkim"), False),
        (f"{PASS.replace('dmarc=pass', 'dmarc=fail')}; arc=pass", ("dmarc", "dkim"), False),
        (f"{NONE}; arc=pass; spf=pass smtp.mailfrom=corp.example", ("dmarc", "dkim"), False),
        (f"{NONE}; bestguesspass=pass", ("dmarc",), False),
    ],
)
def test_a_domain_without_a_policy_is_believed_only_as_the_profile_says(results, methods, believed):
    trust = TrustProfile(authserv_id="mx.agent.example", methods=methods)
    assert check(results, FROM, trust=trust).authenticated is believed


def test_where_a_reply_wants_answers_sent_to_changes_nothing():
    proof = check(PASS, FROM, "Reply-To: mallory@evil.example")
    assert (proof.authenticated, proof.address) == (True, "ann@corp.example")


def test_login_proves_only_its_own_address():
    trust = TrustProfile(authserv_id="mx.agent.example", methods=("auth",))
    own = "Authentication-Results: mx.agent.example; auth=pass smtp.auth=ann@corp.example"
    assert check(own, FROM, trust=trust).method == "auth"
    assert not check(own.replace("ann@", "bob@"), FROM, trust=trust).authenticated


def test_closed_mailbox_believes_a_plain_from_only():
    trust = TrustProfile(mode="closed")
    assert check(FROM, trust=trust).authenticated
    assert not check(FROM, FROM, trust=trust).authenticated


def test_profile_without_a_server_believes_nobody():
    assert not check(PASS, FROM, trust=TrustProfile()).authenticated


def test_results_are_read_with_comments_quotes_and_equals_signs():
    results = parse_results('mx.x 1; dkim=pass (2048-bit (rsa)) header.d="a;b" header.b=Ab/c==; none')
    assert results.results[0].properties == {"header.d": "a;b", "header.b": "Ab/c=="}


@pytest.mark.parametrize(
    "value", ["", "; dmarc=pass", "mx (open", 'mx "open', "mx; dmarc", "mx x; dmarc=pass", "mx; a=b c=d c=e"]
)
def test_what_is_no_result_field_raises(value):
    with pytest.raises(ResultsError):
        parse_results(value)
