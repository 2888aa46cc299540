"""Events that are mail: who writes what in answer to which request, truly or falsely."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

from evaluation.histories import letters
from evaluation.histories.letters import Envelope
from evaluation.histories.mailserver import Truth
from evaluation.histories.notes import Letter, Meaning, Posted
from evaluation.histories.scenes import ADDRESSES, APPROVALS, PEOPLE, REQUESTER, STRANGERS
from evaluation.histories.shown import Shown
from evaluation.histories.world import World
from evaluation.reply_matrix.message import AUTHENTIC

REMINDING = frozenset({"approval_reminder", "clarification_request", "escalation_notice"})
Copy = tuple[Posted, Shown]
Play = Callable[[World, int, Random, str], bool]
"""Plays one event in a run; whether there was anything to do."""


def own_address(person: str) -> str:
    """Where a person's mail comes from."""
    return ADDRESSES[person][0] if person in ADDRESSES else person


def send(
    world: World, shown: Shown, rng: Random, kind: str, *, writer: str, meaning: Meaning, saying: str = "",
    address: str = "", extra: tuple[str, ...] = (),
) -> Letter:  # fmt: skip
    """An authentic letter of ``writer`` in answer to ``shown``, received now."""
    address = address or own_address(writer)
    words, lines = letters.said(saying or meaning, rng)
    envelope = replace(letters.answer_to(shown, _name(world), writer, address, rng), extra=extra)
    raw = letters.write(envelope, words, lines, rng)
    return world.server.receive(raw, Truth(writer, meaning, shown.message_id, True, kind))


def _name(world: World) -> str:
    return f"m{world.tick()}"


def _person(world: World, copy: Copy) -> str:
    return world.account.addresses[copy[0].recipient]


def _silent(world: World, run: int) -> list[Copy]:
    """Copies of the newest review whose addressee has not said yes to it."""
    copies = world.newest(run)
    ids = {shown.message_id for _, shown in copies}
    said = {x.writer for x in world.server.letters if x.answers in ids and x.meaning == "yes"}
    return [copy for copy in copies if _person(world, copy) not in said]


def answers(meaning: Meaning, saying: str = "") -> Play:
    """An addressee of the newest review answers it."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        copies = _silent(world, run) if meaning == "yes" else world.newest(run)
        if not copies:
            return False
        copy = rng.choice(copies)
        extra = (rng.choice(letters.AUTOMATIC),) if meaning == "automatic" else ()
        send(world, copy[1], rng, kind, writer=_person(world, copy), meaning=meaning, saying=saying, extra=extra)
        return True

    return play


def play_alias_yes(world: World, run: int, rng: Random, kind: str) -> bool:
    """From the other address of a person, or with a plus part."""
    copies = _silent(world, run)
    if not copies:
        return False
    copy = rng.choice(copies)
    person = _person(world, copy)
    local, _, domain = ADDRESSES[person][-1].partition("@")
    address = rng.choice((ADDRESSES[person][-1], f"{local}+phone@{domain}"))
    send(world, copy[1], rng, kind, writer=person, meaning="yes", address=address)
    return True


def play_reminder_yes(world: World, run: int, rng: Random, kind: str) -> bool:
    """A yes in answer to a reminder or to a question back."""
    mails = world.asked(run, kinds=REMINDING)
    if not mails:
        return answers("yes")(world, run, rng, kind)
    copy = mails[-1]
    send(world, copy[1], rng, kind, writer=_person(world, copy), meaning="yes")
    return True


def by(people: tuple[str, ...], meaning: Meaning = "yes") -> Play:
    """One of these answers the newest review, whoever it was sent to."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        copies = world.newest(run)
        if not copies:
            return False
        send(world, rng.choice(copies)[1], rng, kind, writer=rng.choice(people), meaning=meaning)
        return True

    return play


def play_outsider(world: World, run: int, rng: Random, kind: str) -> bool:
    """A person of ours who holds no seat of the rule answers."""
    rules = world.rules
    seats = {*rules.approvers, *rules.escalate, *(lent.taker for lent in rules.lent)}
    taken = {act.taker for act in world.account.acts}
    people = tuple(person for person in PEOPLE if person not in seats | taken)
    return by(people, "no" if kind.endswith("no") else "yes")(world, run, rng, kind)


def play_second_yes(world: World, run: int, rng: Random, kind: str) -> bool:
    """Somebody who has answered answers once more."""
    ids = {shown.message_id: shown for _, shown in world.newest(run)}
    said = [x for x in world.server.letters if x.answers in ids and x.meaning == "yes" and x.genuine]
    if not said:
        return False
    first = rng.choice(said)
    send(world, ids[first.answers], rng, kind, writer=first.writer, meaning="yes")
    return True


def to_old(meaning: Meaning) -> Play:
    """An answer to a review that was superseded."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        newest = {shown.review for _, shown in world.newest(run)}
        older = [copy for copy in world.asked(run) if copy[1].review not in newest]
        if not older:
            return False
        copy = rng.choice(older)
        send(world, copy[1], rng, kind, writer=_person(world, copy), meaning=meaning)
        return True

    return play


def at_deadline(meaning: Meaning, first: float, last: float) -> Play:
    """An answer between ``first`` and ``last`` seconds after the deadline (before it when negative)."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        copies = _silent(world, run) if meaning == "yes" else world.newest(run)
        if not copies:
            return False
        copy = rng.choice(copies)
        when = (copy[1].deadline or world.at) + timedelta(
            seconds=rng.choice((rng.uniform(first, last), rng.randint(int(first), int(last))))
        )
        if when < world.at:
            return False
        world.advance(when)
        send(world, copy[1], rng, kind, writer=_person(world, copy), meaning=meaning)
        return True

    return play


def play_early_yes(world: World, run: int, rng: Random, kind: str) -> bool:
    """A mail that the server stamped before it took the request."""
    copies = _silent(world, run)
    if not copies:
        return False
    posted, shown = rng.choice(copies)
    person = world.account.addresses[posted.recipient]
    words, lines = letters.said("yes", rng)
    envelope = letters.answer_to(shown, _name(world), person, own_address(person), rng)
    when = posted.at - timedelta(seconds=rng.randint(1, 60))
    raw = letters.write(envelope, words, lines, rng)
    world.server.receive(raw, Truth(person, "yes", shown.message_id, True, kind), at=when)
    return True


def play_spoof(world: World, run: int, rng: Random, kind: str) -> bool:
    """Somebody else in an approver's name, with no proof or a forged one."""
    copies = world.newest(run)
    if not copies:
        return False
    posted, shown = rng.choice(copies)
    meaning = "no" if kind.endswith("no") else "yes"
    words, lines = letters.said(meaning, rng)
    honest = letters.answer_to(shown, _name(world), "ann", posted.recipient, rng)
    envelope = replace(honest, results=rng.choice(letters.FORGED_RESULTS))
    raw = letters.write(envelope, words, lines, rng)
    world.server.receive(raw, Truth("mallory@evil.example", "hostile", shown.message_id, False, kind))
    return True


def play_disguise(world: World, run: int, rng: Random, kind: str) -> bool:
    """A stranger whose own server vouches for them, dressed up as an approver."""
    copies = world.newest(run)
    if not copies:
        return False
    posted, shown = rng.choice(copies)
    words, lines = letters.said("yes", rng)
    sender = rng.choice(letters.DISGUISES).format(address=posted.recipient, name=posted.recipient.partition("@")[0])
    honest = letters.answer_to(shown, _name(world), "ann", posted.recipient, rng)
    vouched = rng.choice((letters.vouched("mallory@evil.example"), (AUTHENTIC,)))
    envelope = replace(honest, sender=sender, results=vouched)
    raw = letters.write(envelope, words, lines, rng)
    world.server.receive(raw, Truth("mallory@evil.example", "hostile", shown.message_id, False, kind))
    return True


def play_noise(world: World, run: int, rng: Random, kind: str) -> bool:
    """Mail that is none of ours."""
    words, lines = letters.said("yes", rng)
    envelope = Envelope(_name(world), own_address("ann"), APPROVALS, None, "none")
    world.server.receive(letters.write(envelope, words, lines, rng), Truth("ann", "hostile", "", True, kind))
    return True


def play_bounce(world: World, run: int, rng: Random, kind: str) -> bool:
    """A copy of the newest review comes back."""
    copies = world.newest(run)
    if not copies:
        return False
    posted, shown = rng.choice(copies)
    raw = letters.bounce(shown, _name(world), posted.recipient)
    world.server.receive(raw, Truth("", "automatic", shown.message_id, True, kind))
    return True


MAIL: dict[str, Play] = {
    "yes": answers("yes"),
    "no": answers("no"),
    "unclear": answers("unclear"),
    "negated": answers("unclear", "negated"),
    "automatic": answers("automatic"),
    "alias_yes": play_alias_yes,
    "reminder_yes": play_reminder_yes,
    "second_yes": play_second_yes,
    "delegate_yes": by(("dan",)),
    "requester_yes": by((REQUESTER,)),
    "requester_delegate_yes": by(("rolf", "eli")),
    "stranger_yes": by(STRANGERS),
    "outsider_yes": play_outsider,
    "outsider_no": play_outsider,
    "old_yes": to_old("yes"),
    "no_old": to_old("no"),
    "edge_yes": at_deadline("yes", -8, 8),
    "late_yes": at_deadline("yes", 1, 200),
    "no_late": at_deadline("no", 1, 60),
    "comment_late": at_deadline("unclear", 1, 60),
    "early_yes": play_early_yes,
    "spoof": play_spoof,
    "forged_no": play_spoof,
    "disguise": play_disguise,
    "noise": play_noise,
    "bounce": play_bounce,
}
