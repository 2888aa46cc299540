"""What is typed at the demo's terminal becomes whole replies, and mails wait for the call that they ask for."""

from datetime import UTC, datetime

import pytest

from cli.demo_approver import Keyboard, Narrated
from embedded.approver_client import InboxMail
from embedded.approver_mail import show_mail
from wire.audit import AuditEvent

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "replies"),
    [
        (["APPROVE\n"], ["APPROVE", None]),
        (["reject\n", "too dear\n"], [None, "reject\n\ntoo dear", None]),
        (["REJECT\n", "\n", "APPROVE\n"], [None, "REJECT", "APPROVE", None]),
        (["\n", "hm?\n"], ["", "hm?", None]),
        ([], [None]),
    ],
)
def test_lines_become_replies(typed, replies):
    keyboard = Keyboard(typed)
    keyboard.reading.join()
    assert [keyboard() for _ in replies] == replies


def requested(review: int) -> AuditEvent:
    payload = {"step": 2, "review": review}
    return AuditEvent(run_id="run-x", seq=1, kind="request_created", at=AT, payload=payload, prev_hash="0", hash="1")


@pytest.mark.parametrize(("review", "shown"), [(0, True), (1, False)])
def test_a_mail_waits_for_its_own_review(review, shown):
    narrated = Narrated(patience=0.01)
    narrated.told(requested(0))
    mail = show_mail(f"Countersign-Step: 2\nCountersign-Review: {review}\n\nplease\n".encode())
    assert narrated.wait_for(InboxMail("1", mail)) is shown
