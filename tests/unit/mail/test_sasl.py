"""Bearer tokens in SASL, and how a refusal is read."""

import pytest

from mail.sasl import BearerExchange, choose_mechanism, explain

# The challenge that Google's description of XOAUTH2 shows, decoded.
CHALLENGE = b'{"status":"401","schemes":"bearer mac","scope":"https://mail.google.com/"}'


@pytest.mark.parametrize(
    ("offered", "wanted", "chosen"),
    [
        (["PLAIN", "XOAUTH2", "OAUTHBEARER"], "", "XOAUTH2"),
        (["plain", "oauthbearer"], "", "OAUTHBEARER"),
        (["XOAUTH2", "OAUTHBEARER"], "oauthbearer", "OAUTHBEARER"),
        (["XOAUTH2"], "oauthbearer", None),
        (["PLAIN", "LOGIN"], "", None),
    ],
)
def test_mechanism(offered, wanted, chosen):
    assert choose_mechanism(offered, wanted) == chosen


def test_xoauth2_shows_user_and_token_then_nothing():
    exchange = BearerExchange("XOAUTH2", "a@b.example", "t", "h", 993)
    assert exchange(b"") == "user=a@b.example\x01auth=Bearer t\x01\x01"
    assert (exchange(CHALLENGE), exchange.said) == (
        "",
        "status 401, scope https://mail.google.com/, schemes bearer mac",
    )


def test_oauthbearer_escapes_the_identity_and_closes_with_one_byte():
    exchange = BearerExchange("OAUTHBEARER", "a=b,c", "t", "h", 993)
    assert exchange() == "n,a=a=3Db=2Cc,\x01host=h\x01port=993\x01auth=Bearer t\x01\x01"
    assert exchange(b'{"status":"invalid_token"}') == "\x01"
    assert exchange.said == "status invalid_token"


@pytest.mark.parametrize(("challenge", "said"), [(b"", ""), (b"plain\r\ntext", "plain  text"), (b"[1]", "[1]")])
def test_other_challenges_are_shown_as_they_are(challenge, said):
    assert explain(challenge) == said
