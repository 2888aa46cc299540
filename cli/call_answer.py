"""What ``call`` says to people: findings to mend a call by, the request as it would leave, and what a read answered."""

import json
from collections.abc import Iterator
from typing import Any

from cli.output import say
from odata.prepare import call_digest
from wire.call import CallResult, Finding, PreparedRequest, ProposedCall, Verdict

MOST_ALLOWED = 20
MOST_ROWS = 20


def say_verdict(call: ProposedCall, verdict: Verdict, approval: dict[str, Any] | None) -> None:
    """Every finding, or the request with its digest and who would have to approve it."""
    if verdict.request is None:
        count = len(verdict.findings)
        say(f"not valid: {count} finding{'s' if count != 1 else ''}")
        for finding in verdict.findings:
            for line in finding_lines(finding):
                say(line)
        return
    say("valid" if verdict.kind == "valid" else "valid, as far as metadata can tell")
    for finding in verdict.undecided:
        for line in finding_lines(finding):
            say(line)
    for line in request_lines(verdict.request):
        say(line)
    say(f"digest {call_digest(verdict.request)}")
    say(f"metadata {verdict.metadata_digest[:16]}… · graph {verdict.graph_hash[:16]}…")
    if approval is not None:
        say(_approval_line(call, approval))


def finding_lines(finding: Finding) -> Iterator[str]:
    """Rule and place first; then what was given, what is allowed, and what was probably meant."""
    yield f"  {finding.rule} {finding.pointer or '/'}: {finding.message}"
    if finding.value is not None:
        yield f"      given: {_shown(finding.value)}"
    if finding.allowed:
        more = f" and {len(finding.allowed) - MOST_ALLOWED} more" if len(finding.allowed) > MOST_ALLOWED else ""
        yield f"      allowed: {', '.join(finding.allowed[:MOST_ALLOWED])}{more}"
    if finding.suggestion:
        yield f"      did you mean: {finding.suggestion}"


def request_lines(request: PreparedRequest) -> Iterator[str]:
    """The canonical request: the bytes that an approval would bind."""
    yield f"  {request.method} {request.service}/{request.path}"
    for name, value in request.headers:
        yield f"  {name}: {value}"
    if request.body is not None:
        yield ""
        yield f"  {request.body}"


def say_read(result: CallResult) -> None:
    """Status and rows."""
    rows = result.data if isinstance(result.data, list) else [] if result.data is None else [result.data]
    truncated = ", truncated: the service holds more" if result.truncated else ""
    say(f"HTTP {result.status}: {len(rows)} row{'s' if len(rows) != 1 else ''}{truncated}")
    for row in rows[:MOST_ROWS]:
        say(f"  {_shown(row)}")
    if len(rows) > MOST_ROWS:
        say(f"  and {len(rows) - MOST_ROWS} more (--json shows all)")


def _approval_line(call: ProposedCall, approval: dict[str, Any]) -> str:
    if "denied" in approval:
        return f"a write that nobody may approve: {approval['denied']}"
    bound = ", bound to the entity's ETag when it is asked for" if call.method in ("PATCH", "PUT", "DELETE") else ""
    people, quorum = ", ".join(approval["approvers"]), approval["quorum"]
    return f"a write: in a run it waits for {quorum} of {people} (rule {approval['rule']}){bound}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
