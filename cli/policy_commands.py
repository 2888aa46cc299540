"""``policy check`` and ``policy explain``: is the file sound, and what does it say of a given call?"""

import json
import zoneinfo
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from activities.calendars import CalendarError, resolved_deadline
from cli.context import Context, ledger_of, load_policy, named_person, now
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import print_json, say
from cli.runs import find_run
from ledger.errors import LedgerError
from mail.keywords import languages_known
from policies.lint import Finding, find_errors, find_warnings
from policies.masking import masks_of
from policies.people import persons_named
from policies.review import reminder_of
from policies.rulebook import parse_policy, policy_version
from policies.seats import chain_of
from policies.toml_lines import line_of
from policies.trust import trust_in_words, trust_of
from policies.write_gate import Denied, approval_plan, matches
from settings import SettingsError, read_toml
from wire.approval import ApprovalPlan
from wire.call import ProposedCall
from wire.policy import ApprovalRule, Policy

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))

app = typer.Typer(help="Look at a policy file: is it sound, and what does it say of a call?", no_args_is_help=True)


@app.command("check")
def check(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Policy file. Default: the one in force.")] = None,
) -> None:
    """Name every fault of a policy file with its line and what to do. Exit code 2 when the file cannot be used."""
    here: Context = context.obj
    path = file or here.settings().policy_file
    try:
        data = read_toml(path)
    except SettingsError as error:
        raise CommandError(str(error)) from error
    parsed = parse_policy(data)
    findings = _findings(parsed) if isinstance(parsed, Policy) else parsed
    text = path.read_text(encoding="utf-8")
    version = policy_version(parsed) if isinstance(parsed, Policy) else None
    if here.json:
        kept = parsed.retention_days if isinstance(parsed, Policy) else None
        shown = [_as_json(f, text) for f in findings]
        print_json({"file": str(path), "policy_version": version, "retention_days": kept, "findings": shown})
    else:
        for finding in findings:
            where = f"{path}:{line_of(text, finding.place)}"
            say(f"{where}: {finding.severity}: {finding.field}: {finding.message}: {finding.mend}")
        if isinstance(parsed, Policy):
            say(f"{path}: {_retention(parsed)}")
            for line in _trust(parsed):
                say(f"{path}: {line}")
        errors = sum(1 for finding in findings if finding.severity == "error")
        say(f"{path}: {errors} errors, {len(findings) - errors} warnings{f', version {version}' if version else ''}")
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(int(Exit.USAGE))


def _retention(policy: Policy) -> str:
    if policy.retention_days is None:
        return "retention: nothing is ever erased (retention_days says when)"
    return f"retention: a run's mails, contents and names are erased {policy.retention_days} days after it closed"


def _trust(policy: Policy) -> list[str]:
    own = {name: trust_of(policy, name) for name in policy.mailboxes}
    rest = "every other mailbox" if own else "a mailbox"
    return [
        f"{name or rest} believes a sender when {trust_in_words(t)}" for name, t in {**own, "": policy.trust}.items()
    ]


def _findings(policy: Policy) -> tuple[Finding, ...]:
    known = {"zones": zoneinfo.available_timezones(), "languages": languages_known()}
    return (*find_errors(policy), *find_warnings(policy, now=now(), **known))


def _as_json(finding: Finding, text: str) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "line": line_of(text, finding.place),
        "field": finding.field,
        "message": finding.message,
        "mend": finding.mend,
    }


@app.command("explain")
def explain(
    context: typer.Context,
    method: Annotated[str, typer.Option(help="POST, PATCH, PUT, DELETE or ACTION.")] = "POST",
    service: Annotated[str, typer.Option(metavar="SERVICE")] = "",
    endpoint: Annotated[str, typer.Option(metavar="ENTITYSET", help="EntitySet or operation.")] = "",
    payload: Annotated[str, typer.Option(metavar="JSON", help="The call's content, or @FILE.")] = "",
    key: Annotated[str, typer.Option(metavar="JSON", help="The key of what is changed.")] = "",
    run: Annotated[str, typer.Option(metavar="RUN", help="Explain the call that a run proposed instead.")] = "",
    step: Annotated[int, typer.Option(min=1, help="Of that run.")] = 1,
    requester: Annotated[str, typer.Option(metavar="PERSON", help="Who asks (id or address).")] = "",
    at: Annotated[str, typer.Option(metavar="INSTANT", help="When it is asked. Default: now.")] = "",
) -> None:
    """Which rule covers a call, who must approve it by when, and why. Exit code 1 when nobody may."""
    here: Context = context.obj
    settings = here.settings()
    policy = load_policy(settings)
    narrowed: tuple[str, ...] = ()
    if run:
        with ledger_of(settings) as ledger:
            row = find_run(ledger, run)
            if row.erased_at is not None:
                raise CommandError(f"{row.run_id} was erased by policy, its calls with it", Exit.NOT_FOUND)
            try:
                found = ledger.proposal(row.run_id, step).call
            except LedgerError as error:
                raise CommandError(f"{error}: 'starter.py show {run}' has its steps", Exit.NOT_FOUND) from error
        if found is None:
            raise CommandError(f"{row.run_id} proposed no call in step {step}", Exit.NOT_FOUND)
        call, asker, narrowed = found, requester or row.task.requester, row.task.approvers
    else:
        call, asker = _call(method, service, endpoint, payload, key), requester
    asker = named_person(policy, asker).id if asker else (policy.requesters or ("",))[0]
    try:
        told = _explained(policy, call, asker, narrowed, _instant(at))
    except OverflowError as error:
        raise CommandError(
            f"--at {at}: no deadline can be counted from there; name an instant nearer to now"
        ) from error
    believed = trust_in_words(trust_of(policy, settings.imap.user))
    told |= {"believed_when": believed, "text": [*told["text"], f"  an answer is believed when {believed}"]}
    if here.json:
        print_json(told)
    else:
        for line in told["text"]:
            say(line)
    if told["denied"]:
        raise typer.Exit(int(Exit.FAILED))


def _call(method: str, service: str, endpoint: str, payload: str, key: str) -> ProposedCall:
    if not service or not endpoint:
        raise CommandError(
            "name the call: --service and --endpoint (and --payload for its content), or --run and --step"
        )
    fields: dict[str, Any] = {"method": method.upper(), "service": service, "endpoint": endpoint}
    fields |= {"payload": _json(payload, "--payload"), "key": _json(key, "--key")}
    try:
        return ProposedCall.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise CommandError(f"--{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _json(text: str, option: str) -> Any:
    if not text:
        return None
    try:
        content = Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
        return json.loads(content)
    except ValueError as error:
        raise CommandError(f"{option}: no JSON ({error})") from error


def _instant(text: str) -> datetime:
    if not text:
        return now()
    try:
        given = datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"--at {text}: no instant; write 2026-11-02T09:00:00+01:00") from error
    return given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)


def _explained(
    policy: Policy, call: ProposedCall, requester: str, narrowed: tuple[str, ...], at: datetime
) -> dict[str, Any]:
    """Everything that policy says of the call, for programs and (``text``) for people."""
    text = [f"{call.method} {call.service}/{call.endpoint}, asked for by {requester}, policy {policy_version(policy)}"]
    rules: list[dict[str, Any]] = []
    rule: ApprovalRule | None = None
    for match in matches(policy, call):
        said = {True: "matches", False: "does not match", None: "cannot be judged"}[match.matches]
        rules.append({"rule": match.rule.id, "matches": match.matches, "why": match.why})
        text.append(f"  rule {match.rule.id} {said}: {match.why}")
        if match.matches is not False:
            rule = match.rule
            break
    plan = approval_plan(policy, call, requester, narrowed, "")
    told: dict[str, Any] = {"policy_version": policy_version(policy), "rules": rules, "denied": None}
    masked = masks_of(policy, call.service, call.endpoint).items
    told |= {"masks": [mask.model_dump(mode="json") for mask in masked]}
    text += [f"  mask {mask.id} hides {', '.join(mask.properties)} from mails (shows {mask.show})" for mask in masked]
    try:
        if isinstance(plan, Denied) or rule is None:
            raise CalendarError(plan.reason if isinstance(plan, Denied) else "no rule")
        deadline = resolved_deadline(policy, plan, at)
    except CalendarError as error:
        return told | {"denied": str(error), "text": [*text, f"  nobody may approve it: {error}"]}
    told |= {"plan": plan.model_dump(mode="json"), "deadline": deadline.isoformat()}
    return told | {"text": [*text, *_plan_lines(policy, rule, plan, at, deadline)]}


def _plan_lines(policy: Policy, rule: ApprovalRule, plan: ApprovalPlan, at: datetime, deadline: datetime) -> list[str]:
    lines = [f"  approvals needed: {plan.quorum} of {len(plan.approvers)}"]
    for approver in plan.approvers:
        local = deadline.astimezone(zoneinfo.ZoneInfo(approver.timezone))
        lines.append(f"    {approver.name} <{approver.address}>, by {local:%a %Y-%m-%d %H:%M} {approver.timezone}")
    reminder = reminder_of(at, deadline, plan.reminder_share)
    hours = _long(plan.window_seconds, _UNITS[1:] if plan.calendar else _UNITS)
    within = f" of working time by calendar {plan.calendar}" if plan.calendar else ""
    lines.append(
        f"  deadline {deadline:%Y-%m-%d %H:%M:%S} UTC ({hours}{within}), reminder {reminder:%Y-%m-%d %H:%M:%S} UTC"
    )
    late = _long(plan.tail_seconds)
    lines.append(f"  unanswered: {plan.on_deadline}, at most {plan.max_reviews} reviews, late answers for {late} more")
    chain = [rule.escalate_to, *rule.escalate_further] if rule.on_deadline == "escalate" else []
    lines += [f"  then asked ({n}): {', '.join(persons_named(policy, line))}" for n, line in enumerate(chain, 1)]
    return [*lines, f"  undeliverable: {_where_mail_fails(policy, rule)}"]


def _long(seconds: int, units: Sequence[tuple[int, str]] = _UNITS) -> str:
    """A duration in the largest unit that divides it: ``8 hours``, ``7 days``, ``90 seconds``."""
    size, unit = next(((n, u) for n, u in units if seconds and seconds % n == 0), (1, "second"))
    return f"{seconds // size} {unit}{'' if seconds == size else 's'}"


def _where_mail_fails(policy: Policy, rule: ApprovalRule) -> str:
    """What follows when mail does not reach enough of those asked."""
    if rule.on_undeliverable == "operator":
        return "an operator is told and decides"
    further = [", ".join(line) for line in chain_of(policy, rule)[1:]]
    deputies = persons_named(policy, rule.deputies) if rule.quorum != "all" else ()
    steps = [
        "their other addresses",
        *further,
        *([f"{', '.join(deputies)} (deputies)"] if deputies else []),
        "an operator",
    ]
    return ", then ".join(steps)
