"""Token endpoints: what is posted, what answers mean, and that errors say what to do without saying a secret."""

import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.errors import TokenError, TokenRefused, TokenUnavailable
from mail.oauth import OAuthSettings, read_answer, token_form

APP = OAuthSettings("https://login.example/token", "app", "s3cret", scope="https://outlook.office365.com/.default")
SIGNED_IN = OAuthSettings("https://login.example/token", "app", "s3cret", "refresh-0")


def answer(status: int, **fields: object) -> tuple[int, bytes]:
    return status, json.dumps(fields).encode()


def test_client_credentials_form():
    fields = {"grant_type": "client_credentials", "client_id": "app", "client_secret": "s3cret", "scope": APP.scope}
    assert token_form(APP, "") == fields


def test_refresh_form_carries_the_newest_token():
    form = token_form(SIGNED_IN, "refresh-7")
    assert (form["grant_type"], form["refresh_token"]) == ("refresh_token", "refresh-7")
    assert "scope" not in form


def test_token_with_its_life_and_the_next_refresh_token():
    issued = read_answer(*answer(200, access_token="a", expires_in="3599", refresh_token="r"), SIGNED_IN)
    assert (issued.access_token, issued.seconds, issued.refresh_token) == ("a", 3599.0, "r")


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("invalid_grant", "sign in again and set oauth.refresh_token"),
        ("invalid_client", "check oauth.client_id and oauth.client_secret"),
        ("invalid_scope", "correct oauth.scope"),
        ("something_new", "check the settings below oauth"),
    ],
)
def test_refusal_says_what_to_do(code, advice):
    with pytest.raises(TokenRefused, match=rf"login\.example/token: 400 {code}: no; .*{advice}"):
        read_answer(*answer(400, error=code, error_description="no"), SIGNED_IN)


@pytest.mark.parametrize(
    ("status", "body"), [(503, b"<html>"), (429, b""), (400, b'{"error": "temporarily_unavailable"}'), (500, b"[]")]
)
def test_passing_trouble_is_to_be_tried_again(status, body):
    with pytest.raises(TokenUnavailable, match=f"token: {status}"):
        read_answer(status, body, SIGNED_IN)


@pytest.mark.parametrize(
    "given",
    [(200, b"<html>sign in</html>"), (302, b""), answer(200, token_type="mac", access_token="a"), answer(200, x=1)],
)
def test_what_is_no_token_answer_points_at_the_url(given):
    with pytest.raises(TokenRefused, match=r"check oauth\.token_url"):
        read_answer(given[0], given[1], SIGNED_IN)


def test_errors_and_reprs_hold_no_secret():
    said = "client app with s3cret and refresh-7\r\nforged line"
    with pytest.raises(TokenRefused) as caught:
        read_answer(*answer(401, error="invalid_client", error_description=said), SIGNED_IN, ("refresh-7",))
    shown = str(caught.value) + repr(SIGNED_IN)
    assert not any(secret in shown for secret in ("s3cret", "refresh-7", "refresh-0", "\n"))


@given(
    st.integers(200, 599), st.binary(max_size=60) | st.from_regex(r'\{"(error|access_token)": ("[a-z]*"|[0-9]|null)\}')
)
def test_any_answer_is_a_token_or_a_clear_error(status, body):
    raw = body.encode() if isinstance(body, str) else body
    said = ""
    try:
        said = read_answer(status, raw, SIGNED_IN).access_token
    except TokenError as error:
        said = str(error)
    assert said.startswith("token endpoint https://login.example/token: ") or (said and status == 200)


@pytest.mark.parametrize("name", ["error", "error_description"])
@pytest.mark.parametrize("echo", ["{}", "form: refresh_token={}&x"])
def test_a_refusal_that_echoes_a_secret_as_the_form_had_it_does_not_show_it(name: str, echo: str) -> None:
    secret = "1//0a b+c="
    settings = OAuthSettings("https://login.example/token", "app", refresh_token=secret)
    for spelled in (secret, quote(secret, safe=""), quote(secret, safe="").lower(), quote_plus(secret)):
        with pytest.raises(TokenRefused) as refused:
            read_answer(400, json.dumps({"error": "x", name: echo.format(spelled)}).encode(), settings)
        assert (spelled in str(refused.value), "***" in str(refused.value)) == (False, True)
