"""What operators do to runs: see who is waited for, ask again, give more time, shift a seat, release or confirm a halt, note.

Every act needs a person of policy's ``operators``, a reason, and stands in the audit chain. None of them accepts anything.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from cli.context import Context, actor_of, ledger_of, load_policy, named_person, now, operator_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.follow import PARKED
from cli.masked import masker
from cli.nudge import nudge
from cli.output import print_json, say, table
from cli.runs import find_run
from ledger.errors import ActRefused, LedgerError, RunClosed
from ledger.operator_acts import AskingAgain
from ledger.records import RequestRow, RunRow
from ledger.store import Ledger
from policies.run_rules import Change, check_change
from wire.approval import RequestStatus
from wire.policy import Person, Policy
from wire.task import FINAL_STATES, RunState

Run = Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning (7 letters or more).")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; stands in the audit trail and in the mails.")]
OPEN_STATES = tuple(state for state in RunState if state not in FINAL_STATES)
MOST_OPEN = 100_000
Work = Callable[[Ledger, Policy, Person, RunRow], dict[str, Any]]


def waiting(
    context: typer.Context,
    person: Annotated[str, typer.Option(metavar="PERSON", help="Only what waits for this person.")] = "",
) -> None:
    """What waits for whom, since when and until when; overdue and halted runs stand first."""
    here: Context = context.obj
    settings = here.settings()
    policy = load_policy(settings)
    who = named_person(policy, person).id if person else ""
    wanted = {who, "operator"} if who in policy.operators else {who} if who else set()
    # All of them in one view: a run that moves on meanwhile stands once in the list.
    with ledger_of(settings) as ledger, ledger.together():
        runs = ledger.runs(OPEN_STATES, MOST_OPEN)
        shown = {run.run_id: str if here.json else masker(settings, ledger, run.run_id) for run in runs}
        rows = [row for run in runs for row in _waits(ledger, run, wanted, shown[run.run_id])]
    rows.sort(key=lambda row: (row["until"] or "", row["run_id"]))
    if here.json:
        print_json(rows)
    elif not rows:
        say("nothing waits for anybody")
    else:
        table(
            ("run", "state", "step.review", "for", "since (UTC)", "until (UTC)", "what"),
            [
                (
                    r["run_id"],
                    r["state"],
                    f"{r['step']}.{r['review']}" if r["step"] else "-",
                    r["for"],
                    _short(r["since"]),
                    _short(r["until"]),
                    r["what"],
                )
                for r in rows
            ],
        )


def _waits(ledger: Ledger, run: RunRow, wanted: set[str], shown: Callable[[str], str]) -> list[dict[str, Any]]:
    """One row for each seat that has not answered; one for the operators when a run stands for them; none while it works."""
    fields: dict[str, Any] = {"run_id": run.run_id, "state": run.state.value, "what": shown(run.task.goal)[:70]}
    newest = [r for r in ledger.requests(run.run_id) if r.is_live][-1:]
    rows = []
    if run.state in PARKED:
        at = {"step": newest[0].step, "review": newest[0].review} if newest else {"step": 0, "review": 0}
        rows = [fields | at | {"for": "operator", "since": run.state_at.isoformat(), "until": None}]
        rows[0]["what"] = shown(run.detail) or rows[0]["what"]
    for request in newest if not rows else []:
        if request.status not in (RequestStatus.COMPOSED, RequestStatus.SENT):
            continue
        answered = set(ledger.principals(run.run_id, request.step, request.review))
        for seat in request.plan.approvers:
            if seat.person not in answered:
                times = {"since": request.accepted_at or request.composed_at, "until": request.deadline}
                rows.append(_row(fields, request, seat.person, times))
    return [row for row in rows if not wanted or row["for"] in wanted]


def _row(fields: dict[str, Any], request: RequestRow, person: str, times: dict[str, datetime]) -> dict[str, Any]:
    said = {name: at.isoformat() for name, at in times.items()}
    return fields | {"step": request.step, "review": request.review, "for": person} | said


def _short(instant: str | None) -> str:
    return f"{datetime.fromisoformat(instant):%m-%d %H:%M}" if instant else "-"


def reissue(context: typer.Context, run_id: Run, reason: Reason) -> None:
    """Ask the approvers afresh: a new mail, a new window. Earlier answers to this step do not count any more."""
    act_on_run(
        context, run_id, reason, lambda ledger, policy, person, row: _again(ledger, row, "reissue", person, reason, {})
    )


def extend(
    context: typer.Context,
    run_id: Run,
    hours: Annotated[float, typer.Option(min=0.01, max=24 * 90, help="Window from now on, in hours.")],
    reason: Reason,
) -> None:
    """Give the approvers more time: they are asked afresh with this window, since the deadline stands in the mail."""
    details = {"window_seconds": round(hours * 3600)}
    act_on_run(
        context,
        run_id,
        reason,
        lambda ledger, policy, person, row: _again(ledger, row, "extend", person, reason, details),
    )


def delegate(
    context: typer.Context,
    run_id: Run,
    from_person: Annotated[str, typer.Option("--from", metavar="PERSON", help="Whose seat it is.")],
    to_person: Annotated[str, typer.Option("--to", metavar="PERSON", help="Who answers for them in this run.")],
    hours: Annotated[float, typer.Option(min=0.01, max=24 * 365, help="For how long, in hours.")],
    reason: Reason,
) -> None:
    """Let somebody answer for an approver in this run, for a time. The seat stays the approver's and counts once."""
    until = (now() + timedelta(hours=hours)).isoformat()
    act_on_run(context, run_id, reason, _shift("delegate", from_person, to_person, reason, {"until": until}))


def replace(
    context: typer.Context,
    run_id: Run,
    from_person: Annotated[str, typer.Option("--from", metavar="PERSON", help="Who is asked now.")],
    to_person: Annotated[str, typer.Option("--to", metavar="PERSON", help="Who is asked instead.")],
    reason: Reason,
) -> None:
    """Ask somebody else in an approver's place, whom the rule names as approver, in its escalation chain or as a deputy."""
    act_on_run(context, run_id, reason, _shift("replace", from_person, to_person, reason, {}))


def _shift(kind: AskingAgain, giver: str, taker: str, reason: str, more: dict[str, str]) -> Work:
    def work(ledger: Ledger, policy: Policy, person: Person, row: RunRow) -> dict[str, Any]:
        given, taken = named_person(policy, giver).id, named_person(policy, taker).id
        if person.id in (given, taken):
            raise CommandError(f"{person.id} cannot shift a seat of their own: another operator must")
        if taken == row.task.requester:
            raise CommandError(f"{taken} asked for this run and so cannot approve in it")
        reviews = ledger.requests(row.run_id)
        if not reviews:
            raise CommandError(f"{row.run_id} has asked nobody yet")
        call = ledger.proposal(row.run_id, reviews[-1].step).call
        change = Change("replace" if kind == "replace" else "delegate", given, taken, now())
        asked = tuple(seat.person for seat in reviews[-1].plan.approvers)
        fault = "its step holds no call" if call is None else check_change(policy, call, asked, change)
        if fault:
            raise CommandError(fault)
        return _again(ledger, row, kind, person, reason, {"from": given, "to": taken} | more)

    return work


def _again(
    ledger: Ledger, row: RunRow, kind: AskingAgain, person: Person, reason: str, details: dict[str, Any]
) -> dict[str, Any]:
    ended = ledger.ask_again(row.run_id, kind, person.id, reason, details, now())
    said = f"step {ended.step}, review {ended.review} has ended; the approvers are asked afresh"
    return {"step": ended.step, "ended_review": ended.review, "said": said}


def release(context: typer.Context, run_id: Run, reason: Reason) -> None:
    """Lift a halt: what was waiting is asked afresh, no decision comes back; who releases cannot approve in this run."""

    def work(ledger: Ledger, policy: Policy, person: Person, row: RunRow) -> dict[str, Any]:
        halting = [block for block in ledger.blocks(row.run_id) if block.kind not in ("cancel", "rejected")]
        if not halting:
            raise CommandError(f"{row.run_id} is not halted: there is nothing to release")
        ledger.release(row.run_id, person.id, reason, now())
        return {"lifted": [block.kind for block in halting], "said": "released; what was waiting is asked afresh"}

    act_on_run(context, run_id, reason, work)


def confirm(context: typer.Context, run_id: Run, reason: Reason) -> None:
    """A halt is right: the run ends and its requests are withdrawn."""

    def work(ledger: Ledger, policy: Policy, person: Person, row: RunRow) -> dict[str, Any]:
        ledger.confirm(row.run_id, person.id, reason, now())
        return {"said": "the halt is confirmed; the run ends"}

    act_on_run(context, run_id, reason, work)


def note(
    context: typer.Context,
    run_id: Run,
    text: Annotated[str, typer.Option(metavar="TEXT", help="What was heard, and where.")],
    person: Annotated[str, typer.Option(metavar="PERSON", help="Who is said to have said it.")] = "",
) -> None:
    """Record hearsay ("looks good" in a chat). It decides nothing; the approver is reminded once to answer by mail."""

    def work(ledger: Ledger, policy: Policy, actor: Person, row: RunRow) -> dict[str, Any]:
        about = named_person(policy, person).id if person else ""
        role = "operator" if actor.id in policy.operators else "requester"
        ledger.remark(row.run_id, "note", actor.id, role, text, {"about": about} if about else {}, now())
        reminded = nudge(ledger, row, about, now())
        told = f"; reminded: {', '.join(reminded)}" if reminded else ""
        return {"reminded": list(reminded), "said": f"noted; it decides nothing{told}"}

    act_on_run(context, run_id, text, work, records_only=True)


def act_on_run(
    context: typer.Context,
    run_id: str,
    reason: str,
    work: Work,
    *,
    records_only: bool = False,
) -> None:
    """Carry out an act of somebody who may, and say what came of it.

    ``records_only``: it changes nothing, so that the requester may do it as well, and after the end of the run.
    """
    here: Context = context.obj
    if not reason.strip():
        raise CommandError("the reason is empty: say why, it is what approvers and auditors will read")
    settings = here.settings()
    policy = load_policy(settings)
    with ledger_of(settings, policy) as ledger:
        row = find_run(ledger, run_id)
        person = actor_of(policy, row.task.requester)[0] if records_only else operator_of(policy)[0]
        if row.state in FINAL_STATES and not records_only:
            raise CommandError(
                f"{row.run_id} has ended ({row.state.value}): nothing can be done to it", Exit.ALREADY_CLOSED
            )
        try:
            done = work(ledger, policy, person, row)
        except RunClosed as error:
            raise CommandError(str(error), Exit.ALREADY_CLOSED) from error
        except (ActRefused, LedgerError) as error:
            raise CommandError(str(error)) from error
    if here.json:
        print_json({"run_id": row.run_id, **done})
    else:
        say(f"{row.run_id}: {done['said']}")
