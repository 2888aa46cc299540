"""Mails as approvers get them, made from the shipped catalogue by the product's own code: the same on every machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from activities.evidence_mail import Ended, Write, evidence_mail
from activities.judging import Judged
from activities.ports import MailIdentity
from activities.request_mail import RequestFacts, request_mails
from graph.reader import SnapshotReader
from ledger.records import RunRow
from odata.prepare import call_digest, prepare, with_if_match
from odata.verbs import verb_of
from policies.rulebook import read_policy
from wire.approval import Addressee, ApprovalPlan, MailContent, MessageType
from wire.call import Finding, ProposedCall, ValidatedCall, Verdict
from wire.task import RunState, TaskInput, TaskRequest

AT = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)
IDENTITY = MailIdentity("approvals@countersign.example", "Countersign", "operator@countersign.example")
POLICY = read_policy(
    {
        "version": "7",
        "persons": [
            {"id": "rita", "name": "Rita Weber", "addresses": ["rita@corp.example"], "timezone": "Europe/Berlin"},
            {"id": "ann", "name": "Ann Controller", "addresses": ["ann@corp.example"], "timezone": "Europe/Berlin"},
        ],
        "rules": [{"id": "purchasing-over-5000", "approvers": ["ann"]}],
        "requesters": ["rita"],
        "languages": ["en", "de"],
        "masks": [{"id": "bank-details", "properties": ["BankAccount", "IBAN", "SupplierBankAccount"]}],
    },
    "sample policy",
)
SUPPLIERS = [{"Supplier": "17300001", "SupplierName": "Nordpump GmbH", "City": "Bremen"}]
ORDER = ProposedCall(
    method="POST",
    service="PURCHASE_ORDER",
    endpoint="PurchaseOrderSet",
    payload={
        "Supplier": "17300001",
        "CompanyCode": "1010",
        "PurchasingOrganization": "1010",
        "PurchasingGroup": "001",
        "DocumentCurrency": "EUR",
        "to_Items": [
            {"Material": "P-100", "OrderQuantity": "20", "QuantityUnit": "PC", "NetPriceAmount": "450.00", "Plant": "1010"},
            {"Material": "S-200", "OrderQuantity": "5", "QuantityUnit": "PC", "NetPriceAmount": "82.72", "Plant": "1010"},
        ],
    },
)  # fmt: skip
INVOICE = ProposedCall(
    method="POST",
    service="SUPPLIER_INVOICE",
    endpoint="SupplierInvoices",
    payload={
        "CompanyCode": "1010",
        "InvoicingParty": "17300001",
        "SupplierInvoiceNumber": "NP-20931",
        "DocumentDate": "2026-11-30",
        "InvoiceGrossAmount": 10043.6,
        "DocumentCurrency": "EUR",
        "PurchaseOrder": "4500000107",
    },
)


@dataclass(frozen=True)
class Sample:
    """What a sample mail is made from. ``reads`` are rows that the run read before."""

    call: ProposedCall
    goal: str
    reason: str
    step: int = 1
    review: int = 0
    cause: str = "first"
    before: Mapping[str, Any] | None = None
    undecided: tuple[Finding, ...] = ()
    reads: Sequence[Any] = (SUPPLIERS,)
    language: str = "en"
    earlier: Sequence[MailContent] = ()


GOAL = (
    "Order 20 centrifugal pumps P-100 and 5 seal kits S-200 for plant 1010 from Nordpump GmbH (company code 1010, purchasing"
    " organization 1010, purchasing group 001), then enter the supplier's invoice for that purchase order."
)
ORDERED = Sample(
    ORDER,
    GOAL,
    "Nordpump GmbH is supplier 17300001 and sells both materials. The order comes first; the invoice takes its number.",
)
INVOICED = Sample(
    INVOICE,
    GOAL,
    "The purchase order 4500000107 exists now. The invoice repeats the supplier's number and gross amount.",
    step=2,
)


def sample_request(snapshot: SnapshotReader, sample: Sample) -> MailContent:
    """The request (or, with a later review, the fresh one) for the first approver."""
    contract = snapshot.contract(sample.call.service, sample.call.endpoint, verb_of(sample.call.method))
    prepared = prepare(contract, sample.call)
    request = with_if_match(prepared, 'W/"20261130083000"') if sample.before is not None else prepared
    call = ValidatedCall(
        call=sample.call,
        kind=contract.kind,
        request=request,
        digest=call_digest(request),
        undecided=sample.undecided,
        metadata_digest=contract.metadata_digest,
        graph_hash=contract.graph_hash,
    )
    judged = Judged(sample.call, Verdict(kind="valid", request=request), contract, call, sample.before)
    composed = AT + timedelta(hours=2 * sample.review)
    facts = RequestFacts(
        identity=IDENTITY,
        epoch="sample",
        run=sample_run(sample.goal),
        step=sample.step,
        review=sample.review,
        cause=sample.cause,
        call=call,
        judged=judged,
        plan=sample_plan(sample.language),
        reason=sample.reason,
        brain="planner",
        composed_at=composed,
        deadline=composed + timedelta(hours=8),
        policy=POLICY,
        answers=sample.reads,
        earlier=sample.earlier,
    )
    return request_mails(facts)[0]


def fresh_review(snapshot: SnapshotReader) -> MailContent:
    """The price rose between the first review and this one."""
    items = [dict(item) for item in (ORDER.payload or {})["to_Items"]]
    items[0]["NetPriceAmount"] = "468.50"
    changed = ORDER.model_copy(update={"payload": {**(ORDER.payload or {}), "to_Items": items}})
    earlier = sample_request(snapshot, ORDERED)
    return sample_request(snapshot, replace(ORDERED, call=changed, review=1, cause="drifted", earlier=(earlier,)))


def reminder(snapshot: SnapshotReader, sample: Sample = INVOICED) -> MailContent:
    """The same request once more, as the reminder at three quarters of its window."""
    return noticed(sample_request(snapshot, sample), MessageType.APPROVAL_REMINDER, "", 6)


def noticed(content: MailContent, kind: MessageType, note: str, hours: float) -> MailContent:
    """The mail of a request as another kind, in its thread."""
    changes: dict[str, Any] = {"message_type": kind, "note": note, "composed_at": AT + timedelta(hours=hours)}
    changes |= {"in_reply_to": content.message_id, "references": (content.message_id,)}
    return content.model_copy(update=changes | {"message_id": f"{kind.value}.{content.message_id}"})


def evidence(snapshot: SnapshotReader) -> MailContent:
    """What the requester gets in the end."""
    writes = []
    for sample in (ORDERED, INVOICED):
        asked = sample_request(snapshot, sample)
        writes.append(Write(sample.step, sample.review, asked.title, asked.call_digest))
    summary = "Purchase order 4500000107 and supplier invoice 5105600021 exist; both read back as they were sent."
    ended = Ended(sample_run(GOAL), RunState.COMPLETED, summary, writes, AT + timedelta(hours=3))
    return evidence_mail(IDENTITY, "sample", POLICY.persons[0], ended)


def sample_plan(*languages: str) -> ApprovalPlan:
    """The plan of the sample rule, with one approver for each language."""
    ann = POLICY.persons[1]
    approvers = tuple(
        Addressee(person=ann.id, name=ann.name, address=ann.addresses[0], timezone=ann.timezone, language=language)
        for language in languages
    )
    return ApprovalPlan(
        rule_id="purchasing-over-5000",
        policy_version="7+5f1c2a9e0b44",
        approvers=approvers,
        quorum=1,
        window_seconds=28_800,
        max_reviews=3,
        on_deadline="reissue",
        reminder_share=0.75,
        grace_seconds=300,
        tail_seconds=0,
    )


def sample_run(goal: str) -> RunRow:
    """A run that asks."""
    task = TaskInput(
        run_id="run-x3k7mq2v9bta",
        goal=goal,
        requester="rita",
        policy_version="7+5f1c2a9e0b44",
        graph_hash="sample",
        ledger_epoch="sample",
        brain="planner",
    )
    return RunRow(
        run_id=task.run_id,
        task=task,
        request=TaskRequest(goal=goal, requester="rita"),
        request_digest="",
        state=RunState.REQUESTING,
        detail="",
        summary="",
        temporal_run_id=None,
        registered_at=AT,
        state_at=AT,
        closed_at=None,
        events=0,
        head="",
    )
