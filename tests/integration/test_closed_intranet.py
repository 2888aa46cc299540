"""The closed profile over real servers: what they write into the topmost Received is what the profile reads."""

import socket
from pathlib import Path

import pytest

from mail.authenticity import check_authenticity
from mail.headers import read_headers
from mail.imap import ImapSettings, Mailbox
from mail.received import read_received
from tests.integration.dovecot import dovecot
from tests.integration.mail_pair import ANN, APPROVALS, AUTHSERV_ID, mail_pair
from wire.policy import TrustProfile

MAIL = f"From: Ann <{ANN}>\r\nTo: {APPROVALS}\r\nSubject: x\r\nMessage-ID: <1@corp.example>\r\n\r\nAPPROVE\r\n".encode()
FORGED = (
    b"Received: from x (x [10.9.9.9]) by mx.countersign.example with ESMTP id 1; Mon, 2 Nov 2026 09:15:00 +0100\r\n"
)


def newest(settings: ImapSettings) -> bytes:
    mailbox = Mailbox(settings)
    mailbox.select()
    raw = mailbox.fetch(mailbox.uids_after(0)[-1])
    mailbox.close()
    assert raw is not None
    return raw


@pytest.mark.parametrize(("network", "believed"), [("127.0.0.0/8", True), ("10.9.9.0/24", False)])
def test_the_embedded_server_says_where_mail_came_from(tmp_path: Path, network: str, believed: bool):
    with mail_pair(tmp_path) as pair:
        pair.send(FORGED + MAIL)
        raw = newest(pair.imap())
    trust = TrustProfile(mode="closed", receiver=AUTHSERV_ID, networks=(network,))
    proof = check_authenticity(raw, trust)
    assert proof.authenticated is believed, proof.reason


def test_what_dovecot_writes_is_read():
    with dovecot() as server:
        server.deliver(MAIL, "approvals@countersign.example", ANN)
        raw = newest(server.imap())
    handover = read_received(read_headers(raw).first("received"))
    assert handover is not None
    assert (str(handover.client), handover.receiver) == ("127.0.0.1", socket.gethostname().lower())
