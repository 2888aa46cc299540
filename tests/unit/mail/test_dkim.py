"""Signatures of our own mail, signatures of others verified here, and Exchange Online's results."""

import subprocess

import dkim
import pytest

from mail.authenticity import check_authenticity
from mail.dkim_sign import make_signer
from mail.errors import SigningError
from wire.policy import TrustProfile

TRUST = TrustProfile(mode="dkim")
HEAD = (
    b"From: Ann <ann@corp.example>\r\nSubject: Re: x\r\nDate: Mon, 02 Nov 2026 09:15:00 +0100\r\n"
    b"Message-ID: <m@corp.example>\r\n"
)
RAW = HEAD + b"To: approvals@agent.example\r\n\r\nAPPROVE\r\n"
COVERED = [b"from", b"subject", b"date", b"message-id"]


@pytest.fixture(scope="module")
def key():
    command = ["openssl", "genrsa", "-traditional", "1024"]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def resolve(key):
    command = ["openssl", "rsa", "-pubout"]
    public = subprocess.run(command, input=key, capture_output=True, check=True).stdout
    record = b"v=DKIM1; k=rsa; p=" + b"".join(public.split(b"\n")[1:-2])
    return lambda name: record if name == "s._domainkey.corp.example" else None


def signed(key: bytes, raw: bytes = RAW, domain: bytes = b"corp.example", covered=COVERED, **options) -> bytes:
    return dkim.DKIM(raw).sign(b"s", domain, key, include_headers=covered, **options) + raw


def test_a_signature_of_the_authors_domain_is_believed(key, resolve):
    proof = check_authenticity(signed(key), TRUST, resolve)
    assert (proof.authenticated, proof.address) == (True, "ann@corp.example"), proof.reason


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda raw: raw.replace(b"APPROVE", b"REJECT"), "does not verify"),
        (lambda raw: raw + b"more", "does not verify"),
        (lambda raw: raw.replace(b"<m@corp.example>", b"<n@corp.example>"), "does not verify"),
        (lambda raw: raw.replace(b"ann@corp", b"eve@corp"), "does not verify"),
        (lambda raw: b"From: eve@evil.example\r\n" + raw, "more than one From"),
        (lambda raw: raw.replace(b"ann@corp.example", b"ann@evil.example"), "no DKIM signature of evil.example"),
        (lambda raw: raw.replace(b"s=s;", b"s=other;"), "does not verify"),
        (lambda raw: raw.replace(b"d=corp.example", b"d=mail.corp.example"), "no DKIM signature of corp.example"),
    ],
)
def test_what_the_signature_does_not_prove_is_refused(key, resolve, spoil, reason):
    proof = check_authenticity(spoil(signed(key)), TRUST, resolve)
    assert not proof.authenticated
    assert reason in proof.reason


@pytest.mark.parametrize("missing", COVERED[1:])
def test_a_signature_must_cover_what_tells_mails_apart(key, resolve, missing):
    covered = [name for name in COVERED if name != missing]
    proof = check_authenticity(signed(key, covered=covered), TRUST, resolve)
    assert proof.reason == f"the DKIM signature does not cover {missing.decode()}"


def test_a_signature_over_a_part_of_the_body_is_refused(key, resolve):
    proof = check_authenticity(signed(key, length=True) + b"REJECT\r\n", TRUST, resolve)
    assert "l=" in proof.reason


def test_a_domain_named_by_policy_may_sign_for_others(key, resolve):
    raw = signed(key, RAW.replace(b"ann@corp.example", b"ann@mail.example"))
    named = TrustProfile(mode="dkim", dkim_domains=("corp.example",))
    assert check_authenticity(raw, named, resolve).authenticated
    assert not check_authenticity(raw, TRUST, resolve).authenticated


def test_dns_that_does_not_answer_is_no_proof(key):
    proof = check_authenticity(signed(key), TRUST)
    assert "DNS did not answer" in proof.reason


def test_our_own_mail_is_signed_alike_every_time(key, resolve):
    sign = make_signer("corp.example", "s", key)
    assert sign(RAW) == sign(RAW)
    assert check_authenticity(sign(RAW), TRUST, resolve).authenticated
    assert make_signer("corp.example", "s", None)(RAW) == RAW


def test_a_key_that_is_none_is_refused_at_once():
    with pytest.raises(SigningError, match="corp.example"):
        make_signer("corp.example", "s", b"no key")


OFFICE = TrustProfile(mode="microsoft365", tenant_id="11111111-2222-3333-4444-555555555555")
PASSED = (
    "Authentication-Results: spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=corp.example; dkim=pass (signature was verified)"
    " header.d=corp.example;dmarc=pass action=none header.from=corp.example;compauth=pass reason=100"
)
INSIDE = (
    "X-MS-Exchange-Organization-AuthAs: Internal",
    "X-MS-Exchange-CrossTenant-AuthAs: Internal",
    f"X-MS-Exchange-CrossTenant-Id: {OFFICE.tenant_id}",
)
FROM = "From: ann@corp.example"


@pytest.mark.parametrize(
    ("headers", "believed"),
    [
        ((PASSED, FROM), True),
        ((FROM, *INSIDE), True),
        ((PASSED, FROM, "Authentication-Results: mx.corp.example; dmarc=fail header.from=corp.example"), True),
        ((PASSED, PASSED, FROM), False),
        ((FROM,), False),
        ((PASSED.replace("dmarc=pass", "dmarc=fail"), FROM), False),
        ((PASSED.replace("dmarc=pass", "dmarc=bestguesspass"), FROM), False),
        ((PASSED.replace("header.from=corp.example", "header.from=evil.example"), FROM), False),
        (("Authentication-Results: mx.evil.example; dmarc=pass header.from=corp.example", FROM), False),
        ((FROM, *INSIDE[:2], "X-MS-Exchange-CrossTenant-Id: 99999999-2222-3333-4444-555555555555"), False),
        ((FROM, *INSIDE, INSIDE[0]), False),
        ((FROM, INSIDE[0].replace("Internal", "Anonymous"), *INSIDE[1:]), False),
    ],
)
def test_exchange_online(headers, believed):
    raw = ("\r\n".join(headers) + "\r\n\r\nAPPROVE").encode()
    assert check_authenticity(raw, OFFICE).authenticated is believed
