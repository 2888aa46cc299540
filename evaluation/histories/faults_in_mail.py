"""Faults between reading and judging a mail: what a check would let pass if it were not there."""

from collections.abc import Callable, Collection
from typing import Any

from evaluation.histories.replies import own_address
from evaluation.histories.world import World
from mail.ports import ReceivedMail
from policies.canonical import sha256_hex
from wire.mail import Authenticity

Received = Callable[[ReceivedMail, World], ReceivedMail]


def _parsed(mail: ReceivedMail, **changes: Any) -> ReceivedMail:
    return ReceivedMail(mail.raw, mail.parsed.model_copy(update=changes), mail.authenticity, mail.received_at)


def _as_if_from(mail: ReceivedMail, address: str) -> ReceivedMail:
    proof = Authenticity(authenticated=True, address=address)
    parsed = mail.parsed.model_copy(update={"from_addresses": (address,), "sender_address": None})
    return ReceivedMail(mail.raw, parsed, proof, mail.received_at)


def believes_from(mail: ReceivedMail, world: World) -> ReceivedMail:
    named = mail.parsed.from_addresses[-1:]
    return _as_if_from(mail, named[0]) if named else mail


def takes_for_addressee(people: Collection[str]) -> Received:
    """Mail of these people counts as that of whoever was asked."""

    def received(mail: ReceivedMail, world: World) -> ReceivedMail:
        sender = world.account.addresses.get(mail.parsed.from_addresses[0] if mail.parsed.from_addresses else "")
        if sender not in people and not (mail.parsed.from_addresses and mail.parsed.from_addresses[0] in people):
            return mail
        asked = [p.recipient for p, s in _newest_of(mail, world)]
        return _as_if_from(mail, asked[0]) if asked else mail

    return received


def _newest_of(mail: ReceivedMail, world: World) -> list[Any]:
    """The newest review of the run whose reply address the mail went to."""
    for run in range(world.scene.runs):
        if any(shown.review in mail.parsed.recipients for _, shown in world.asked(run)):
            return world.newest(run)
    return []


def another_voter(mail: ReceivedMail, world: World) -> ReceivedMail:
    """A second yes of one person counts as that of the next addressee."""
    sender = mail.parsed.from_addresses[0] if mail.parsed.from_addresses else ""
    person = world.account.addresses.get(sender)
    same = [x for x in world.server.letters if x.writer == person and x.meaning == "yes" and x.raw != mail.raw]
    others = [p.recipient for p, _ in _newest_of(mail, world) if p.recipient != own_address(person or "")]
    if not same or not others or mail.parsed.answer != "approve":
        return mail
    content = sha256_hex(mail.raw)
    changed = _parsed(mail, message_id=f"{content}@x.example", content_digest=content)
    return _as_if_from(changed, others[0])


def always_in_time(mail: ReceivedMail, world: World) -> ReceivedMail:
    asked = [s for _, s in _newest_of(mail, world) if s.deadline]
    return (
        ReceivedMail(mail.raw, mail.parsed, mail.authenticity, asked[0].deadline or mail.received_at) if asked else mail
    )


def never_early(mail: ReceivedMail, world: World) -> ReceivedMail:
    return ReceivedMail(
        mail.raw, mail.parsed, mail.authenticity, max(mail.received_at, world.at.replace(microsecond=0))
    )


def finds_newest(mail: ReceivedMail, world: World) -> ReceivedMail:
    asked = _newest_of(mail, world)
    return _parsed(mail, recipients=(asked[0][1].review,), references=(), body_refs=()) if asked else mail


def answer(before: str, after: str) -> Received:
    def received(mail: ReceivedMail, world: World) -> ReceivedMail:
        return _parsed(mail, answer=after) if mail.parsed.answer == before and not mail.parsed.automatic else mail

    return received


def reads_automatic(mail: ReceivedMail, world: World) -> ReceivedMail:
    return _parsed(mail, automatic=None, answer="approve") if mail.parsed.automatic == "auto-reply" else mail


def first_place_only(mail: ReceivedMail, world: World) -> ReceivedMail:
    return _parsed(mail, references=(), body_refs=())


def forgets_ids(mail: ReceivedMail, world: World) -> ReceivedMail:
    fresh = sha256_hex(mail.raw)
    return _parsed(mail, message_id=f"{fresh}@x.example", content_digest=fresh, references=(), body_refs=())
