"""``audit``: which run, which mail, which rule, who, which bytes, which model answer; from records alone, and verified.

The same answer is drawn from the ledger or, offline, from an exported record: a folder with ``events.jsonl`` and
``content/<sha256>``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from cli.context import Context, ledger_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.masked import masker
from cli.output import print_json, say
from cli.runs import find_run
from ledger.account import EffectAccount, account_for
from ledger.audit import chain_faults
from ledger.erasure_record import erased_contents, erasure_faults, erasure_lines
from ledger.errors import LedgerError
from ledger.store import Ledger
from ledger.verification import content_names
from policies.canonical import sha256_hex
from wire.audit import AuditEvent, ChainVerdict
from wire.call import ValidatedCall

Events = tuple[AuditEvent, ...]
Content = Callable[[str], bytes]
BY_ITSELF = (
    "a record alone cannot show that its end was cut off or all of it written anew: compare the head with the ledger's"
)


def audit(
    context: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or its beginning; not with --exported.")] = "",
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write the whole record (events and every content by digest) into this new folder."
        ),
    ] = None,
    exported: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Judge an exported record instead of the ledger: no ledger, no server needed."
        ),
    ] = None,
    unmasked: Annotated[bool, typer.Option("--unmasked", help="Show values that the policy masks.")] = False,
) -> None:
    """Answer for every write of a run from records alone, and verify the hash chain. Exit 11 when it is not intact."""
    here: Context = context.obj
    if exported is not None and (run_id or export is not None):
        raise CommandError("--exported judges a folder alone: leave out the run and --export")
    if exported is not None:
        verdict, lines, facts = _of_export(exported)
    elif not run_id:
        raise CommandError("name a run, or a folder with --exported")
    else:
        with ledger_of(here.settings()) as ledger:
            row = find_run(ledger, run_id)
            if export is not None:
                _export(ledger, row.run_id, export)
            verdict, lines, facts = of_ledger(ledger, row.run_id)
            lines = lines if unmasked else [masker(here.settings(), ledger, row.run_id)(line) for line in lines]
    if here.json:
        print_json({"chain": verdict, **facts})
    else:
        for line in lines:
            say(line)
    if not verdict.intact:
        raise typer.Exit(int(Exit.NOT_INTACT))


def of_ledger(ledger: Ledger, run_id: str) -> tuple[ChainVerdict, list[str], dict[str, Any]]:
    """Verdict, lines for people and facts for programs, from the ledger."""
    verdict, events = ledger.verify(run_id), ledger.trail(run_id)
    return verdict, *_account(verdict, events, ledger.get)


def _of_export(folder: Path) -> tuple[ChainVerdict, list[str], dict[str, Any]]:
    """The same from an exported record. What the folder cannot show is a fault of the record."""
    file = folder / "events.jsonl"
    if not file.is_file():
        raise CommandError(
            f"{file}: no such file; --exported takes a folder that 'audit RUN --export' wrote", Exit.NOT_FOUND
        )
    events = _events_in(file)
    faults = chain_faults(events, len(events), events[-1].hash) or erasure_faults(events)

    def content(digest: str) -> bytes:
        return (folder / "content" / digest).read_bytes()

    erased = erased_contents(events)
    for event, role, digest in content_names(events):
        fault = "" if digest in erased else _content_fault(content, digest)
        faults += [f"event {event.seq} ({event.kind}), {role}: content {digest} {fault}"] if fault else []
    run_id = events[0].run_id
    verdict = ChainVerdict(
        run_id=run_id, events=len(events), intact=not faults, faults=tuple(faults), erased=erasure_lines(events)
    )
    told, facts = _account(verdict, events, content)
    return verdict, [*told, *([] if faults else [BY_ITSELF])], facts


def _events_in(file: Path) -> Events:
    """What is no event, or none at all, was not written by ``--export``."""
    events = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            events.append(AuditEvent.model_validate_json(line))
        except ValidationError as error:
            said = error.errors()[0]["msg"]
            raise CommandError(f"{file}:{number}: altered, no event ({said})", Exit.NOT_INTACT) from error
    if not events:
        raise CommandError(f"{file}: holds no event; the record is not whole", Exit.NOT_INTACT)
    return tuple(events)


def _content_fault(content: Content, digest: str) -> str:
    try:
        return "" if sha256_hex(content(digest)) == digest else "was altered"
    except OSError:
        return "is missing"


def _account(verdict: ChainVerdict, events: Events, content: Content) -> tuple[list[str], dict[str, Any]]:
    writes = account_for(events)
    lines = [*_head(events)]
    for write in writes:
        lines += _describe(write, events, content, erased=bool(verdict.erased))
    lines += _not_sent(events, {(w.step, w.review) for w in writes})
    head = events[-1].hash if events else ""
    lines += _describe_chain(verdict, head)
    return lines, {"run_id": verdict.run_id, "head": head, "writes": [w.model_dump(mode="json") for w in writes]}


def _head(events: Events) -> list[str]:
    said = next((e.payload for e in events if e.kind == "run_registered"), {})
    end = next((e.payload["state"] for e in reversed(events) if e.kind == "run_closed"), "open")
    run_id = events[0].run_id if events else "?"
    return [
        f"run {run_id}: {end}, asked by {said.get('requester')} ({said.get('requester_source', 'erased')})",
        f"graph {said.get('graph_hash')}, policy {said.get('policy_version')}, brain {said.get('brain')}",
    ]


def _describe(write: EffectAccount, events: Events, content: Content, *, erased: bool) -> list[str]:
    """One write in lines."""
    lines = [
        f"step {write.step}, review {write.review}: {_outcome(write)}",
        *(["  bytes     erased by policy"] if erased else _bytes(write, content)),
    ]
    if write.settled:
        lines.append(f"  settled   {write.settled}")
    lines.append(f"  digest    {write.call_digest}")
    if write.origin is not None:
        for brain, model, prompt, stage in write.origin.exchanges:
            lines.append(f"  proposed  turn {write.origin.turn} by {brain} {model}, prompt {prompt}, {stage}")
        lines.append(
            f"  recorded  the agent's turn {write.origin.turn_digest}, its context {write.origin.context_digest}"
        )
    lines.append(
        f"  rule      {write.rule_id} of policy {write.policy_version}, {write.quorum} of {', '.join(write.asked)}"
    )
    lines += _mails(write, events)
    for vote in write.approvals:
        behalf = f" for {vote.principal}" if vote.principal not in ("", vote.person) else ""
        vouched = vote.method or ("(erased)" if erased else "")
        lines.append(f"  approved  by {vote.person}{behalf}, received {vote.received_at}, vouched for by {vouched}")
        lines.append(f"  mail      {vote.evidence_id}")
    return lines


def _outcome(write: EffectAccount) -> str:
    """As it stands; what nobody can prove must not read like a proof."""
    said = write.outcome or "outcome not recorded"
    return f"{said} (NOT PROVEN: on a person's word)" if write.settled else said


def _bytes(write: EffectAccount, content: Content) -> list[str]:
    try:
        request = ValidatedCall.model_validate_json(content(write.validated_digest)).request
    except (LedgerError, OSError, ValueError) as error:
        return [f"  bytes     not in the record: {error}"]
    return [f"  bytes     {request.method} {request.service}/{request.path} {request.body or ''}".rstrip()]


def _mails(write: EffectAccount, events: Events) -> list[str]:
    here = {"step": write.step, "review": write.review}
    taken = [e for e in events if e.kind == "request_accepted" and here.items() <= e.payload.items()]
    return [
        f"  asked     by <{e.payload['message_id']}>, accepted {e.at:%Y-%m-%d %H:%M:%S} UTC, copy {e.payload['copy']}"
        for e in taken
    ]


def _not_sent(events: Events, sent: set[tuple[int, int]]) -> list[str]:
    """Reviews that were asked for and never dispatched, with every mail that answered them."""
    lines = []
    still = "the call was never sent" if any(e.kind == "run_closed" for e in events) else "the call was not sent so far"
    for asked in (e.payload for e in events if e.kind == "request_created"):
        here = {"step": asked["step"], "review": asked["review"]}
        if (asked["step"], asked["review"]) in sent:
            continue
        lines.append(
            f"step {asked['step']}, review {asked['review']}: asked of {', '.join(asked['approvers'])}, {still}"
        )
        lines.append(f"  digest    {asked['call_digest']}, rule {asked['rule_id']} of policy {asked['policy_version']}")
        for said in (e.payload for e in events if e.kind == "mail_judged" and here.items() <= e.payload.items()):
            who = said["person"] or "somebody"
            why = said.get("reason", "(erased)")
            lines.append(f"  {said['outcome']:<9} {why}, by {who}, received {said['received_at']}")
            lines.append(f"  mail      {said['content']['raw']}")
    return lines


def _describe_chain(verdict: ChainVerdict, head: str) -> list[str]:
    if verdict.intact:
        return [*verdict.erased, f"chain of {verdict.events} events: intact, head {head}"]
    faults = (f"  {fault}" for fault in verdict.faults)
    return [*verdict.erased, f"chain of {verdict.events} events: NOT INTACT", *faults]


def _export(ledger: Ledger, run_id: str, folder: Path) -> None:
    """Events as JSON lines, and one file per content that was not erased, named by its digest. The folder must not exist."""
    try:
        (folder / "content").mkdir(parents=True)
    except FileExistsError as error:
        raise CommandError(f"{folder} exists: name a new folder to export into") from error
    events = ledger.trail(run_id)
    for digest in sorted({digest for _, _, digest in content_names(events)} - erased_contents(events)):
        (folder / "content" / digest).write_bytes(ledger.get(digest))
    (folder / "events.jsonl").write_text("".join(e.model_dump_json() + "\n" for e in events), encoding="utf-8")
