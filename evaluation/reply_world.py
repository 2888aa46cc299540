"""The world of a folder of reply cases (``context.json``): its requests in a ledger, its people in a policy."""

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ledger.requests import NewRequest
from ledger.store import Ledger, open_ledger
from mail.headers import base_address
from policies.canonical import canonical_json, sha256_hex
from wire.agent import Turn
from wire.approval import Addressee, ApprovalPlan, MailContent, MessageType
from wire.call import PreparedRequest, ProposedCall, ValidatedCall, Verdict
from wire.policy import ApprovalRule, Delegation, Person, Policy, TrustProfile
from wire.task import TaskInput, TaskRequest


class CasesError(Exception):
    """Raised when a folder of cases cannot be read; the message names the file and the field."""


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


Address = Annotated[str, AfterValidator(str.casefold)]
"""An address of a person, compared case-folded."""


class Request(_Given):
    """One open approval request; ids are opaque and taken as they are."""

    run_id: str
    step: int = Field(ge=1, le=25)
    review: int
    requester: Address
    approvers: tuple[Address, ...] = Field(min_length=1)
    address: str
    ref: str
    message_id: str
    sent_at: datetime
    deadline: datetime


class Delegate(_Given):
    """A delegation in force for a time."""

    giver: Address = Field(alias="from")
    taker: Address = Field(alias="to")
    since: datetime
    until: datetime


class Override(_Given):
    """What is different in one case."""

    received_at: datetime | None = None
    languages: tuple[str, ...] | None = None
    after: tuple[str, ...] = ()
    delegates: tuple[Delegate, ...] | None = None


class Trust(_Given):
    """Who vouches for senders; by default a DMARC pass of the server named."""

    authserv_id: str
    mode: Literal["authentication-results", "closed"] = "authentication-results"
    methods: tuple[Literal["dmarc", "dkim", "auth"], ...] = ("dmarc",)

    def profile(self) -> TrustProfile:
        """The same as policy says it."""
        return TrustProfile(mode=self.mode, authserv_id=self.authserv_id, methods=self.methods)


class Context(_Given):
    """The whole of ``context.json``."""

    requests: tuple[Request, ...] = Field(min_length=1)
    trust: Trust
    received_at: datetime
    delegates: tuple[Delegate, ...] = ()
    languages: tuple[str, ...] = ("en",)
    cases: dict[str, Override] = Field(default_factory=dict)

    def own_addresses(self) -> tuple[str, ...]:
        """The addresses that we send from: the requests' without their plus parts."""
        return tuple(sorted({base_address(request.address) for request in self.requests}))

    def override(self, case: str) -> Override:
        """What is different in ``case``."""
        return self.cases.get(case, Override())


def load_context(folder: Path) -> Context:
    """Read ``context.json``. Raises CasesError."""
    path = folder / "context.json"
    try:
        return Context.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise CasesError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise CasesError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except ValueError as error:
        raise CasesError(f"{path}: no JSON ({error})") from error


def make_policy(context: Context, delegates: Iterable[Delegate]) -> Policy:
    """Every address of the context as a person of its own."""
    given = tuple(delegates)
    people = [address for request in context.requests for address in (*request.approvers, request.requester)]
    people += [address for delegate in given for address in (delegate.giver, delegate.taker)]
    persons = tuple(Person(id=address, name=address, addresses=(address,)) for address in dict.fromkeys(people))
    approvers = tuple(dict.fromkeys(address for request in context.requests for address in request.approvers))
    return Policy(
        version="cases",
        persons=persons,
        rules=(ApprovalRule(id="cases", approvers=approvers),),
        requesters=tuple(dict.fromkeys(request.requester for request in context.requests)),
        delegations=tuple(
            Delegation(from_person=d.giver, to_person=d.taker, since=d.since, until=d.until) for d in given
        ),
        trust=context.trust.profile(),
        languages=context.languages,
    )


class ReplyWorld:
    """The requests as sent, in a ledger file from which each case gets a fresh copy."""

    def __init__(self, context: Context, scratch: Path) -> None:
        self._scratch = scratch
        self._template = scratch / "template.sqlite"
        ledger = open_ledger(f"sqlite:///{self._template}", random_epoch=lambda: "cases")
        try:
            for request in sorted(context.requests, key=lambda r: (r.sent_at, r.review)):
                send_request(ledger, request)
            with ledger.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            ledger.dispose()

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """A ledger that knows the requests and nothing else."""
        copy = self._scratch / "case.sqlite"
        for leftover in self._scratch.glob("case.sqlite*"):
            leftover.unlink()
        shutil.copyfile(self._template, copy)
        ledger = open_ledger(f"sqlite:///{copy}", random_epoch=lambda: "cases")
        try:
            yield ledger
        finally:
            ledger.dispose()


def send_request(ledger: Ledger, request: Request) -> None:
    """Take the run as far as the accepted mail of this review."""
    call = _call(request)
    _reach_step(ledger, request, call)
    ledger.create_request(_new_request(request, call), request.sent_at)
    for index in range(len(request.approvers)):
        ledger.begin_sending(request.run_id, request.step, request.review, index, request.sent_at)
        ledger.mark_accepted(request.run_id, request.step, request.review, index, request.sent_at, "250 ok")


def _call(request: Request, step: int | None = None) -> ValidatedCall:
    body = json.dumps({"run": request.run_id, "step": step or request.step})
    prepared = PreparedRequest(method="POST", service="CASES", path="Orders", body=body)
    proposed = ProposedCall(method="POST", service="CASES", endpoint="Orders", payload=json.loads(body))
    digest = sha256_hex(canonical_json(prepared.model_dump(mode="json")))
    return ValidatedCall(call=proposed, kind="EntitySet", request=prepared, digest=digest)


def _reach_step(ledger: Ledger, request: Request, call: ValidatedCall) -> None:
    """Register the run once and propose calls until its step exists."""
    run_id, at = request.run_id, request.sent_at
    task = TaskInput(
        run_id=run_id,
        goal="answer cases",
        requester=request.requester,
        policy_version="cases",
        graph_hash="cases",
        ledger_epoch=ledger.epoch,
        brain="planner",
    )
    asked = TaskRequest(goal=task.goal, requester=request.requester)
    ledger.register_run(task, asked, sha256_hex(run_id.encode()), sha256_hex(run_id.encode()), at)
    ledger.claim_execution(run_id, f"execution of {run_id}", ledger.epoch, at)
    known = {row.step for row in ledger.steps(run_id)}
    context = ledger.put(b"{}", "application/json", at)
    for number in range(1, request.step + 1):
        if number not in known:
            proposed = call if number == request.step else _call(request, number)
            turn = Turn(action="call", thought="", call=proposed.call, exchanges=())
            step = ledger.next_step(run_id, number, turn, context, at)
            ledger.record_verdict(run_id, step, Verdict(kind="valid", request=proposed.request), proposed, at)


def _new_request(request: Request, call: ValidatedCall) -> NewRequest:
    approvers = tuple(Addressee(person=address, name=address, address=address) for address in request.approvers)
    plan = ApprovalPlan(
        rule_id="cases",
        policy_version="cases",
        approvers=approvers,
        quorum=1,
        window_seconds=max(1, int((request.deadline - request.sent_at).total_seconds())),
        max_reviews=100,
        on_deadline="reissue",
        reminder_share=0.75,
        grace_seconds=0,
        tail_seconds=0,
    )
    return NewRequest(
        run_id=request.run_id,
        step=request.step,
        review=request.review,
        call_digest=call.digest,
        policy_version="cases",
        plan=plan,
        cause="first",
        composed_at=request.sent_at,
        deadline=request.deadline,
        mails=tuple(_mail(request, call, index) for index in range(len(approvers))),
    )


def _mail(request: Request, call: ValidatedCall, index: int) -> MailContent:
    own = request.message_id.strip("<> ")
    facts: dict[str, Any] = {"run_id": request.run_id, "step": request.step, "review": request.review}
    return MailContent(
        message_type=MessageType.APPROVAL_REQUEST,
        message_id=own if index == 0 else f"{index}.{own}",
        from_address=base_address(request.address),
        from_name="Cases",
        reply_to=request.address,
        to_address=request.approvers[index],
        to_name=request.approvers[index],
        composed_at=request.sent_at,
        ref=request.ref,
        call_digest=call.digest,
        title="Cases",
        deadline=request.deadline,
        **facts,
    )
