"""``call``: one call by hand, validated and shown as it would leave. A read may be sent; a write never leaves from here."""

import asyncio
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.call_answer import say_read, say_verdict
from cli.call_arguments import METHODS, Arguments, call_of, typed_by
from cli.context import Context, load_policy, requester_of
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import print_json
from graph.errors import GraphError, UnknownEndpoint
from graph.library import open_library
from graph.views import GraphView
from odata.prepare import call_digest
from odata.validation import compile_validator, verb_of
from policies.write_gate import Denied, approval_plan, is_write
from settings import Settings
from wire.call import CallResult, ProposedCall, Verdict
from wire.endpoint import EndpointContract

if TYPE_CHECKING:
    from odata.client import ODataClient

_READ_ONLY = (
    "a write never leaves from here: it takes effect only in a run, after a named person has countersigned exactly that call; "
    'say what should be done with starter.py run "…"'
)


@dataclass(frozen=True)
class Checked:
    """A call by hand with its verdict; ``approval`` says who would have to approve a write, or why nobody may."""

    call: ProposedCall
    verdict: Verdict
    contract: EndpointContract | None
    approval: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        request = self.verdict.request
        return {
            "valid": request is not None,
            "call": self.call.model_dump(mode="json", exclude_none=True),
            "verdict": self.verdict.model_dump(mode="json"),
            "digest": call_digest(request) if request is not None else None,
            "write": is_write(self.call),
            "approval": self.approval,
        }


def call(
    context: typer.Context,
    method: Annotated[str, typer.Argument(metavar="METHOD", help=f"One of {', '.join(METHODS)}.")],
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="Service id: the stem of its metadata file.")],
    endpoint: Annotated[str, typer.Argument(metavar="ENDPOINT", help="EntitySet, Singleton or operation.")],
    key: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A key property of the entity (repeatable).")
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="SEGMENT", help="What follows the entity: a navigation, a bound operation (repeatable)."),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A query option, unencoded: '$filter=Name eq ''X''' (repeatable)."),
    ] = None,
    payload: Annotated[
        str | None, typer.Option(metavar="FILE", help="JSON of the payload or the parameters; - reads standard input.")
    ] = None,
    send: Annotated[bool, typer.Option("--send", help="Send it, if it is a read. Writes are refused.")] = False,
) -> None:
    """Validate one call and show it as it would leave; nothing is sent without --send, and a write never is."""
    here: Context = context.obj
    settings = here.settings()
    given = Arguments(method, service, endpoint, key or (), path or (), query or (), payload)
    checked = _check(settings, given)
    if send and is_write(checked.call):
        raise CommandError(_READ_ONLY)
    result = asyncio.run(_sent(settings, checked)) if send and checked.verdict.request is not None else None
    if here.json:
        print_json({**checked.as_json(), "result": result})
    else:
        say_verdict(checked.call, checked.verdict, checked.approval)
        if result is not None:
            say_read(result)
    raise typer.Exit(int(Exit.OK if checked.verdict.request is not None else Exit.FAILED))


def _check(settings: Settings, given: Arguments) -> Checked:
    """The verdict on the newest snapshot. Raises ``CommandError`` without one, and for arguments that are no call."""
    try:
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            digest = library.current()
            if digest is None:
                place = settings.graph_endpoint.url or settings.graphs
                raise CommandError(f"no graph in {place}: 'starter.py ingest' loads your metadata", Exit.NOT_FOUND)
            return _judged(settings, library.open(digest), given)
    except GraphError as error:
        raise CommandError(str(error), Exit.NOT_FOUND) from error


def _judged(settings: Settings, view: GraphView, given: Arguments) -> Checked:
    proposed = call_of(given, lambda _, value: value)
    try:
        contract = view.contract(proposed.service, proposed.endpoint, verb_of(proposed.method))
    except UnknownEndpoint as error:
        from activities.unknown_endpoints import verdict_on_unknown

        return Checked(proposed, verdict_on_unknown(view, proposed, error), None, None)
    typed = typed_by(contract)
    proposed = proposed.model_copy(
        update={"key": proposed.key and {name: typed(name, value) for name, value in proposed.key.items()}}
    )
    return Checked(proposed, compile_validator(contract).validate(proposed), contract, _approval(settings, proposed))


def _approval(settings: Settings, proposed: ProposedCall) -> dict[str, Any] | None:
    """What policy asks for before such a write leaves."""
    if not is_write(proposed):
        return None
    policy = load_policy(settings)
    requester, _ = requester_of(policy)
    plan = approval_plan(policy, proposed, requester.id, (), "")
    if isinstance(plan, Denied):
        return {"denied": plan.reason}
    approvers = [a.person for a in plan.approvers]
    return {"rule": plan.rule_id, "approvers": approvers, "quorum": plan.quorum, "window_seconds": plan.window_seconds}


async def _sent(settings: Settings, checked: Checked) -> CallResult:
    """The read's answer. Raises ``CommandError`` when there is none."""
    from odata.errors import CallError, NotSent

    request = checked.verdict.request
    assert request is not None
    client = _client(settings, checked)
    try:
        async with client:
            return await client.read(request)
    except NotSent as error:
        raise CommandError(f"{checked.call.service} cannot be reached: {error}", Exit.UNREACHABLE) from error
    except CallError as error:
        raise CommandError(f"{checked.call.service}: {error}", Exit.FAILED) from error


def _client(settings: Settings, checked: Checked) -> "ODataClient":
    from activities.addresses import service_address
    from activities.errors import ServiceUnknown
    from activities.services import ServiceDirectory

    version = checked.contract.version if checked.contract is not None else "4.0"
    try:
        return ServiceDirectory(lambda name: service_address(settings, name)).client(checked.call.service, version)
    except ServiceUnknown as error:
        raise CommandError(str(error)) from error
