"""``python -m embedded.approver``: a person with a mail program, for demo and tests.

Reads its own mailbox over IMAP (waiting by IDLE), shows each mail as a person would see it, and replies over SMTP.
"""

import argparse
import imaplib
import json
import smtplib
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from embedded.approver_client import Account, ApproverClient, InboxMail
from embedded.approver_mail import ShownMail

WORDS = {"approve": "APPROVE", "reject": "REJECT"}
FOREVER = 86_400.0


def main() -> int:
    """Exit code 0 when done, 1 when no mail came in time, 2 when the mailbox cannot be used."""
    given = _arguments()
    account = Account(given.user, given.password, *_server(given.imap), *_server(given.smtp))
    typed = given.raw if given.raw is not None else _typed(given.answer, given.comment)
    try:
        with ApproverClient(account) as client:
            answered = _work(client, typed, given)
    except (OSError, imaplib.IMAP4.error, smtplib.SMTPException) as error:
        print(f"approver {given.user}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0
    return 0 if answered or given.follow else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m embedded.approver", description=__doc__)
    parser.add_argument("--imap", required=True, metavar="HOST:PORT")
    parser.add_argument("--smtp", required=True, metavar="HOST:PORT")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument(
        "--answer", choices=["approve", "reject", "nothing"], default="nothing", help="what to reply to each request"
    )
    parser.add_argument("--comment", default="", help="written below the answer")
    parser.add_argument("--raw", help="reply with exactly this text above the quote")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--once", action="store_true", help="end after the first request (default)")
    mode.add_argument("--follow", action="store_true", help="go on until interrupted")
    parser.add_argument(
        "--wait", type=float, default=FOREVER, metavar="SECONDS", help="end when no mail comes for so long"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args()


def _server(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise SystemExit(f"approver: {text!r} is not HOST:PORT")
    return host, int(port)


def _typed(answer: str, comment: str) -> str | None:
    if answer not in WORDS:
        return None
    return WORDS[answer] + (f"\n\n{comment}" if comment else "")


def _work(client: ApproverClient, typed: str | None, given: argparse.Namespace) -> bool:
    """Show mails and answer requests; True once one was answered (or, without an answer to give, shown)."""
    for item in _mails(client, given.wait):
        _print_mail(item.mail, given.json)
        if not item.mail.asks:
            continue
        if typed is not None:
            identifier = f"<{uuid.uuid4()}@{given.user.rpartition('@')[2]}>"
            client.answer(item, typed, at=datetime.now(UTC), message_id=identifier)
            _print_reply(item.mail, typed, identifier, given.json)
        if not given.follow:
            return True
    return False


def _mails(client: ApproverClient, wait: float) -> Iterator[InboxMail]:
    yield from client.mails(wait)


def _print_mail(mail: ShownMail, as_json: bool) -> None:
    if as_json:
        facts = {
            "from": mail.sender,
            "subject": mail.subject,
            "date": mail.date,
            "message_id": mail.message_id,
            "text": mail.text,
        }
        facts |= {"message_type": mail.message_type, "run_id": mail.run_id, "step": mail.step, "review": mail.review}
        print(json.dumps({"event": "mail", **facts}, ensure_ascii=False), flush=True)
        return
    rule = "=" * 78
    head = f"From:    {mail.sender}\nTo:      {mail.recipient}\nDate:    {mail.date}\nSubject: {mail.subject}"
    print(f"{rule}\n{head}\n\n{mail.text}\n{rule}", flush=True)


def _print_reply(mail: ShownMail, typed: str, message_id: str, as_json: bool) -> None:
    if as_json:
        facts = {
            "to": mail.reply_to,
            "message_id": message_id,
            "in_reply_to": mail.message_id,
            "typed": typed,
            "run_id": mail.run_id,
        }
        print(json.dumps({"event": "reply", **facts}, ensure_ascii=False), flush=True)
        return
    quoted = "\n".join(f"    {line}" for line in typed.splitlines())
    print(f"replied to {mail.reply_to}:\n{quoted}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
