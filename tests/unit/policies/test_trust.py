"""Which profile holds for a mailbox, and what it believes in words."""

import pytest

from policies.trust import trust_in_words, trust_of
from tests.unit.ledger.world import make_policy
from wire.policy import TrustProfile

ALL = TrustProfile(authserv_id="mx.x.example")
OWN = TrustProfile(mode="dkim")


@pytest.mark.parametrize(
    ("mailboxes", "name", "profile"),
    [
        ({}, "a@x.example", ALL),
        ({"a@x.example": OWN}, "a@x.example", OWN),
        ({"a@x.example": OWN}, "A@X.example ", OWN),
        ({"a@x.example": OWN}, "b@x.example", ALL),
        ({"a@x.example": OWN, "A@x.example": ALL}, "a@x.example", TrustProfile()),
    ],
)
def test_the_profile_of_a_mailbox(mailboxes: dict[str, TrustProfile], name: str, profile: TrustProfile):
    assert trust_of(make_policy(trust=ALL, mailboxes=mailboxes), name) == profile


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (ALL, "mx.x.example says dmarc=pass for the domain of From"),
        (TrustProfile(), "never: no authserv_id is named"),
        (TrustProfile(mode="closed"), "always: From is believed as it stands"),
        (
            TrustProfile(mode="microsoft365", tenant_id="t"),
            "Exchange Online says dmarc=pass for the domain of From, or that",
        ),
        (TrustProfile(mode="dkim", dkim_domains=("y.example",)), "author's domain or of y.example verifies here"),
    ],
)
def test_what_is_believed_in_words(profile: TrustProfile, words: str):
    assert words in trust_in_words(profile)
