"""Who hears of it when mail does not arrive, when others are asked than before, when nobody can be asked, and when nobody knows
what became of a write: each once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from activities.ports import Parts
from ledger.records import RequestMailRow, RequestRow
from mail.phrases import Phrases
from policies.canonical import sha256_hex
from policies.people import person_by_id
from policies.run_identity import effect_key, message_id
from wire.approval import MailContent, MessageType
from wire.policy import Person

BOUNCED = "bounced"
"""How the failure of a copy begins that a bounce reported, and not the server that we handed it to."""

_UNSETTLED = {
    "unknown": "it was sent, and nothing tells whether it took effect",
    "differs": "it took effect, but what was read back differs from what was approved",
}


@dataclass(frozen=True)
class Note:
    """One notice about a request. ``key`` makes it once."""

    request: RequestRow
    kind: MessageType
    key: str
    text: str


def tell_of_failures(parts: Parts, request: RequestRow) -> None:
    """Copies that the server refused, to the operators; of bounces they hear when these are judged."""
    for mail in request.mails:
        if mail.failure and not mail.failure.startswith(BOUNCED):
            left = "the others can still answer" if request.is_live else "too few of those asked are left"
            text = f"Mail for {mail.person} <{mail.address}> was refused ({mail.failure}); {left}."
            key = _key(request, f"refused_{mail.addressee}")
            _tell_operators(parts, Note(request, MessageType.OPERATOR_ALERT, key, text))


def tell_of_passing_on(parts: Parts, request: RequestRow) -> None:
    """Where a review asks others than the one before: those who are asked no more and, after silence or bounces, operators."""
    if request.cause == "first":
        return
    before = [r for r in parts.ledger.requests(request.run_id, request.step) if r.review < request.review]
    now = [seat.person for seat in request.plan.approvers]
    if not before or set(now) == {seat.person for seat in before[-1].plan.approvers}:
        return
    names = ", ".join(seat.name for seat in request.plan.approvers)
    for mail in before[-1].mails:
        if mail.person not in now and (mail.accepted_at or mail.attempts):
            _tell_left_out(parts, before[-1], mail, names)
    if request.cause in ("overdue", "undeliverable"):
        key = _key(request, MessageType.ESCALATION_NOTICE.value)
        text = _passed_on(request, before[-1], names)
        _tell_operators(parts, Note(request, MessageType.ESCALATION_NOTICE, key, text))


def tell_parked(parts: Parts, run_id: str, step: int, reason: str, policy_version: str) -> None:
    """Nobody can be asked: an operator has to act, or policy has to be mended."""
    text = (
        f"Step {step} waits for you: {reason}. 'reissue' asks again; so does a policy that names somebody, by itself."
    )
    asked = parts.ledger.requests(run_id)
    key = f"{run_id}/{step}/parked/{sha256_hex(f'{reason}/{policy_version}'.encode())[:32]}"
    if asked:
        _tell_operators(parts, Note(asked[-1], MessageType.OPERATOR_ALERT, key, text))
        return
    for person in _operators(parts):
        parts.ledger.add_mail(f"{key}/{person.id}", _bare(parts, run_id, key, person, text), parts.now())


def tell_unsettled(parts: Parts, request: RequestRow, kind: Literal["unknown", "differs"]) -> None:
    """An operator has to find out what became of a write. No values are named: those may be masked."""
    text = (
        f"Step {request.step} waits for you: {_UNSETTLED[kind]}. Look in the service, then say with 'settle' what you found;"
        " 'show' says what is known. Nothing is sent again."
    )
    _tell_operators(parts, Note(request, MessageType.OPERATOR_ALERT, _key(request, f"unsettled_{kind}"), text))


def _passed_on(request: RequestRow, before: RequestRow, names: str) -> str:
    failed = [f"{mail.person}: {mail.failure}" for mail in before.mails if mail.failure]
    why = f"Mail did not arrive ({'; '.join(failed)})" if failed else "Nobody answered in time"
    asked = ", ".join(seat.person for seat in before.plan.approvers)
    return (
        f"{why}. Review {before.review} of step {request.step} had asked {asked}; review {request.review} asks {names},"
        f" by rule '{request.plan.rule_id}', until {request.deadline:%Y-%m-%d %H:%M} UTC."
    )


def _tell_left_out(parts: Parts, before: RequestRow, mail: RequestMailRow, names: str) -> None:
    original = MailContent.model_validate_json(parts.ledger.get(mail.content_digest))
    came_back = (mail.failure or "").startswith(BOUNCED)
    phrase = "passed_on_bounced" if came_back else "passed_on"
    text = Phrases(original.language)(phrase, names=names)
    # The key of every withdrawal of this copy: nobody is told twice.
    key = _key(before, MessageType.WITHDRAWAL_NOTICE.value)
    content = _about(parts, original, MessageType.WITHDRAWAL_NOTICE, text, message_id_of(parts, key, mail.addressee))
    parts.ledger.add_mail(f"{key}/{mail.addressee}", content, parts.now())


def _tell_operators(parts: Parts, note: Note) -> None:
    mails = [MailContent.model_validate_json(parts.ledger.get(mail.content_digest)) for mail in note.request.mails]
    for person in _operators(parts):
        key = f"{note.key}/{person.id}"
        original = next((mail for mail in mails if mail.language == person.language), mails[0])
        content = _about(parts, original, note.kind, note.text, message_id_of(parts, key, 0))
        parts.ledger.add_mail(key, content.model_copy(update=_to(person)), parts.now())


def message_id_of(parts: Parts, key: str, number: int) -> str:
    """The Message-ID of a notice."""
    return message_id(parts.ledger.epoch, key, number, parts.identity.domain)


def _about(parts: Parts, original: MailContent, kind: MessageType, text: str, own_id: str) -> MailContent:
    changes: dict[str, object] = {
        "message_type": kind,
        "message_id": own_id,
        "note": text,
        "in_reply_to": original.message_id,
    }
    changes |= {"references": (original.message_id,), "composed_at": parts.now().replace(microsecond=0)}
    return original.model_copy(update=changes)


def _bare(parts: Parts, run_id: str, key: str, person: Person, text: str) -> MailContent:
    identity, run = parts.identity, parts.ledger.run(run_id)
    return MailContent(
        message_type=MessageType.OPERATOR_ALERT,
        message_id=message_id_of(parts, f"{key}/{person.id}", 0),
        from_address=identity.approvals,
        from_name=identity.name,
        reply_to=identity.approvals,
        **_to(person),
        composed_at=parts.now().replace(microsecond=0),
        run_id=run_id,
        policy_version=run.task.policy_version,
        # Not the goal: what policy masks may stand in it.
        title="a write that nobody can be asked to approve",
        note=text,
    )


def _to(person: Person) -> dict[str, str]:
    name = {"to_address": person.addresses[0].lower(), "to_name": person.name}
    return name | {"language": person.language, "timezone": person.timezone}


def _operators(parts: Parts) -> Sequence[Person]:
    policy = parts.policy()
    found = (person_by_id(policy, name) for name in policy.operators)
    return [person for person in found if person is not None]


def _key(request: RequestRow, what: str) -> str:
    return effect_key(request.run_id, request.step, request.review, what, request.call_digest)
