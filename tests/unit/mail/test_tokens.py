"""Access tokens over a real token endpoint: cached, renewed early, rotated on disk, not asked for in a hurry."""

import os
import socket
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mail.backoff import Backoff
from mail.errors import TokenRefused, TokenUnavailable
from mail.token_endpoint import post_form
from mail.token_store import RefreshTokenFile
from mail.tokens import TokenSource
from tests.identity_provider import IdentityProvider, identity_provider


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


def source(provider: IdentityProvider, clock: Clock, folder: Path, **changes: object) -> TokenSource:
    settings = provider.settings(**changes)
    backoffs = (Backoff(1.0, 60.0), Backoff(60.0, 3600.0))
    return TokenSource(settings, post_form, RefreshTokenFile(folder, settings), clock, lambda: 1.0, *backoffs)


def test_one_token_serves_until_a_minute_before_it_ends(provider, clock, tmp_path):
    tokens = source(provider, clock, tmp_path)
    first = tokens.token()
    clock.now += 3539
    assert (tokens.token(), tokens.due(first)) == (first, False)
    clock.now += 1
    assert tokens.due(first)
    assert tokens.token().value == "access-2"


def test_short_lived_token_is_renewed_in_its_last_quarter(provider, clock, tmp_path):
    provider.lasts = 40
    tokens = source(provider, clock, tmp_path)
    assert tokens.token().due_at == clock.now + 30


def test_client_credentials_need_no_file(provider, clock, tmp_path):
    tokens = source(provider, clock, tmp_path / "none", refresh_token="")
    assert tokens.token().value == "access-1"
    assert not (tmp_path / "none").exists()


def test_discarded_token_is_replaced(provider, clock, tmp_path):
    tokens = source(provider, clock, tmp_path)
    tokens.discard(tokens.token())
    assert (tokens.cached, tokens.token().value) == (None, "access-2")


def test_rotated_token_outlives_the_process_for_its_owner_only(provider, clock, tmp_path):
    provider.rotates = True
    source(provider, clock, tmp_path).token()
    assert source(provider, clock, tmp_path).token().value == "access-2"
    assert provider.asked[1]["refresh_token"] == "refresh-1"
    [kept] = tmp_path.glob("*.json")
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    assert [name.name for name in tmp_path.glob(".new-*")] == []


def test_two_sources_of_one_sign_in_follow_each_others_rotation(provider, clock, tmp_path):
    provider.rotates = True
    one, two = source(provider, clock, tmp_path), source(provider, clock, tmp_path)
    for tokens in (one, two, one, two):
        tokens.discard(tokens.token())
    assert [fields["refresh_token"] for fields in provider.asked] == [
        "refresh-0",
        "refresh-1",
        "refresh-2",
        "refresh-3",
    ]


def test_newly_configured_token_replaces_the_rotated_one(provider, clock, tmp_path):
    provider.rotates = True
    source(provider, clock, tmp_path).token()
    provider.refresh = "signed-in-again"
    assert source(provider, clock, tmp_path, refresh_token="signed-in-again").token().value == "access-2"


def test_folder_that_cannot_keep_tokens_is_said_before_one_is_used(provider, clock, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TokenRefused, match="make that folder writable"):
        source(provider, clock, tmp_path / "file" / "oauth").token()
    assert provider.asked == []


def test_revoked_sign_in_is_asked_for_once_a_minute_at_most(provider, clock, tmp_path):
    provider.refresh = "another"
    tokens = source(provider, clock, tmp_path)
    for _ in range(3):
        with pytest.raises(TokenRefused, match="AADSTS70008.*sign in again"):
            tokens.token()
    assert len(provider.asked) == 1
    clock.now += 60
    provider.refresh = "refresh-0"
    assert tokens.token().value == "access-2"


def test_trouble_of_the_endpoint_is_asked_again_soon_and_later_and_later(provider, clock, tmp_path):
    provider.broken = [(503, "busy"), (500, "")]
    tokens = source(provider, clock, tmp_path)
    for wait, asked in ((0.0, 1), (1.0, 2), (1.0, 2)):
        clock.now += wait
        with pytest.raises(TokenUnavailable):
            tokens.token()
        assert len(provider.asked) == asked
    clock.now += 1
    assert tokens.token().value == "access-3"


def test_endpoint_that_is_not_there(provider, clock, tmp_path):
    provider.port = 1
    with pytest.raises(TokenUnavailable, match=r"127\.0\.0\.1:1/token: no answer .* check oauth\.token_url"):
        source(provider, clock, tmp_path).token()


def test_endpoint_that_never_answers(clock, tmp_path, provider):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        provider.port = silent.getsockname()[1]
        with pytest.raises(TokenUnavailable, match="no answer"):
            source(provider, clock, tmp_path, timeout_seconds=0.05).token()


def test_endpoint_that_dribbles_is_left(provider):
    ticks = iter([0.0, 31.0])
    with pytest.raises(TokenUnavailable, match="it takes too long"):
        post_form(provider.settings(), {"grant_type": "refresh_token"}, ticks.__next__)


def test_damaged_file_is_named(provider, clock, tmp_path):
    provider.rotates = True
    source(provider, clock, tmp_path).token()
    [kept] = tmp_path.glob("*.json")
    kept.write_text("{")
    with pytest.raises(TokenRefused, match=f"{kept.name}: not readable; remove it"):
        source(provider, clock, tmp_path).token()


def test_many_at_once_never_use_a_token_that_was_rotated_away(provider, clock, tmp_path):
    provider.rotates = True
    sources = [source(provider, clock, tmp_path) for _ in range(4)]

    def renew(tokens: TokenSource) -> None:
        for _ in range(10):
            tokens.discard(tokens.token())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(renew, sources))
    assert [fields["refresh_token"] for fields in provider.asked] == [f"refresh-{number}" for number in range(40)]
