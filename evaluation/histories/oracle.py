"""The oracle: was there, for every write, the right person's yes to exactly these bytes, in time, and nothing against it?

It knows what the generator did (``notes``), the service's log and the raw mails, and nothing of parser, policies or ledger.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.histories.notes import Account, Act, Lent, Letter, Posted, Rules, Served
from evaluation.histories.shown import ASKING, Shown, read_shown

BARRING = frozenset({"delegate", "replace", "release"})
ENDING = frozenset({"cancel", "confirm"})
CALM = frozenset(
    {
        "yes", "alias_yes", "reminder_yes", "delegate_yes", "duplicate", "migrated", "second_yes", "unclear", "automatic",
        "spoof", "disguise", "stranger_yes", "requester_yes", "requester_delegate_yes", "outsider_no", "crossed_stranger",
        "signal_lost", "signal_twice", "handmade", "poll_twice", "rescan", "shuffle", "note", "resolve", "refused_act",
        "noise", "mailroom_down", "mailroom_up", "snapshot", "died_before", "died_after", "lost_repeatable",
    }
)  # fmt: skip
"""Kinds of events that must not keep a clear yes from taking effect, nor halt anything."""


UNREACHED = frozenset({"smtp_refuses", "bounce"})
"""After what mail may have reached nobody of a line."""
SHARED = frozenset({"lost_before", "lost_after", "died_before", "died_after", "smtp_refuses"})
"""Kinds that befall the next write or mail, of whichever run it is."""


@dataclass(frozen=True)
class Moment:
    """A write as far as it can be asked about: at which place of the history, when, and its bytes.

    ``margin``: how far from the edges of its window a yes must have come.
    """

    seq: int
    at: datetime
    shown: Shown
    margin: timedelta = timedelta()


class Oracle:
    """Judges one account."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._asked = [(posted, read_shown(posted.raw)) for posted in account.posted]

    def violations(self) -> list[str]:
        """Everything that must not have happened, in words."""
        effects = [served for served in self._account.served if served.effect]
        found = [fault for served in effects for fault in self._against(served)]
        tokens = [self._token(served) for served in effects]
        return found + [f"{token} took effect twice" for token in sorted(set(tokens)) if tokens.count(token) > 1]

    def owed(self) -> list[int]:
        """Runs that nothing disturbed and that have every yes they need: each must have taken effect."""
        runs = {shown.run for _, shown in self._asked if shown.kind in ASKING}
        shared = self._everywhere() & SHARED
        calm = [run for run in sorted(runs) if self._account.touched.get(run, set()) | shared <= CALM]
        return [run for run in calm if self._has_all(run)]

    def done(self, run: int) -> bool:
        """Whether a write of that run took effect."""
        return any(read_run(self._token(served)) == run for served in self._account.served if served.effect)

    def _has_all(self, run: int) -> bool:
        newest = self._newest(f"T{run}x0", _END)
        if newest is None or newest.deadline is None:
            return False
        at = max((letter.at for letter in self._account.letters), default=newest.deadline)
        return not self._lacking(Moment(_END, at, newest, timedelta(seconds=self._account.margin)))

    def _token(self, served: Served) -> str:
        found = [shown.token for _, shown in self._asked if shown.token and shown.token in served.body]
        return found[0] if found else f"(unknown call {served.path})"

    def _against(self, served: Served) -> Iterator[str]:
        token = self._token(served)
        newest = self._newest(token, served.seq)
        if newest is None:
            yield f"{token}: nobody was asked"
            return
        if not _same_bytes(newest, served):
            yield f"{token}: other bytes reached the service than the newest request shows"
        yield from (f"{token}: {fault}" for fault in self._lacking(Moment(served.seq, served.at, newest)))

    def _newest(self, token: str, before: int) -> Shown | None:
        """The review of the call that was sent last."""
        asked = [s for p, s in self._asked if s.token == token and s.kind in ASKING and p.seq < before]
        return asked[-1] if asked else None

    def _lacking(self, moment: Moment) -> list[str]:
        run, seq = moment.shown.run, moment.seq
        since = self._first(moment.shown.review).seq
        acts = [act for act in self._account.acts if act.run == run and act.seq < seq]
        found = [f"{act.kind} by {act.actor} came before" for act in acts if act.kind in ENDING]
        released = max((act.seq for act in acts if act.kind == "release"), default=-1)
        halts = [act for act in acts if act.kind == "halt" and act.seq > min(since, released)]
        found += [f"halted by {act.actor} and not asked afresh" for act in halts]
        found += [f"asked again ({act.kind})" for act in acts if act.kind in _AGAIN and act.seq > since]
        found += self._stopped(moment, since, acts)
        found += self._stretched(moment, acts)
        line = self._line(moment, acts)
        said = self._principals(moment, line, acts)
        quorum = self._rules(seq).quorum or len(line)
        if len(said) < quorum:
            found.append(f"{len(said)} of {quorum} approvals ({', '.join(sorted(said)) or 'nobody'})")
        return found

    def _stretched(self, moment: Moment, acts: list[Act]) -> Iterator[str]:
        """A deadline beyond the window that the rule, or an operator, gave."""
        window = max([self._account.window, *(act.seconds for act in acts)])
        opened, deadline = self._first(moment.shown.review).at, moment.shown.deadline
        if deadline is None or deadline > opened + timedelta(seconds=window):
            yield f"the deadline {deadline} lies beyond the window of {window} s"

    def _stopped(self, moment: Moment, since: int, acts: list[Act]) -> Iterator[str]:
        """A NO of a right person, or a collision, that was read before and not released, with all asked afresh."""
        released = max((act.seq for act in acts if act.kind == "release" and act.seq < since), default=-1)
        for place, letter in enumerate(self._account.letters):
            read = self._account.read.get(place)
            if read is None or read >= moment.seq or read < released:
                continue
            if letter.meaning == "no" and letter.genuine and self._concerns(letter, moment.shown.token):
                if self._was_asked(letter, moment, acts):
                    yield f"{letter.writer} said no before"
            elif moment.shown.run in letter.stops:
                yield f"a letter of kind {letter.kind} stops the run"

    def _principals(self, moment: Moment, line: tuple[str, ...], acts: list[Act]) -> set[str]:
        """Approvers for whom a yes to this review stands."""
        said: set[str] = set()
        for place, letter in enumerate(self._account.letters):
            read = self._account.read.get(place)
            if letter.meaning != "yes" or not letter.genuine or read is None or read >= moment.seq or letter.stops:
                continue
            if not self._in_time(letter, moment) or self._is_barred(letter.writer, acts):
                continue
            if letter.writer in self._requesters(letter.at, moment.seq):
                continue
            seats = [p for p in line if p == letter.writer] or self._lenders(letter, line, acts, moment.seq)
            said |= set([p for p in seats if p not in said][:1])
        return said

    def _in_time(self, letter: Letter, moment: Moment) -> bool:
        """Received after the server took the mail that it answers, and until the deadline that this mail names."""
        answered, review, margin = self._answered(letter), moment.shown.review, moment.margin
        if answered is None or answered[1].review != review or answered[1].deadline is None:
            return False
        opened = self._first(review).at.replace(microsecond=0)
        return opened + margin <= letter.at.replace(microsecond=0) <= answered[1].deadline - margin

    def _answered(self, letter: Letter) -> tuple[Posted, Shown] | None:
        return next(((p, s) for p, s in self._asked if s.message_id == letter.answers), None)

    def _concerns(self, letter: Letter, token: str) -> bool:
        answered = self._answered(letter)
        return answered is not None and answered[1].token == token

    def _first(self, review: str) -> Posted:
        return next(p for p, s in self._asked if s.review == review and s.kind in ASKING)

    def _line(self, moment: Moment, acts: list[Act]) -> tuple[str, ...]:
        """Who may approve: the rule's line as it is now, with seats that operators shifted, without the requester's side."""
        rules = self._rules(moment.seq)
        out = self._requesters(moment.at, moment.seq) | {act.actor for act in acts if act.kind in BARRING}
        lines = [_seated(rules.approvers, acts), *([_seated(rules.escalate, acts)] if rules.escalate else [])]
        asked = {
            self._account.addresses[p.recipient]
            for p, s in self._asked
            if s.review == moment.shown.review and s.kind in ASKING
        }
        escalated = len(lines) > 1 and asked <= set(lines[1]) and not asked <= set(lines[0])
        line = lines[escalated]
        if asked <= set(rules.deputies) and UNREACHED & self._everywhere():
            # The rule's last resort, where mail reached nobody else: a history without lost mail cannot come to it.
            line = rules.deputies
        return tuple(person for person in line if person not in out)

    def _everywhere(self) -> set[str]:
        return {kind for kinds in self._account.touched.values() for kind in kinds}

    def _lenders(self, letter: Letter, line: Iterable[str], acts: list[Act], seq: int) -> list[str]:
        lent = [*self._rules(seq).lent, *_lent_by(acts)]
        given = [x.giver for x in lent if x.taker == letter.writer and x.since <= letter.at <= x.until]
        return [person for person in line if person in given]

    def _was_asked(self, letter: Letter, moment: Moment, acts: list[Act]) -> bool:
        """Whether the writer, or somebody who lent them the seat, was sent a request for this call."""
        token = moment.shown.token
        asked = {
            self._account.addresses[p.recipient]
            for p, s in self._asked
            if s.token == token and s.kind in ASKING and p.seq < letter.seq
        }
        if letter.writer in self._requesters(letter.at, letter.seq):
            return False
        return letter.writer in asked and letter.writer in self._seats_ever(acts)

    def _seats_ever(self, acts: list[Act]) -> set[str]:
        """Who held a seat at some time; a delegate who only got the mail is left out."""
        lines = [line for e in self._account.rules for line in (e.rules.approvers, e.rules.escalate)]
        return {person for line in lines for person in (*line, *_seated(line, acts))}

    def _requesters(self, at: datetime, seq: int) -> set[str]:
        """The requester, and whoever may speak for them at that instant."""
        found = {self._account.requester}
        for _ in range(5):
            found |= {x.taker for x in self._rules(seq).lent if x.giver in found and x.since <= at <= x.until}
        return found

    def _rules(self, seq: int) -> Rules:
        return [enacted.rules for enacted in self._account.rules if enacted.seq < seq][-1]

    @staticmethod
    def _is_barred(person: str, acts: Iterable[Act]) -> bool:
        return any(act.actor == person for act in acts if act.kind in BARRING)


_AGAIN = frozenset({"reissue", "extend", "delegate", "replace", "release"})
_END = 1 << 60


def read_run(token: str) -> int:
    """The run's number in a token ``T3x0``."""
    return int(token[1:].partition("x")[0]) if token.startswith("T") else -1


def _same_bytes(shown: Shown, served: Served) -> bool:
    """Method, address, body and every shown header; a condition that is sent must be shown."""
    sent = dict(served.headers)
    conditions = {name for name in sent if name.startswith("if-")}
    return (
        shown.method == served.method
        and shown.target.partition("/")[2] == served.path
        and shown.content == served.body
        and all(sent.get(name) == value for name, value in shown.headers)
        and conditions <= {name for name, _ in shown.headers}
    )


def _seated(line: tuple[str, ...], acts: Iterable[Act]) -> tuple[str, ...]:
    for act in acts:
        if act.kind == "replace":
            line = tuple(dict.fromkeys(act.taker if person == act.giver else person for person in line))
    return line


def _lent_by(acts: Iterable[Act]) -> list[Lent]:
    return [Lent(a.giver, a.taker, a.at, a.until) for a in acts if a.kind == "delegate" and a.until is not None]
