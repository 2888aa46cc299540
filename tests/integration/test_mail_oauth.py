"""Mailbox and outgoing mail by OAuth 2.0, with servers that check each token: no vendor's, but real ones."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ledger.store import open_ledger
from mail.backoff import Backoff
from mail.errors import ImapLoginRefused, ImapUnreachable, SmtpUnreachable
from mail.imap import ImapSettings, Mailbox
from mail.smtp import SmtpSettings, send
from mail.token_endpoint import post_form
from mail.token_store import RefreshTokenFile
from mail.tokens import TokenSource
from tests.identity_provider import APPROVALS, IdentityProvider, identity_provider
from tests.integration.dovecot import Dovecot
from tests.integration.imap_proxy import ImapProxy, imap_proxy
from tests.integration.mail_pair import ROOT
from tests.integration.mail_room import Office
from tests.integration.mail_room import request as open_request
from tests.integration.oauth_servers import oauth_dovecot, oauth_pymap, oauth_smtp
from tests.integration.test_mail_dovecot import DovecotPair
from tests.integration.test_mail_dovecot import send as reply

AT = datetime(2026, 1, 1, tzinfo=UTC)
MECHANISMS = ["xoauth2", "oauthbearer"]


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        yield running


@pytest.fixture
def server(provider: IdentityProvider) -> Iterator[Dovecot]:
    with oauth_dovecot(provider) as running:
        yield running


def tokens(provider: IdentityProvider, folder: Path, **changes: Any) -> TokenSource:
    settings = provider.settings(**changes)
    store = RefreshTokenFile(folder / "oauth", settings)
    return TokenSource(settings, post_form, store, time.monotonic, lambda: 0.5, Backoff(0.1, 0.5), Backoff(0.1, 0.5))


def account(port: int, source: TokenSource, **changes: Any) -> ImapSettings:
    return replace(ImapSettings("127.0.0.1", port, APPROVALS, timeout_seconds=20, tokens=source), **changes)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mailbox_is_opened_by_token(provider, server, tmp_path, mechanism):
    mailbox = Mailbox(account(server.imap_port, tokens(provider, tmp_path), mechanism=mechanism))
    assert mailbox.select().uidnext == 1
    mailbox.close()
    assert f"method={mechanism.upper()}" in (server.run / "dovecot.log").read_text()


def test_app_only_access_by_client_credentials(provider, server, tmp_path):
    mailbox = Mailbox(account(server.imap_port, tokens(provider, tmp_path, refresh_token="")))
    mailbox.close()
    assert provider.asked[0]["grant_type"] == "client_credentials"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_another_persons_mailbox_is_refused_with_what_the_server_says(provider, server, tmp_path, mechanism):
    provider.user = "ann@corp.example"
    said = r"AUTHENTICATIONFAILED.*\(status (401|invalid_token).*check that user is the mailbox of the token"
    with pytest.raises(ImapLoginRefused, match=said):
        Mailbox(account(server.imap_port, tokens(provider, tmp_path), mechanism=mechanism))
    assert len(provider.asked) == 1


def test_token_revoked_early_is_replaced_once(provider, server, tmp_path):
    source = tokens(provider, tmp_path)
    source.token()
    provider.alive.clear()
    Mailbox(account(server.imap_port, source)).close()
    assert (provider.shown[0], provider.shown[-1], len(provider.asked)) == ("access-1", "access-2", 2)


def test_revoked_sign_in_says_what_to_do(provider, server, tmp_path):
    provider.refresh = "another"
    with pytest.raises(ImapLoginRefused, match="no token: .*AADSTS70008.*sign in again and set oauth.refresh_token"):
        Mailbox(account(server.imap_port, tokens(provider, tmp_path)))
    assert server.logins() == 0


def test_trouble_at_the_token_endpoint_is_to_be_tried_again(provider, server, tmp_path):
    provider.broken = [(503, "busy")]
    with pytest.raises(ImapUnreachable, match="no token: token endpoint .*: 503"):
        Mailbox(account(server.imap_port, tokens(provider, tmp_path)))


def test_server_without_bearer_logins_is_named(provider, tmp_path):
    with (
        oauth_dovecot(provider, "login") as server,
        pytest.raises(ImapLoginRefused, match="offers PLAIN, LOGIN, not XOAUTH2 or OAUTHBEARER"),
    ):
        Mailbox(account(server.imap_port, tokens(provider, tmp_path)))


def test_second_kind_of_server_that_refuses_without_a_word(provider, tmp_path):
    source = tokens(provider, tmp_path)
    with oauth_pymap(provider, tmp_path / "mail") as port:
        mailbox = Mailbox(account(port, source))
        assert mailbox.select().uidnext >= 1
        mailbox.close()
        provider.alive.clear()
        Mailbox(account(port, source)).close()
        with pytest.raises(ImapLoginRefused, match=r"login refused: \[AUTHENTICATIONFAILED\][^(]*; check that user"):
            Mailbox(account(port, source, username="ann@corp.example"))
    assert provider.shown == ["access-1", "access-1", "access-2", "access-2", "access-3"]


@dataclass
class OAuthOffice(Office):
    """An office whose room logs in by token, through a proxy."""

    source: TokenSource = field(default=None)  # type: ignore[assignment]
    proxy: ImapProxy = field(default=None)  # type: ignore[assignment]

    def settings(self, **changes: Any) -> Any:
        """With tokens."""
        return replace(super().settings(idle_seconds=0.2, **changes), imap=account(self.proxy.port, self.source))

    def said(self) -> list[str]:
        """What was reported about the connection."""
        kinds = {"connected", "renewing", "token_failed", "mailbox_failed", "login_refused", "stalled"}
        return [event for event, _ in self.events if event in kinds]


@asynccontextmanager
async def office(provider: IdentityProvider, server: Dovecot, folder: Path) -> AsyncIterator[OAuthOffice]:
    ledger = open_ledger(f"sqlite:///{folder / 'ledger.sqlite'}", random_epoch=lambda: "e")
    pair = DovecotPair(folder, server=server)
    with imap_proxy(server.imap_port) as proxy:
        asked = [open_request(f"run-{number}") for number in range(2)]
        room = OAuthOffice(pair, ledger, asked, source=tokens(provider, folder), proxy=proxy)
        async with room.room():
            yield room
    ledger.dispose()


async def test_connection_is_renewed_before_its_token_ends(provider, server, tmp_path):
    provider.lasts, provider.rotates = 2, True
    async with office(provider, server, tmp_path) as room:
        for _ in range(2):
            await room.until("renewing")
            await room.until("connected")
        await asyncio.to_thread(reply, room, 0)
        assert (await room.next_signal())[0] == "run-0"
    assert room.said()[:5] == ["connected", "renewing", "connected", "renewing", "connected"]
    assert set(room.said()) == {"connected", "renewing"}
    assert [fields["refresh_token"] for fields in provider.asked[:3]] == ["refresh-0", "refresh-1", "refresh-2"]


async def test_token_that_ends_while_the_room_idles(provider, server, tmp_path):
    async with office(provider, server, tmp_path) as room:
        provider.alive.clear()
        room.proxy.arm(b"IDLE", "bye", whole=2)  # as a server ends a session whose token has ended
        await room.until("mailbox_failed")
        await asyncio.to_thread(reply, room, 0)
        assert (await room.next_signal())[0] == "run-0"
    assert room.said() == ["connected", "mailbox_failed", "connected"]
    assert len(provider.asked) == 2


async def test_connection_outlives_a_token_endpoint_that_is_down(provider, server, tmp_path):
    provider.lasts = 1
    async with office(provider, server, tmp_path) as room:
        provider.broken = [(503, "")] * 100
        await room.until("token_failed")
        await asyncio.to_thread(reply, room, 0)
        assert (await room.next_signal())[0] == "run-0"
    assert room.said()[-1] == "token_failed"


def outgoing(port: int, source: TokenSource, **changes: Any) -> SmtpSettings:
    return replace(SmtpSettings("127.0.0.1", port, APPROVALS, tokens=source), **changes)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mail_is_handed_in_by_token(provider, tmp_path, mechanism):
    with oauth_smtp(provider) as (smtp, port):
        settings = outgoing(port, tokens(provider, tmp_path), mechanism=mechanism)
        assert send(b"Subject: x\r\n\r\nx\r\n", APPROVALS, "ann@corp.example", settings, lambda: AT).response
    assert (len(smtp.taken), smtp.logins) == (1, [(mechanism.upper(), APPROVALS, True)])


def test_mail_with_a_token_revoked_early_takes_a_fresh_one(provider, tmp_path):
    source = tokens(provider, tmp_path)
    source.token()
    provider.alive.clear()
    with oauth_smtp(provider) as (smtp, port):
        send(b"Subject: x\r\n\r\nx\r\n", APPROVALS, "ann@corp.example", outgoing(port, source), lambda: AT)
    assert [believed for _, _, believed in smtp.logins] == [False, True]


@pytest.mark.parametrize(("mechanism", "farewell"), [("xoauth2", b""), ("oauthbearer", b"\x01")])
def test_refused_sender_gets_what_the_server_says(provider, tmp_path, mechanism, farewell):
    provider.user = "ann@corp.example"
    with oauth_smtp(provider) as (smtp, port):
        settings = outgoing(port, tokens(provider, tmp_path), mechanism=mechanism)
        with pytest.raises(SmtpUnreachable, match=r"535 5\.7\.3 not you \(status 401, scope https://mail\.example/"):
            send(b"Subject: x\r\n\r\nx\r\n", APPROVALS, "ann@corp.example", settings, lambda: AT)
    assert (smtp.taken, smtp.final) == ([], [farewell])


def test_sender_without_a_token_hands_nothing_in(provider, tmp_path):
    provider.refresh = "another"
    with oauth_smtp(provider) as (smtp, port), pytest.raises(SmtpUnreachable, match="no token: .*sign in again"):
        send(b"", APPROVALS, "ann@corp.example", outgoing(port, tokens(provider, tmp_path)), lambda: AT)
    assert smtp.logins == []


def mailroom_process(provider: IdentityProvider, server: Dovecot, folder: Path) -> subprocess.Popen[str]:
    """``mailroom.py`` with nothing but a settings file."""
    imap = {"host": "127.0.0.1", "port": server.imap_port, "user": APPROVALS}
    oauth = {"token_url": f"{provider.url}/token", "client_id": "app", "client_secret_file": str(folder / "secret")}
    oauth["refresh_token"] = "refresh-0"
    (folder / "secret").write_text(f"{provider.secret}\n")
    tables: dict[str, dict[str, Any]] = {"imap": imap, "imap.oauth": oauth, "smtp": {"port": 1}}
    lines = [
        [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
        for name, table in tables.items()
    ]
    (folder / "countersign.toml").write_text("\n".join(line for table in lines for line in table))
    command = [sys.executable, str(ROOT / "mailroom.py"), "--state", str(folder / "state")]
    (folder / "state").mkdir()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=folder, **pipes)  # type: ignore[call-overload]


def test_mailroom_process_keeps_the_rotated_token(provider, server, tmp_path):
    provider.rotates = True
    process = mailroom_process(provider, server, tmp_path)
    with process:
        said = next((line for line in process.stdout if line == "mailroom ready\n"), "")
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    [kept] = (tmp_path / "state" / "oauth").glob("*.json")
    assert (said, process.returncode, kept.stat().st_mode & 0o777) == ("mailroom ready\n", 0, 0o600)
    assert "refresh-1" in kept.read_text()


def test_mailroom_process_says_in_one_line_that_somebody_must_sign_in(provider, server, tmp_path):
    provider.refresh = "another"
    process = mailroom_process(provider, server, tmp_path)
    with process:
        [line] = [next(line for line in process.stdout if "login_refused" in line)]
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert "sign in again and set oauth.refresh_token to the new one" in line
    assert not any(secret in line for secret in ("refresh-0", provider.secret))
