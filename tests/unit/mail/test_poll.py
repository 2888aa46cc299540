"""One poll over a mailbox of values: what is fetched, in which order it is judged, when the cursor moves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ledger.mailroom import Cursor
from mail.imap import Envelope
from mail.mime import Budget
from mail.poll import Polled, ReadingRules, poll_once
from mail.ports import ReceivedMail
from wire.approval import Judgement, Outcome
from wire.policy import TrustProfile

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
OURS = b"To: approvals+ref@agent.example\r\nSubject: %d\r\n\r\nAPPROVE\r\n"
STRANGE = b"To: somebody@corp.example\r\nSubject: %d\r\n\r\nAPPROVE\r\n"
RULES = ReadingRules(
    "box", ("approvals@agent.example",), TrustProfile(mode="closed"), batch_mails=3, budget=Budget(size=5000)
)


@dataclass
class Folder:
    """A folder, and what was asked of it."""

    mails: dict[int, bytes]
    gone: set[int] = field(default_factory=set)
    fetched: list[list[int]] = field(default_factory=list)

    def noop(self) -> None:
        """Nothing new."""

    def uids_after(self, last: int) -> list[int]:
        return [uid for uid in self.mails if uid > last]

    def envelopes(self, uids: Sequence[int], header_limit: int) -> list[Envelope]:
        heads = {uid: self.mails[uid].partition(b"\r\n\r\n")[0] + b"\r\n\r\n" for uid in uids}
        return [Envelope(uid, len(self.mails[uid]), AT, head[:header_limit]) for uid, head in heads.items()]

    def fetch_all(self, uids: Sequence[int]) -> dict[int, bytes]:
        self.fetched.append(list(uids))
        return {uid: self.mails[uid] for uid in uids if uid not in self.gone}


@dataclass
class Ledger:
    """Judge and progress in one, which writes down what happens."""

    happened: list[tuple[str, Any]] = field(default_factory=list)
    at: Cursor | None = None

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> set[str]:
        return set()

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> list[Judgement]:
        self.happened.append(("judged", [mail.parsed.subject for mail in mails]))
        return [Judgement(outcome=Outcome.ACCEPTED, reason="", check=8, run_id="run") for _ in mails]

    def cursor(self, mailbox: str) -> Cursor | None:
        return self.at

    def save_cursor(self, mailbox: str, uidvalidity: int, uid: int, at: datetime) -> None:
        self.happened.append(("cursor", uid))

    def save_read_past(self, mailbox: str, instant: datetime, at: datetime) -> None:
        self.happened.append(("read past", instant))


def folder(*ours: int, count: int = 7) -> Folder:
    return Folder({uid: (OURS if uid in ours else STRANGE) % uid for uid in range(1, count + 1)})


def poll(held: Folder, ledger: Ledger, again_from: int | None = None) -> Polled:
    return poll_once(held, 9, ledger, ledger, RULES, lambda: AT, again_from=again_from)


def test_the_cursor_follows_each_judged_batch() -> None:
    ledger = Ledger()
    polled = poll(folder(2, 3, 6), ledger)
    batches = [("judged", ["2", "3"]), ("cursor", 3), ("judged", ["6"]), ("cursor", 6), ("cursor", 7)]
    assert ledger.happened == [*batches, ("read past", AT)]
    assert [item.uid for item in polled.handled] == [2, 3, 6]
    assert (polled.seen, polled.last_uid) == (7, 7)


def test_strangers_mail_is_never_fetched_whole() -> None:
    held = folder(2)
    poll(held, Ledger())
    assert [uid for asked in held.fetched for uid in asked] == [2]


def test_a_mail_over_the_budget_is_judged_by_its_headers_in_its_place() -> None:
    held, ledger = folder(1, 2, 3, count=3), Ledger()
    held.mails[2] += b"x" * 5000
    poll(held, ledger)
    assert ledger.happened[0] == ("judged", ["1", "2", "3"])
    assert held.fetched == [[1], [3]]


def test_a_mail_that_cannot_be_read_at_all_holds_up_no_other() -> None:
    def broken(name: str) -> bytes:
        raise RuntimeError(name)

    signed = (
        b"DKIM-Signature: v=1; a=rsa-sha256; d=corp.example; s=x; h=from:subject:date:message-id; b=YWJj; bh=YWJj\r\n"
    )
    held, ledger = folder(1, 2, 3, count=3), Ledger()
    held.mails[2] = b"From: ann@corp.example\r\nReferences: <id@x>\r\n" + signed + held.mails[2]
    rules = replace(RULES, trust=TrustProfile(mode="dkim"), resolve=broken)
    poll_once(held, 9, ledger, ledger, rules, lambda: AT)
    assert ledger.happened[0] == ("judged", ["1", "", "3"])


def test_a_mail_that_is_gone_meanwhile_is_passed_over() -> None:
    held, ledger = folder(1, 2, count=2), Ledger()
    held.gone = {1}
    poll(held, ledger)
    assert ledger.happened[:2] == [("judged", ["2"]), ("cursor", 2)]


def test_what_was_not_filed_is_read_again_and_another_uidvalidity_starts_over() -> None:
    for at, again_from, read in ((9, 2, ["3", "4"]), (9, None, ["4"]), (8, None, ["1", "2", "3", "4"])):
        ledger = Ledger(at=Cursor(uidvalidity=at, uid=3))
        poll(folder(1, 2, 3, 4, count=4), ledger, again_from)
        judged = [subject for kind, what in ledger.happened if kind == "judged" for subject in what]
        assert judged == read


def test_an_empty_mailbox_has_a_cursor_after_the_first_poll() -> None:
    ledger = Ledger()
    poll(Folder({}), ledger)
    assert ledger.happened == [("cursor", 0), ("read past", AT)]
