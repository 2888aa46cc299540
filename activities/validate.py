"""Stage 3: judge the proposed call against metadata and policy. Every finding goes back to the brain, all at once."""

from dataclasses import dataclass

from temporalio import activity

from activities.drift import live_version
from activities.guard import off_loop, on_own_run
from activities.judging import Judged, bind, is_drifted, judge_call
from activities.ports import Parts
from activities.reference import with_reference
from activities.told import tell, told_invalid
from ledger.errors import DigestAlreadyAsked
from ledger.records import RunRow
from mail.business_content import label_of
from odata.verbs import verb_of
from policies.write_gate import Denied, approval_plan, is_write
from wire.activity_signatures import StepInput, Validated
from wire.call import Finding, ProposedCall, Verdict


@dataclass(frozen=True)
class Drifted:
    """A call of a service whose metadata was another than the snapshot's when it was read last."""

    call: ProposedCall
    graph_hash: str


class ValidateStage:
    """Holds the parts for ``validate_call``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def validate_call(self, step: StepInput) -> Validated:
        """Judge the step's call against metadata and policy; findings become an observation for the brain."""
        judged = await on_own_run(self._parts, step.run_id, lambda row: self._begin(row, step))
        if isinstance(judged, Drifted):
            # What was read last may be over, too: only the service knows.
            await live_version(self._parts, judged.call.service)
            judged = await off_loop(self._judge, step, judged.call, judged.graph_hash)
        if isinstance(judged, Validated):
            return judged
        return await off_loop(_answer, self._parts, step, await bind(self._parts, judged))

    def _begin(self, row: RunRow, step: StepInput) -> Validated | Judged | Drifted:
        """What came of it; or a call of a service that changes, to be judged against what it says now."""
        parts, task = self._parts, row.task
        turn = parts.ledger.proposal(step.run_id, step.step)
        call = turn.call
        if call is None:
            raise ValueError(f"run {step.run_id}, step {step.step}: the recorded turn holds no call")
        if is_write(call):
            plan = approval_plan(parts.policy(), call, task.requester, task.approvers, task.ledger_epoch)
            if isinstance(plan, Denied):
                _record_denial(parts, step, plan)
                return Validated(step=step.step, valid=False, denied=plan.reason)
        call = with_reference(parts, call, row.run_id, task.graph_hash)
        if is_drifted(parts, call.service, task.graph_hash):
            return Drifted(call, task.graph_hash)
        return self._judge(step, call, task.graph_hash)

    def _judge(self, step: StepInput, call: ProposedCall, graph_hash: str) -> Validated | Judged:
        """What came of it, or a change that has yet to be bound to its entity."""
        judged = judge_call(self._parts, call, graph_hash)
        return judged if judged.unbound else _answer(self._parts, step, judged)


def _answer(parts: Parts, step: StepInput, judged: Judged) -> Validated:
    """Record the verdict, and say what it means for the run."""
    call = judged.call
    findings = _record(parts, step, judged)
    if judged.validated is None or findings:
        return Validated(step=step.step, valid=False, write=is_write(call), findings=len(findings))
    digest = judged.validated.digest
    return Validated(step=step.step, valid=True, write=is_write(call), call_digest=digest, label=_label(call))


def _label(call: ProposedCall) -> str:
    target = call.path[-1].rpartition(".")[2] if call.path else call.endpoint
    return f"{verb_of(call.method).value} {label_of(target)} ({call.service})"


def _record_denial(parts: Parts, step: StepInput, denied: Denied) -> None:
    parts.ledger.note(step.run_id, "write_denied", {"step": step.step, "reason": denied.reason}, {}, parts.now())


def _record(parts: Parts, step: StepInput, judged: Judged) -> tuple[Finding, ...]:
    """Record the verdict; what speaks against the call becomes the brain's observation."""
    ledger, at = parts.ledger, parts.now()
    findings = judged.verdict.findings
    with ledger.jointly(step.run_id):
        try:
            ledger.record_verdict(step.run_id, step.step, judged.verdict, judged.validated, at)
        except DigestAlreadyAsked as error:
            finding = Finding(rule="asked-before", pointer="", message=str(error))
            findings = (finding,)
            ledger.record_verdict(step.run_id, step.step, Verdict(kind="invalid", findings=findings), None, at)
        if findings:
            tell(ledger, step.run_id, told_invalid(ledger, step.run_id, step.step, findings), at)
    return findings
