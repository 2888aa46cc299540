"""What a shared mailbox holds besides ours: strangers' mail, and requests and answers of an installation that is gone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime

from imapclient import IMAPClient

from policies.run_identity import message_id, opaque_id
from tests.crash.records import APPROVALS

SENT = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
FLAGS = ((), (b"\\Seen",), (b"\\Flagged", b"\\Seen"), (b"\\Answered",))


@dataclass(frozen=True)
class Left:
    """A mail as it stands in the folder."""

    uid: int
    flags: frozenset[bytes]
    subject: bytes


def stranger(number: int) -> EmailMessage:
    """Mail between other people; every tenth one is an answer to them, every seventh says APPROVE."""
    mail = EmailMessage()
    mail["From"] = f"Writer {number} <writer{number}@elsewhere.example>"
    mail["To"] = APPROVALS
    mail["Subject"] = f"{'Re: ' if number % 10 == 0 else ''}Delivery schedule {number}"
    mail["Date"] = format_datetime(SENT + timedelta(minutes=number))
    mail["Message-ID"] = f"<{number}.schedule@elsewhere.example>"
    if number % 10 == 0:
        mail["In-Reply-To"] = f"<{number - 1}.schedule@elsewhere.example>"
    mail.set_content("APPROVE\n" if number % 7 == 0 else f"The lorry of week {number % 52} is late.\n")
    return mail


def of_last_week(number: int) -> tuple[EmailMessage, EmailMessage]:
    """A request and its answer as a system with another ledger epoch wrote them: ours to look at, known to nobody."""
    run_id, digest = f"run-{'abcdefgh'[number % 8] * 26}", f"{number:064d}"
    ref = opaque_id("the epoch before", run_id, 2, 0, digest)
    asked_as = message_id("the epoch before", f"{run_id}/2/0/mail/{digest}", 0, "countersign.example")
    request, answer = EmailMessage(), EmailMessage()
    request["From"], request["To"] = APPROVALS, "ann@countersign.example"
    request["Reply-To"] = f"approvals+{ref}@countersign.example"
    request["Subject"] = f"[approval needed] create purchase order {number}"
    request["Message-ID"] = f"<{asked_as}>"
    request["Countersign-Run"], request["Countersign-Step"] = run_id, "2"
    request["Countersign-Message-Type"] = "approval_request"
    request.set_content(f"Please answer APPROVE or REJECT.\n\nRef: {ref}\n")
    answer["From"], answer["To"] = "ann@countersign.example", f"approvals+{ref}@countersign.example"
    answer["Subject"] = f"Re: {request['Subject']}"
    answer["Message-ID"] = f"<answer.{number}@countersign.example>"
    answer["In-Reply-To"] = answer["References"] = request["Message-ID"]
    answer["Authentication-Results"] = "mx.countersign.example; dmarc=pass header.from=countersign.example"
    answer.set_content(f"APPROVE\n\n> Please answer APPROVE or REJECT.\n>\n> Ref: {ref}\n")
    return request, answer


def fill(client: IMAPClient, mails: Sequence[EmailMessage]) -> None:
    """Append the mails to INBOX, with flags as people leave them."""
    left = [
        {"msg": mail.as_bytes(), "flags": FLAGS[number % len(FLAGS)], "date": SENT + timedelta(minutes=number)}
        for number, mail in enumerate(mails)
    ]
    client.multiappend("INBOX", left)


def standing(client: IMAPClient) -> list[Left]:
    """Everything in INBOX."""
    client.select_folder("INBOX", readonly=True)
    found = client.fetch(client.search("ALL"), ["FLAGS", "BODY.PEEK[HEADER.FIELDS (SUBJECT)]"])
    subject = b"BODY[HEADER.FIELDS (SUBJECT)]"
    left = [Left(uid, frozenset(item[b"FLAGS"]) - {b"\\Recent"}, item[subject]) for uid, item in found.items()]
    return sorted(left, key=lambda mail: mail.uid)
