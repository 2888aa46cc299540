"""TLS to the mailbox, both kinds: certificates are checked, nothing is sent before, and an encrypted line can be cut too."""

import asyncio
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mail.errors import ImapUnreachable
from mail.imap import Mailbox
from mail.imap_login import ImapSettings, Link
from mail.threads import in_thread
from tests.integration.dovecot import Dovecot, dovecot
from tests.integration.imap_proxy import imap_proxy

EXTRA = """
ssl = yes
ssl_cert = <RUN/cert.pem
ssl_key = <RUN/key.pem
service imap-login {
  inet_listener imaps {
    port = PORT
    ssl = yes
  }
}
"""
KINDS = ["tls", "starttls"]


@dataclass(frozen=True)
class Encrypted:
    """A server, its second port and the certificate to trust."""

    server: Dovecot
    port: int
    certificate: Path

    def account(self, security: str) -> ImapSettings:
        """How to get in."""
        port = self.port if security == "tls" else self.server.imap_port
        return replace(self.server.imap(), port=port, security=security)


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    folder = tmp_path_factory.mktemp("tls")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    )
    names = {"-keyout": folder / "key.pem", "-out": folder / "cert.pem"}
    subprocess.run(
        [*command.split(), *(str(one) for pair in names.items() for one in pair)], check=True, capture_output=True
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    files = {file.name: file.read_text() for file in names.values()}
    with dovecot(EXTRA.replace("PORT", str(port)), files) as server:
        yield Encrypted(server, port, folder / "cert.pem")


@pytest.fixture
def trusted(encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch) -> Encrypted:
    monkeypatch.setenv("SSL_CERT_FILE", str(encrypted.certificate))
    return encrypted


@pytest.mark.parametrize("security", KINDS)
def test_mail_is_read_and_idle_told_of_it(trusted, security):
    mailbox = Mailbox(trusted.account(security))
    before = mailbox.select().uidnext
    mailbox.uids_after(0)
    assert mailbox.idle(0.05) is False
    trusted.server.deliver(b"Subject: x\r\n\r\nx\r\n", "approvals@countersign.example")
    assert mailbox.idle(20) is True
    assert mailbox.uids_after(before - 1) == [before]
    mailbox.close()


@pytest.mark.parametrize("security", KINDS)
async def test_encrypted_line_is_cut_from_another_thread(trusted, security):
    link = Link()
    mailbox = await in_thread(Mailbox, trusted.account(security), link)
    await in_thread(mailbox.select)
    await in_thread(mailbox.uids_after, 0)
    idling = asyncio.ensure_future(in_thread(mailbox.idle, 60))
    link.cut()
    with pytest.raises(ImapUnreachable):
        await asyncio.wait_for(idling, 20)
    mailbox.close()


@pytest.mark.parametrize("security", KINDS)
def test_unknown_certificate_is_refused_before_the_password_goes_out(encrypted, security):
    account = encrypted.account(security)
    logins = encrypted.server.logins()
    with pytest.raises(ImapUnreachable, match="certificate verify failed"):
        Mailbox(account)
    assert encrypted.server.logins() == logins


def test_starttls_that_is_not_offered_is_no_reason_to_go_on_in_plain():
    with dovecot() as server, imap_proxy(server.imap_port) as proxy:
        account = replace(server.imap(), port=proxy.port, security="starttls")
        with pytest.raises(ImapUnreachable, match="offers no STARTTLS; check host"):
            Mailbox(account)
        assert proxy.count(b"LOGIN") == 0
