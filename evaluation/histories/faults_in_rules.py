"""Faults in what policy says to its readers, and in single methods of the ledger."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from evaluation.histories.service import SERVICE
from ledger.records import Intent, RequestRow
from ledger.store import Ledger
from odata.prepare import call_digest
from wire.call import ValidatedCall
from wire.policy import Policy


def rule(**changes: Any) -> Callable[[Policy], Policy]:
    return lambda policy: policy.model_copy(
        update={"rules": tuple(rule.model_copy(update=changes) for rule in policy.rules)}
    )


def skew_ignored(policy: Policy) -> Policy:
    return policy.model_copy(update={"clock_skew_seconds": 0.0})


def unmeasured(policy: Policy) -> Policy:
    """No probe is heard."""
    return policy.model_copy(update={"clock_probe_seconds": 0})


def delegations_last(policy: Policy) -> Policy:
    year = timedelta(days=365)
    longer = tuple(d.model_copy(update={"since": d.since - year, "until": d.until + year}) for d in policy.delegations)
    return policy.model_copy(update={"delegations": longer})


def pinned() -> Callable[[Policy], Policy]:
    """Policy as it was when it was first read."""
    first: dict[str, Policy] = {}
    return lambda policy: first.setdefault(policy.version, policy)


class NoCancel(Ledger):
    def cancel(self, run_id: str, actor: str, reason: str, at: datetime, role: str = "operator") -> bool:
        self.remark(run_id, "note", actor, role, reason, {}, at)
        return True


class NoHalt(Ledger):
    def halt(self, run_ids: Any, kind: str, reason: str, at: datetime, actor: str | None = None) -> tuple[str, ...]:
        return ()


class SendsAgain(Ledger):
    def open_intent(self, *args: Any, **kwargs: Any) -> Intent:
        intent = super().open_intent(*args, **kwargs)
        return intent.model_copy(update={"kind": "new"}) if intent.kind == "open" else intent


class OtherBytes(Ledger):
    """After the first vote the stored call has another amount, and nobody compares its digest with the approved one."""

    def validated(self, run_id: str, step: int) -> ValidatedCall | None:
        call = super().validated(run_id, step)
        voted = any(self.principals(run_id, r.step, r.review) for r in super().requests(run_id, step))
        return _dearer(call) if call is not None and voted else call

    def request(self, run_id: str, step: int, review: int) -> RequestRow | None:
        row = super().request(run_id, step, review)
        call = self.validated(run_id, step) if row is not None else None
        return row.model_copy(update={"call_digest": call.digest}) if row is not None and call is not None else row

    def open_intent(self, run_id: str, step: int, review: int, call_digest: str, *rest: Any) -> Intent:
        row = super().request(run_id, step, review)
        return super().open_intent(run_id, step, review, row.call_digest if row else call_digest, *rest)


def _dearer(call: ValidatedCall) -> ValidatedCall:
    body = (call.request.body or "").replace('"Amount":100', '"Amount":999')
    request = call.request.model_copy(update={"body": body})
    payload = {**(call.call.payload or {}), "Amount": 999}
    proposed = call.call.model_copy(update={"payload": payload, "service": SERVICE})
    return call.model_copy(update={"request": request, "call": proposed, "digest": call_digest(request)})
