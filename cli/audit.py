"""``audit``: which run, which mail, which rule, who, which bytes, which model answer; from records alone, and verified."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.context import Context, ledger_of
from cli.exit_codes import Exit
from cli.output import print_json, say
from cli.runs import find_run
from ledger.records import EffectRow, RunRow
from ledger.store import Ledger
from wire.agent import Turn
from wire.audit import ChainVerdict
from wire.call import PreparedRequest


@dataclass(frozen=True)
class WriteRecord:
    """All that stands behind one write."""

    effect: EffectRow
    request: PreparedRequest | None
    turn: Turn
    rule: str
    policy_version: str
    mails: tuple[dict[str, Any], ...]
    decisions: tuple[dict[str, Any], ...]


def audit(
    context: typer.Context,
    run_id: Annotated[str, typer.Argument(help="Run id, or its first letters.")],
    export: Annotated[
        Path | None,
        typer.Option(help="Write the whole record (events and every content by digest) into this new folder."),
    ] = None,
) -> None:
    """Answer for every write of a run from the ledger alone, and verify its hash chain. Exit 11 when it is not intact."""
    here: Context = context.obj
    settings = here.settings()
    with ledger_of(settings) as ledger:
        row = find_run(ledger, run_id)
        if export is not None:
            _export(ledger, row.run_id, export)
        if here.json:
            verdict = ledger.verify(row.run_id)
            writes = [_plain(w) for w in write_records(ledger, row.run_id)]
            print_json({"run_id": row.run_id, "state": row.state.value, "chain": verdict, "writes": writes})
        else:
            verdict, lines = audit_lines(ledger, row)
            for line in lines:
                say(line)
    if not verdict.intact:
        raise typer.Exit(int(Exit.NOT_INTACT))


def audit_lines(ledger: Ledger, row: RunRow) -> tuple[ChainVerdict, list[str]]:
    """The answer in words, with the verdict on the chain."""
    verdict = ledger.verify(row.run_id)
    lines = [f"run {row.run_id}: {row.state.value}, asked by {row.task.requester} ({row.request.requester_source})"]
    lines.append(f"graph {row.task.graph_hash}, policy {row.task.policy_version}, brain {row.task.brain}")
    for write in write_records(ledger, row.run_id):
        lines += describe_write(write)
    return verdict, lines + describe_chain(verdict)


def write_records(ledger: Ledger, run_id: str) -> list[WriteRecord]:
    """All writes of a run with what stands behind each."""
    return [_write_record(ledger, effect) for effect in ledger.effects(run_id)]


def _write_record(ledger: Ledger, effect: EffectRow) -> WriteRecord:
    request = ledger.request(effect.run_id, effect.step, effect.review)
    validated = ledger.validated(effect.run_id, effect.step)
    mails: tuple[dict[str, Any], ...] = ()
    if request is not None:
        mails = tuple(
            {
                "to": m.address,
                "message_id": m.message_id,
                "accepted_at": m.accepted_at,
                "copies": m.copies,
                "says": m.content_digest,
            }
            for m in request.mails
        )
    decisions = tuple(
        {
            "person": d.person,
            "outcome": d.outcome.value,
            "received_at": d.received_at,
            "raw_mail": d.evidence_id,
            "policy_version": d.policy_version,
        }
        for d in ledger.decisions(effect.run_id)
        if (d.step, d.review) == (effect.step, effect.review)
    )
    return WriteRecord(
        effect=effect,
        request=validated.request if validated and validated.digest == effect.call_digest else None,
        turn=ledger.proposal(effect.run_id, effect.step),
        rule=request.plan.rule_id if request else "",
        policy_version=request.policy_version if request else "",
        mails=mails,
        decisions=decisions,
    )


def describe_write(write: WriteRecord) -> list[str]:
    """One write in lines."""
    effect, request = write.effect, write.request
    lines = [f"step {effect.step}, review {effect.review}: {effect.outcome or 'outcome not recorded'}"]
    if request is not None:
        lines.append(f"  bytes     {request.method} {request.service}/{request.path} {request.body or ''}".rstrip())
    lines.append(f"  digest    {effect.call_digest}, repeatability id {effect.repeatability_id}")
    lines += [
        f"  proposed  by {x.brain} {x.model}, prompt {x.prompt_version}, stage {x.stage}" for x in write.turn.exchanges
    ]
    lines.append(f"  rule      {write.rule} of policy {write.policy_version}")
    for mail in write.mails:
        copies = "" if mail["copies"] == 1 else f" ({mail['copies']} copies)"
        lines.append(f"  asked     {mail['to']} by <{mail['message_id']}>, accepted {mail['accepted_at']}{copies}")
    for decision in write.decisions:
        said = f"{decision['outcome']} by {decision['person']}, received {decision['received_at']}"
        lines.append(f"  decision  {said}, raw mail {decision['raw_mail']}")
    return lines


def describe_chain(verdict: ChainVerdict) -> list[str]:
    """The verdict on the chain in lines."""
    if verdict.intact:
        return [f"chain of {verdict.events} events: intact"]
    return [f"chain of {verdict.events} events: NOT INTACT", *(f"  {fault}" for fault in verdict.faults)]


def _plain(write: WriteRecord) -> dict[str, Any]:
    return {
        **write.effect.model_dump(mode="json"),
        "request": write.request.model_dump(mode="json") if write.request else None,
        "proposed_by": [x.model_dump(mode="json", exclude={"request", "response"}) for x in write.turn.exchanges],
        "rule": write.rule,
        "policy_version": write.policy_version,
        "mails": write.mails,
        "decisions": write.decisions,
    }


def _export(ledger: Ledger, run_id: str, folder: Path) -> None:
    """Events as JSON lines, and one file per content named by its digest."""
    (folder / "content").mkdir(parents=True)
    events = ledger.trail(run_id)
    named = {d for event in events for d in event.payload.get("content", {}).values()}
    for digest in sorted(named):
        (folder / "content" / digest).write_bytes(ledger.get(digest))
    (folder / "events.jsonl").write_text("".join(e.model_dump_json() + "\n" for e in events), encoding="utf-8")
