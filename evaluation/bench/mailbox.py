"""The approver of the bench: one mailbox, replies handed in over one SMTP connection so that their acceptance is timed well."""

import smtplib
from datetime import UTC, datetime
from email.utils import parseaddr
from types import TracebackType

from embedded.approver_client import Account, ApproverClient, InboxMail
from embedded.approver_mail import write_reply


class BenchApprover:
    """Reads requests and approves them."""

    def __init__(self, account: Account) -> None:
        self._user = account.user
        self._inbox = ApproverClient(account)
        self._smtp = smtplib.SMTP(account.smtp_host, account.smtp_port, "localhost", timeout=60)
        self._smtp.login(account.user, account.password)
        self._requests: dict[tuple[str, int], InboxMail] = {}

    def __enter__(self) -> "BenchApprover":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._inbox.close()
        self._smtp.close()

    def has(self, run_id: str, step: int) -> bool:
        """Whether the request of a step has reached the mailbox."""
        if (run_id, step) not in self._requests:
            for item in self._inbox.new_mails():
                if item.mail.asks:
                    self._requests[item.mail.run_id, int(item.mail.step)] = item
        return (run_id, step) in self._requests

    def approve(self, run_id: str, step: int) -> datetime:
        """Reply to the request; when the server took the reply, which the embedded one does once the mailbox has it."""
        mail = self._requests[run_id, step].mail
        now = datetime.now(UTC)
        unique = f"<{run_id}.{step}.reply@countersign.example>"
        raw = write_reply(mail, "APPROVE", author=self._user, at=now, message_id=unique)
        self._smtp.mail(self._user)
        self._smtp.rcpt(parseaddr(mail.reply_to)[1])
        code, answer = self._smtp.data(raw)
        accepted = datetime.now(UTC)
        if code != 250:
            raise smtplib.SMTPDataError(code, answer)
        return accepted
