"""Whom a review asks: the lines of a rule's chain, who of them mail can reach, and where to go on when it cannot."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from policies.people import fold_address, person_by_id, persons_named
from wire.approval import ApprovalPlan
from wire.policy import ApprovalRule, Person, Policy


@dataclass(frozen=True)
class Position:
    """The lines of the chain that are asked, both ends included; 0 are the rule's approvers."""

    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class Seat:
    """One who is asked, and at which of their addresses."""

    person: Person
    address: str


@dataclass(frozen=True)
class Seats:
    """``named``: who policy lets decide here. ``reached``: those whom mail can reach. ``quorum`` of them must say yes."""

    position: Position
    named: tuple[str, ...]
    reached: tuple[Seat, ...]
    quorum: int

    @property
    def unreached(self) -> tuple[str, ...]:
        """Those whom no mail reaches."""
        return tuple(name for name in self.named if name not in {seat.person.id for seat in self.reached})


@dataclass(frozen=True)
class Candidates:
    """What narrows the people of a rule: ``out`` may not decide, ``narrowed_to`` (of the first line) is the caller's choice,
    ``unreachable`` are addresses (folded) at which mail failed in this run.
    """

    out: frozenset[str] = frozenset()
    narrowed_to: tuple[str, ...] = ()
    unreachable: Collection[str] = ()


def chain_of(policy: Policy, rule: ApprovalRule) -> tuple[tuple[str, ...], ...]:
    """Person ids line by line: the approvers, ``escalate_to``, each of ``escalate_further``."""
    lines = (rule.approvers, *([rule.escalate_to] if rule.escalate_to else []), *rule.escalate_further)
    return tuple(persons_named(policy, line) for line in lines)


def quorum_of(rule: ApprovalRule, persons: int) -> int:
    """How many distinct persons must say yes, of so many that are asked."""
    if isinstance(rule.quorum, int):
        return rule.quorum
    return {"one": 1, "two-person": 2, "all": max(1, persons)}[rule.quorum]


def after_silence(policy: Policy, rule: ApprovalRule, before: Position) -> Position:
    """Who is asked after nobody answered: the next line where the rule escalates and has one, else the same people."""
    following = before.last + 1
    if rule.on_deadline != "escalate" or following >= len(chain_of(policy, rule)):
        return before
    return Position(following, following)


def position_of(plan: ApprovalPlan, overdue: int) -> Position:
    """Where a recorded plan stands; ``overdue`` (reviews made because nobody had answered) tells it of plans without lines."""
    if plan.first_line is None or plan.last_line is None:
        line = overdue if plan.on_deadline == "escalate" else 0
        return Position(line, line)
    return Position(plan.first_line, plan.last_line)


def seated(policy: Policy, rule: ApprovalRule, position: Position, candidates: Candidates) -> Seats:
    """Who is asked at a position of the chain. Where mail does not reach enough of them and policy escalates, further lines
    join until it does; where all of a line must say yes, the next line stands in for it as a whole.

    Short of ``quorum`` when even so too few are left.
    """
    lines = chain_of(policy, rule)
    if rule.on_undeliverable == "escalate" and rule.deputies and rule.quorum != "all":
        lines = (*lines, persons_named(policy, rule.deputies))
    found = None
    for here in _positions(rule, position, len(lines)):
        at = _at(policy, rule, lines, here, candidates)
        found = found or at
        if len(at.reached) >= at.quorum:
            return at
        if rule.on_undeliverable != "escalate" or len(found.named) < found.quorum:
            # Not mail but policy itself leaves too few.
            break
    return found or Seats(position, (), (), quorum_of(rule, 0))


def _positions(rule: ApprovalRule, start: Position, lines: int) -> Iterator[Position]:
    last = min(start.last, lines - 1)
    first = min(start.first, last)
    yield Position(first, last)
    for following in range(last + 1, lines):
        yield Position(following, following) if rule.quorum == "all" else Position(first, following)


def _at(
    policy: Policy, rule: ApprovalRule, lines: tuple[tuple[str, ...], ...], here: Position, candidates: Candidates
) -> Seats:
    asked = [
        name
        for number in range(here.first, here.last + 1)
        for name in lines[number]
        if name not in candidates.out and not _left_out(name, number, candidates)
    ]
    named = tuple(dict.fromkeys(name for name in asked if person_by_id(policy, name) is not None))
    # All of a line means all whom policy names there, the caller's choice or not.
    whole = len(dict.fromkeys(n for line in lines[here.first : here.last + 1] for n in line if n not in candidates.out))
    reached = [seat for name in named if (seat := _seat(policy, rule, name, candidates)) is not None]
    return Seats(here, named, tuple(reached), quorum_of(rule, whole))


def _left_out(name: str, line: int, candidates: Candidates) -> bool:
    return line == 0 and bool(candidates.narrowed_to) and name not in candidates.narrowed_to


def _seat(policy: Policy, rule: ApprovalRule, name: str, candidates: Candidates) -> Seat | None:
    person = person_by_id(policy, name)
    if person is None:
        return None
    addresses = person.addresses if rule.on_undeliverable == "escalate" else person.addresses[:1]
    working = (a for a in addresses if fold_address(a) not in candidates.unreachable)
    address = next(working, None)
    return None if address is None else Seat(person, address.lower())
