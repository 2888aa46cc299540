"""``refused list``, ``show`` and ``resolve``: mail that was not believed. It can be dropped, judged again or asked again."""

from typing import Annotated, Any, Literal

import typer

from cli.context import Context, ledger_of, load_policy, now, operator_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.nudge import nudge
from cli.output import print_json, say, table
from cli.runs import find_run
from ledger.errors import LedgerError
from ledger.judging import IncomingMail
from ledger.records import MailRow
from ledger.store import Ledger
from mail.authenticity import check_authenticity
from mail.cleaning import clean_line, clean_lines
from mail.dkim_check import Resolve, no_dns
from mail.headers import decode_words, read_headers
from mail.reply_parser import parse_reply
from policies.trust import trust_of
from settings import Settings
from wire.policy import Policy

app = typer.Typer(help="Mail that was not believed.", no_args_is_help=True)
FEWEST = 6
SHOWN = ("from", "sender", "reply-to", "to", "subject", "date", "message-id", "in-reply-to", "authentication-results")
Mail = Annotated[str, typer.Argument(metavar="MAIL", help="Digest of the mail, or its beginning (6 letters or more).")]


@app.command("list")
def list_refused(
    context: typer.Context,
    run: Annotated[str, typer.Option(metavar="RUN", help="Only of this run.")] = "",
    all_mails: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
) -> None:
    """Refused and colliding mails that nobody has resolved."""
    here: Context = context.obj
    with ledger_of(here.settings()) as ledger:
        rows = ledger.refused_mails(find_run(ledger, run).run_id if run else None, resolved=all_mails)
    if here.json:
        print_json([row.model_dump(mode="json") for row in rows])
    elif not rows:
        say("no refused mail is waiting")
    else:
        lines = [
            (r.raw_digest[:12], r.run_id, r.outcome.value, f"{r.received_at:%m-%d %H:%M}", clean_line(r.reason, 100))
            for r in rows
        ]
        table(("mail", "run", "outcome", "received (UTC)", "why"), lines)


@app.command("show")
def show(context: typer.Context, mail: Mail) -> None:
    """Headers and written text of a refused mail, made harmless: no link, no HTML, no control character."""
    here: Context = context.obj
    settings = here.settings()
    policy = load_policy(settings)
    with ledger_of(settings) as ledger:
        row = _found(ledger, mail)
        raw = _raw(ledger, row)
    headers = read_headers(raw)
    shown = {name: [clean_line(decode_words(value), 300) for value in headers.all(name)] for name in SHOWN}
    parsed = parse_reply(raw, languages=policy.languages, own_addresses=(settings.mail_from,))
    said = [line for line in (clean_line(parsed.keyword), *clean_lines(parsed.comment, 2000)) if line][:40]
    if here.json:
        print_json({"mail": row.model_dump(mode="json"), "headers": shown, "written": said, "size": len(raw)})
        return
    say(f"{row.raw_digest}: {row.outcome.value}, check {row.check}: {clean_line(row.reason, 300)}")
    say(
        f"run {row.run_id}, step {row.step or '-'}, review {'-' if row.review is None else row.review}, {len(raw)} bytes"
    )
    for name, values in shown.items():
        for value in values:
            say(f"  {name}: {value}")
    say("  written:")
    for line in said or ["(nothing that could be read)"]:
        say(f"  | {line}")


@app.command("resolve")
def resolve(
    context: typer.Context,
    mail: Mail,
    how: Annotated[
        str, typer.Option(metavar="HOW", help="discard, judge (what would it be now?) or ask (the approvers).")
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; stands in the audit trail.")],
) -> None:
    """Say what became of a refused mail. It is never accepted: who meant yes is asked to say it again."""
    here: Context = context.obj
    settings = here.settings()
    policy = load_policy(settings)
    person, _ = operator_of(policy)
    chosen = _how(how)
    if not reason.strip():
        raise CommandError("the reason is empty: say why, it is what auditors will read")
    with ledger_of(settings, policy) as ledger:
        row = _found(ledger, mail)
        details: dict[str, Any] = {"mail": row.raw_digest, "how": chosen}
        if chosen == "judge":
            details |= {"now": _judged_now(settings, policy, ledger, row)}
        ledger.remark(row.run_id, "resolve", person.id, "operator", reason, details, now())
        if chosen == "ask":
            details |= {"reminded": list(nudge(ledger, ledger.run(row.run_id), "", now()))}
    if here.json:
        print_json(details)
    else:
        asked = ", ".join(details.get("reminded", ())) or "nobody: nothing waits there, or they were reminded before"
        more = {"judge": f"; now it would be {details.get('now')}", "ask": f"; reminded: {asked}"}.get(chosen, "")
        say(f"{row.raw_digest[:12]}: resolved ({chosen}){more}")


def _how(text: str) -> Literal["discard", "judge", "ask"]:
    if text not in ("discard", "judge", "ask"):
        raise CommandError(f"--how {text}: discard, judge or ask")
    return "judge" if text == "judge" else "ask" if text == "ask" else "discard"


def _judged_now(settings: Settings, policy: Policy, ledger: Ledger, row: MailRow) -> str:
    """The outcome under policy as it is, in words; nothing follows from it."""
    raw = _raw(ledger, row)
    parsed = parse_reply(raw, languages=policy.languages, own_addresses=(settings.mail_from,))
    resolve: Resolve = no_dns
    trust = trust_of(policy, settings.imap.user)
    if trust.mode == "dkim":
        from mail.dns import make_resolver  # loads a resolver, which no other command needs

        resolve = make_resolver()
    proof = check_authenticity(raw, trust, resolve)
    known = {"received_at": row.received_at, "mailbox": settings.imap.user}
    incoming = IncomingMail(raw=raw, parsed=parsed, authenticity=proof, **known)
    ruling = ledger.would_rule(incoming, policy, now())
    return "untouched" if ruling is None else f"{ruling.outcome.value} ({clean_line(ruling.reason, 200)})"


def _found(ledger: Ledger, digest: str) -> MailRow:
    if len(digest) < FEWEST:
        raise CommandError(f"{digest}: name a refused mail by {FEWEST} letters or more of its digest")
    fitting = [row for row in ledger.refused_mails(resolved=True) if row.raw_digest.startswith(digest)]
    if len(fitting) != 1:
        said = "no refused mail begins" if not fitting else f"{len(fitting)} refused mails begin"
        raise CommandError(f"{said} with {digest}: 'starter.py refused list --all' shows them", Exit.NOT_FOUND)
    return fitting[0]


def _raw(ledger: Ledger, row: MailRow) -> bytes:
    try:
        return ledger.raw_mail(row.raw_digest)
    except LedgerError as error:
        raise CommandError(str(error)) from error
