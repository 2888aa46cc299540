"""Addresses that look like an approver's: refused, or somebody whom the policy does not know. Never the approver."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.authenticity import check_authenticity
from policies.evidence_checks import Voter, find_voter
from policies.people import fold_address, person_of
from tests.unit.ledger.world import NOON, make_policy
from wire.policy import Person, TrustProfile

TRUST = TrustProfile(authserv_id="mx.agent.example")
ANN = "ann@corp.example"


def believed(sender: str, domain: str = "corp.example") -> str | None:
    """The address that is believed of a mail whose own server vouches for ``domain``."""
    results = f"Authentication-Results: mx.agent.example; dmarc=pass header.from={domain}"
    proof = check_authenticity(f"{results}\r\nFrom: {sender}\r\n\r\nAPPROVE".encode(), TRUST)
    return proof.address if proof.authenticated else None


@pytest.mark.parametrize("sender", [ANN, "ANN@CORP.EXAMPLE", "Ann <Ann@Corp.Example>", "ann+phone@corp.example"])
def test_case_and_plus_part_are_the_same_person(sender: str):
    address = believed(sender)
    assert address is not None
    assert find_voter(make_policy(), address, ("ann",), "rita", NOON) == Voter("ann", "ann")


@pytest.mark.parametrize(
    "sender",
    [
        *("ann@corp.example.", "ann@corp.example..", "ann@.corp.example", "ann@corp..example", "ann.@@corp.example"),
        *("ann@cоrp.example", "аnn@corp.example", "ann@corp。example", "ann@corp．example", "ann@ｃorp.example"),
        *("ann@corp.example\u200b", "ann\u200d@corp.example", "ann@corp\u00ad.example", "\u202eann@corp.example"),
        *("ann@[203.0.113.9]", '"ann"@corp.example', "ann@corp.example@evil.example", "ann%corp.example"),
        *(
            "ann@evil.example (ann@corp.example) x",
            "=?utf-8?q?ann=40corp.example?=",
            "<ann@corp.example",
            "ann @corp.example",
        ),
    ],
)
@pytest.mark.parametrize("domain", ["corp.example", "evil.example", "corp.example."])
def test_what_is_no_plain_ascii_address_is_refused(sender: str, domain: str):
    assert believed(sender, domain) is None


@pytest.mark.parametrize(
    "domain",
    [
        *(
            "c0rp.example",
            "corp-example.example",
            "corp.example.evil.example",
            "xn--crp-jmc.example",
            "mail.corp.example",
        ),
        *("example", "corp.exampIe", "corp.examp1e", "rn.example", "corp.example-login.example", "xcorp.example"),
    ],
)
def test_another_domain_that_is_vouched_for_is_another_person(domain: str):
    address = believed(f"Ann <ann@{domain}>", domain)
    assert address == f"ann@{domain.lower()}"
    assert person_of(make_policy(), address) is None


@pytest.mark.parametrize(
    "domain", ["c0rp.example", "mail.corp.example", "example", "xn--corp-x.example", "corp.example.x"]
)
def test_one_domain_s_pass_proves_no_other(domain: str):
    assert believed(ANN, domain) is None


@pytest.mark.parametrize(
    ("alias", "sender"),
    [
        ("ann@straße.example", "ann@strasse.example"),
        ("ann@\u212aorp.example", "ann@korp.example"),
        ("ann@corp.example", "ann@corp.\u017fxample"),
        ("ann@ſorp.example", "ann@sorp.example"),
        ("ann@ﬁrm.example", "ann@firm.example"),
    ],
)
def test_an_alias_with_other_letters_names_no_ascii_domain(alias: str, sender: str):
    """IDNA 2008: each of these pairs is two domains, of two owners."""
    policy = make_policy(persons=(Person(id="ann", name="Ann", addresses=(alias,)),))
    assert person_of(policy, sender) is None


def test_an_address_of_two_persons_is_nobody_s():
    twins = tuple(Person(id=name, name=name, addresses=(ANN,)) for name in ("ann", "bob"))
    assert person_of(make_policy(persons=twins), ANN) is None


@given(st.text(max_size=40))
def test_folding_makes_ascii_of_nothing_that_was_not(text: str):
    folded = fold_address(text)
    assert folded.isascii() is text.strip().strip("<>").strip().isascii()
    assert fold_address(folded) == folded or "<" in folded or ">" in folded or folded != folded.strip()
