"""Stage 3: judge the proposed call against metadata and policy. Every finding goes back to the brain, all at once."""

from typing import Any

from temporalio import activity

from activities.guard import off_loop, own_run
from activities.judging import Judged, judge_call
from activities.ports import Parts
from ledger.errors import DigestAlreadyAsked
from mail.business_content import label_of
from odata.verbs import verb_of
from policies.write_gate import Denied, approval_plan, is_write
from wire.activity_signatures import StepInput, Validated
from wire.agent import Observation
from wire.call import Finding, ProposedCall, Verdict
from wire.task import RunState


class ValidateStage:
    """Holds the parts for ``validate_call``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def validate_call(self, step: StepInput) -> Validated:
        """Judge the step's call against metadata and policy; findings become an observation for the brain."""
        parts, ledger = self._parts, self._parts.ledger
        row = await own_run(parts, step.run_id)
        turn = await off_loop(ledger.proposal, step.run_id, step.step)
        call = turn.call
        if call is None:
            raise ValueError(f"run {step.run_id}, step {step.step}: the recorded turn holds no call")
        await off_loop(ledger.set_state, step.run_id, RunState.VALIDATING, f"step {step.step}", parts.now())
        if is_write(call):
            plan = approval_plan(parts.policy(), call, row.task.requester, row.task.approvers, row.task.ledger_epoch)
            if isinstance(plan, Denied):
                await off_loop(_record_denial, parts, step, plan)
                return Validated(step=step.step, valid=False, denied=plan.reason)
        judged = await judge_call(parts, call, row.task.graph_hash)
        findings = await off_loop(_record, parts, step, judged)
        if judged.validated is None or findings:
            return Validated(step=step.step, valid=False, write=is_write(call), findings=len(findings))
        return Validated(
            step=step.step,
            valid=True,
            write=is_write(call),
            call_digest=judged.validated.digest,
            label=_label(call),
        )


def _label(call: ProposedCall) -> str:
    target = call.path[-1].rpartition(".")[2] if call.path else call.endpoint
    return f"{verb_of(call.method).value} {label_of(target)} ({call.service})"


def _record_denial(parts: Parts, step: StepInput, denied: Denied) -> None:
    parts.ledger.note(step.run_id, "write_denied", {"step": step.step, "reason": denied.reason}, {}, parts.now())


def _record(parts: Parts, step: StepInput, judged: Judged) -> tuple[Finding, ...]:
    """Record the verdict; what speaks against the call becomes the brain's observation."""
    ledger, at = parts.ledger, parts.now()
    findings = judged.verdict.findings
    try:
        ledger.record_verdict(step.run_id, step.step, judged.verdict, judged.validated, at)
    except DigestAlreadyAsked as error:
        finding = Finding(rule="asked-before", pointer="", message=str(error))
        findings = (finding,)
        ledger.record_verdict(step.run_id, step.step, Verdict(kind="invalid", findings=findings), None, at)
    if findings:
        turn = ledger.step(step.run_id, step.step).turn
        ledger.observe(step.run_id, turn, _told(turn, judged.call, findings), at)
    return findings


def _told(turn: int, call: ProposedCall, findings: tuple[Finding, ...]) -> Observation:
    rows: list[dict[str, Any]] = [f.model_dump(mode="json") for f in findings]
    text = "; ".join(f"{f.pointer or 'call'}: {f.message}" for f in findings)
    return Observation(turn=turn, kind="invalid", call=call, text=text, data=rows)
