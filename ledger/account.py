"""Who did what on whose word: one account per write, drawn from the audit chain alone (so that an export suffices)."""

from typing import Any

from wire.audit import AuditEvent
from wire.base import Wire


class Approval(Wire):
    """One YES that a write stands on: who said it, for whom, in which mail, when our server received it, how it was proven."""

    person: str
    principal: str
    evidence_id: str
    received_at: str
    method: str


class Origin(Wire):
    """The turn that proposed the call: its digest in the content store, its context, the models asked, the graph."""

    turn: int
    turn_digest: str
    context_digest: str
    exchanges: tuple[tuple[str, str, str, str], ...]
    graph_hash: str


class EffectAccount(Wire):
    """One write from proposal to outcome. ``validated_digest`` holds the exact bytes; ``outcome`` is None while it is open.

    ``settled``: the outcome stands on a person's word, which this quotes, and not on what the service said.
    """

    run_id: str
    step: int
    review: int
    call_digest: str
    validated_digest: str
    rule_id: str
    policy_version: str
    asked: tuple[str, ...]
    quorum: int
    approvals: tuple[Approval, ...]
    origin: Origin | None
    effect_key: str
    outcome: str | None
    result_digest: str | None
    settled: str = ""


def account_for(events: tuple[AuditEvent, ...]) -> tuple[EffectAccount, ...]:
    """An account of every write that the chain records, in order."""
    return tuple(_account(events, event) for event in events if event.kind == "intent_opened")


def _account(events: tuple[AuditEvent, ...], intent: AuditEvent) -> EffectAccount:
    said = intent.payload
    step, review, digest = said["step"], said["review"], said["call_digest"]
    verdict = _last(events, "verdict_recorded", step=step, call_digest=digest)
    request = _last(events, "request_created", step=step, review=review)
    effect = _last(events, "effect_recorded", effect_key=said["effect_key"])
    return EffectAccount(
        run_id=intent.run_id,
        step=step,
        review=review,
        call_digest=digest,
        validated_digest=verdict.get("content", {}).get("validated", ""),
        rule_id=request.get("rule_id", ""),
        policy_version=request.get("policy_version", ""),
        asked=tuple(request.get("approvers", ())),
        quorum=request.get("quorum", 0),
        approvals=tuple(_approval(events, evidence_id) for evidence_id in sorted(said["votes"].values())),
        origin=_origin(events, step, verdict.get("graph_hash", "")),
        effect_key=said["effect_key"],
        outcome=effect.get("outcome"),
        result_digest=effect.get("content", {}).get("executed"),
        settled=effect.get("said") or (f"settled by {effect['settled_by']}" if effect.get("settled_by") else ""),
    )


def _last(events: tuple[AuditEvent, ...], kind: str, **wanted: Any) -> dict[str, Any]:
    found = (e.payload for e in reversed(events) if e.kind == kind and wanted.items() <= e.payload.items())
    return next(found, {})


def _approval(events: tuple[AuditEvent, ...], evidence_id: str) -> Approval:
    judged = (e.payload for e in events if e.kind == "mail_judged" and e.payload["content"]["raw"] == evidence_id)
    mail = next(judged, {})
    return Approval(
        person=mail.get("person") or "",
        principal=mail.get("principal") or "",
        evidence_id=evidence_id,
        received_at=mail.get("received_at", ""),
        method=mail.get("method", ""),
    )


def _origin(events: tuple[AuditEvent, ...], step: int, graph_hash: str) -> Origin | None:
    turn = _last(events, "turn_recorded", step=step)
    if not turn:
        return None
    return Origin(
        turn=turn["turn"],
        turn_digest=turn["content"]["turn"],
        context_digest=turn["content"]["context"],
        exchanges=tuple((brain, model, version, stage) for brain, model, version, stage in turn["exchanges"]),
        graph_hash=graph_hash,
    )
