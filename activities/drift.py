"""Check 9 (design.md section 4): a write is judged once more, against metadata, code lists, ETag and policy as they are now."""

from dataclasses import dataclass
from typing import Any

from activities.approvers import plan_again, run_policy
from activities.errors import ServiceUnknown
from activities.judging import Judged
from activities.ports import Parts
from ledger.records import RequestRow, RunRow
from odata.errors import CallError
from policies.dispatch_checks import check_approvers, check_drift
from policies.write_gate import Denied
from wire.call import ValidatedCall
from wire.endpoint import ODataVersion


@dataclass(frozen=True)
class LiveVersion:
    """Which ``$metadata`` the service gives now; ``unread`` says why that is not known."""

    digest: str = ""
    etag: str | None = None
    unread: str = ""


async def live_version(parts: Parts, service: str, version: ODataVersion = "4.0") -> LiveVersion:
    """Ask the service. One that does not show its metadata is judged by what was ingested, and that is recorded.

    ``version`` is for a service that was never asked before; one that was has its client.
    """
    try:
        live = await parts.services.live_metadata(service, version)
    except (CallError, ServiceUnknown) as error:
        return LiveVersion(unread=str(error))
    return LiveVersion(live.digest, live.etag)


def what_drifted(
    parts: Parts, row: RunRow, request: RequestRow, approved: ValidatedCall, judged: Judged
) -> tuple[str, ...]:
    """Every reason why the approval does not cover the call as it stands now."""
    plan = plan_again(parts, row, approved.call, request)
    if isinstance(plan, Denied):
        return (plan.reason,)
    votes = parts.ledger.votes(request.run_id, request.step, request.review)
    approvers = [approver.person for approver in plan.approvers]
    policy = run_policy(parts, row.run_id).policy
    people = check_approvers(policy, votes, approvers, plan.quorum, row.task.requester)
    return (*check_drift(approved, judged.validated), *people)


def note_version(
    parts: Parts, request: RequestRow, approved: ValidatedCall, live: LiveVersion, *, drifted: bool
) -> None:
    """A changed version is on record whether it changed the call or not, and so is one that could not be seen."""
    facts: dict[str, Any] = {"step": request.step, "review": request.review, "service": approved.call.service}
    if live.unread:
        kind, facts = "metadata_unread", {**facts, "reason": live.unread}
    elif live.digest == approved.metadata_digest:
        return
    else:
        versions = {"validated": approved.metadata_digest, "now": live.digest, "etag": live.etag or ""}
        kind, facts = "metadata_changed", {**facts, **versions, "drifted": drifted}
    parts.ledger.note(request.run_id, kind, facts, {}, parts.now())
