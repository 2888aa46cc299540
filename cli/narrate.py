"""Audit events in words: what was found and why, the call, the mail, the reply, the decision, the effect."""

from collections.abc import Callable, Iterator
from typing import Any

from embedded.approver_mail import show_mail
from ledger.errors import LedgerError
from ledger.store import Ledger
from wire.agent import Observation, Turn
from wire.approval import MailContent
from wire.audit import AuditEvent
from wire.call import ExecutedCall, ValidatedCall, Verdict
from wire.context import TypedContext

Say = Callable[[Ledger, AuditEvent], Iterator[str]]
MOST_FOUND = 12
CAUSES = {
    "late": "the approval came too late",
    "overdue": "nobody answered in time",
    "drifted": "what it rests on has changed",
    "undeliverable": "the mail could not be delivered",
    "released": "an operator released the run",
    "operator": "an operator had it asked again",
}


def narrate(ledger: Ledger, event: AuditEvent) -> list[str]:
    """Lines for one event; none for what says nothing to a reader."""
    say = _SAYINGS.get(event.kind)
    if say is None:
        return []
    if event.erased:
        return [_remains(event)]
    try:
        return list(say(ledger, event))
    except LedgerError as error:
        return [f"{event.kind}: {error}"]


def _remains(event: AuditEvent) -> str:
    """What an erased event still says: the technical facts, and people by their pseudonyms."""
    told = ("step", "review", "outcome", "check", "state", "kind", "message_type", "person", "actor", "requester")
    facts = ", ".join(f"{name} {event.payload[name]}" for name in told if event.payload.get(name) not in (None, ""))
    return f"{event.kind.replace('_', ' ')}{f': {facts}' if facts else ''} (erased by policy)"


def _erased(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    yield f"erased by policy {p['policy_version']} ({p['retention_days']} days), by {p['actor']} as {p['role']}: {p['reason']}"
    yield f"  {len(p['contents'])} contents are gone; digests, outcomes and times stay and verify"


def _content(ledger: Ledger, event: AuditEvent, role: str) -> bytes:
    return ledger.get(event.payload["content"][role])


def _registered(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    yield f"asked by {p['requester']} ({p['requester_source']}) · policy {p['policy_version']} · brain {p['brain']}"
    yield f"graph {p['graph_hash'][:16]}…"


def _retrieved(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    context = TypedContext.model_validate_json(_content(ledger, event, "context"))
    if context.out_of_scope:
        yield f"found nothing that serves this goal ({'; '.join(context.cut)})"
        return
    # The verbs of one entity set are found for one reason: one line tells them all.
    found: dict[str, list[str]] = {}
    for view in context.endpoints:
        why = "; ".join(r.text for r in view.reasons[:2])
        found.setdefault(f"{view.service}/{view.endpoint} ({{}}) because {why}", []).append(view.verb.value)
    many = "" if len(found) == 1 else "s"
    yield f"found {len(found)} endpoint{many} ({context.retriever}, {context.tokens} tokens of context)"
    for line, verbs in list(found.items())[:MOST_FOUND]:
        yield f"  {line.replace('{}', ', '.join(verbs), 1)}"
    if len(found) > MOST_FOUND:
        yield f"  and {len(found) - MOST_FOUND} more"
    for process in dict.fromkeys(step.process for step in context.chain):
        nodes = [s.label for s in context.chain if s.process == process]
        yield f"  process {process}: {' → '.join(nodes)}"


def _turn(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    turn = Turn.model_validate_json(_content(ledger, event, "turn"))
    who = next((f"{x.brain} {x.model}" for x in turn.exchanges), "the agent")
    yield f"turn {event.payload['turn']}, {who}: {turn.thought}"
    if turn.action == "ask":
        yield f"  asks: {turn.question}"
    elif turn.action == "finish":
        yield f"  finishes: {turn.answer}"


def _verdict(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    content = event.payload["content"]
    if "validated" in content:
        request = ValidatedCall.model_validate_json(ledger.get(content["validated"])).request
        yield f"step {event.payload['step']}: valid: {request.method} {request.service}/{request.path}"
        if request.body:
            yield f"  {request.body}"
        return
    verdict = Verdict.model_validate_json(ledger.get(content["verdict"]))
    yield f"step {event.payload['step']}: not valid, back to the agent"
    for finding in verdict.findings:
        yield f"  {finding.rule} {finding.pointer}: {finding.message}"


def _observed(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    if event.payload["kind"] in ("result", "failed"):
        seen = Observation.model_validate_json(_content(ledger, event, "observation"))
        yield f"  {seen.kind}: {seen.text}"


def _asked(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    if p["cause"] in CAUSES:
        yield f"fresh review {p['review']}: {CAUSES[p['cause']]}"
    mails = [v for k, v in p["content"].items() if k.startswith("mail_")]
    for digest in mails:
        mail = MailContent.model_validate_json(ledger.get(digest))
        yield f"request to {mail.to_name} <{mail.to_address}>: {mail.title}"
        yield f"  answer by {mail.deadline:%Y-%m-%d %H:%M:%S} UTC, call {mail.call_digest[:16]}…, rule {p['rule_id']}"


def _composed(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    """A dry run ends here: the mail itself is what was asked for. The copies differ in the addressee only."""
    mail = show_mail(_content(ledger, event, "mail_0"))
    yield f"composed for {', '.join(event.payload['to'])}, not sent:"
    yield from (f"  | {line}" for line in (f"Subject: {mail.subject}", "", *mail.text.rstrip().splitlines()))


def _queued(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"  mail to send: {event.payload['message_type'].replace('_', ' ')}"


def _act(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    yield f"{p['kind']} by {p['actor']} as {p['role']}: {p['reason']}"


def _noticed(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"woken by policy {event.payload['policy_version']}: is there anybody to ask now?"


def _accepted(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"  the mail server took it ({event.payload['response']})"


def _judged(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    who = f" from {p['person']}" if p.get("person") else ""
    yield f"reply{who}: {p['outcome']} ({p['reason']}; check {p['check']}, received {p['received_at']})"
    if "comment" in p["content"]:
        comment = _content(ledger, event, "comment").decode().splitlines()
        yield from (f"  | {line}" for line in comment)


def _intent(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"dispatch gate passed: approved by {', '.join(event.payload['votes'])}; sending once"


def _effect(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    if event.payload.get("settled_by"):
        yield f"effect: {event.payload['outcome']}, NOT PROVEN: {event.payload['said']}"
        return
    if event.payload["outcome"] != "executed":
        yield f"effect: {event.payload['outcome']}"
        return
    executed = ExecutedCall.model_validate_json(_content(ledger, event, "executed"))
    where = f" at {executed.result.location}" if executed.result.location else ""
    yield f"effect: HTTP {executed.result.status}{where}"


def _reasons(word: str) -> Say:
    def say(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
        reasons: Any = event.payload.get("reasons") or event.payload.get("reason") or event.payload.get("error") or ""
        yield f"{word}: {', '.join(reasons) if isinstance(reasons, list) else reasons}"

    return say


def _state(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    """Only states that say what somebody waits for; the others show in what happens."""
    if event.payload["detail"].startswith("not sent yet") or event.payload["state"] in (
        "outcome_unknown",
        "undeliverable",
    ):
        yield f"{event.payload['state']}: {event.payload['detail']}"


def _closed(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"run {event.payload['state']}: {event.payload['summary']}"


def _looked_up(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"  the answer was lost; the effect was found by {event.payload['by']}, nothing was sent again"


def _version(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    told = "the call is another one now" if p["drifted"] else "the call stays the same, nobody is asked again"
    yield f"  $metadata of {p['service']} has changed ({p['validated'][:12]}… to {p['now'][:12]}…): {told}"


def _unread(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    p = event.payload
    yield f"  $metadata of {p['service']} could not be read, judged by what was ingested: {p['reason']}"


def _read_back(ledger: Ledger, event: AuditEvent) -> Iterator[str]:
    yield f"  {event.payload['summary']}"


_SAYINGS: dict[str, Say] = {
    "run_registered": _registered,
    "state_changed": _state,
    "context_retrieved": _retrieved,
    "turn_recorded": _turn,
    "verdict_recorded": _verdict,
    "observation_recorded": _observed,
    "request_created": _asked,
    "request_accepted": _accepted,
    "request_undeliverable": _reasons("  mail did not arrive"),
    "policy_noticed": _noticed,
    "mail_judged": _judged,
    "intent_opened": _intent,
    "effect_recorded": _effect,
    "written_read_back": _read_back,
    "effect_looked_up": _looked_up,
    "metadata_changed": _version,
    "metadata_unread": _unread,
    "approval_void": _reasons("the approval is void"),
    "drifted": _reasons("changed since it was approved, asking again"),
    "gate_refused": _reasons("dispatch gate refused"),
    "settlement_set_aside": _reasons("the operator's word is set aside"),
    "write_denied": _reasons("nobody can be asked"),
    "brain_failed": _reasons("the brain failed"),
    "run_halted": _reasons("halted"),
    "foreign_execution": _reasons("refused a foreign execution"),
    "operator_act": _act,
    "dry_run_composed": _composed,
    "mail_queued": _queued,
    "run_closed": _closed,
    "run_erased": _erased,
}
