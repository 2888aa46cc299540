"""The mails of one review: in each approver's language, and with what policy masks masked everywhere."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activities.evidence_mail import Ended, Write, evidence_mail
from activities.judging import Judged
from activities.ports import MailIdentity
from activities.request_mail import RequestFacts, request_mails
from mail.compose import compose
from policies.masking import secrets_of_call
from scripts.sample_mails import AT, IDENTITY, POLICY, sample_plan, sample_run
from wire.approval import MailContent
from wire.call import PreparedRequest, ProposedCall, ValidatedCall, Verdict
from wire.endpoint import EndpointContract, Property, StructuredType, Verb
from wire.task import RunState

IBAN = "DE89370400440532013000"
KIND = StructuredType(
    name="S.Bank",
    kind="entity",
    keys=("ID",),
    properties=(
        Property(name="ID", type="Edm.String", key=True),
        Property(name="IBAN", type="Edm.String"),
        Property(name="Limit", type="Edm.Decimal", unit_property="Currency"),
        Property(name="Currency", type="Edm.String"),
    ),
)
CONTRACT = EndpointContract(
    service="S", endpoint="Banks", kind="EntitySet", verb=Verb.UPDATE, version="4.0", graph_hash="g",
    metadata_digest="m", entity_type="S.Bank", types=(KIND,),
)  # fmt: skip


def mails(
    payload: dict[str, Any], *languages: str, reason: str = "", goal: str = "", before: Any = None, cause: str = "first",
    earlier: Sequence[MailContent] = (), quorum: int = 1,
) -> tuple[MailContent, ...]:  # fmt: skip
    body = "{" + ",".join(f'"{k}":"{v}"' for k, v in payload.items()) + "}"
    request = PreparedRequest(method="PATCH", service="S", path="Banks('1')", body=body)
    call = ProposedCall(method="PATCH", service="S", endpoint="Banks", key={"ID": "1"}, payload=payload)
    valid = ValidatedCall(call=call, kind="EntitySet", request=request, digest="d" * 64)
    judged = Judged(call, Verdict(kind="valid", request=request), CONTRACT, valid, before)
    plan = sample_plan(*(languages or ("en",))).model_copy(update={"quorum": quorum})
    facts = RequestFacts(
        identity=IDENTITY, epoch="e", run=sample_run(goal), step=1, review=0, cause=cause, call=valid, judged=judged,
        plan=plan, reason=reason, brain="planner", composed_at=AT,
        deadline=AT + timedelta(hours=1), policy=POLICY, earlier=earlier,
    )  # fmt: skip
    return request_mails(facts)


def test_each_approver_reads_numbers_and_words_of_their_language():
    english, german = mails({"Limit": "12340.5"}, "en", "de", before={"Limit": "100", "Currency": "EUR"})
    assert english.lines[1].value == "12,340.50 EUR"
    assert (german.lines[1].old, german.lines[1].value) == ("100,00 EUR", "12.340,50 EUR")
    assert (english.title, german.title) == (
        "Change Banks · 1 · Limit 100.00 EUR → 12,340.50 EUR",
        "Banks ändern · 1 · Limit 100,00 EUR → 12.340,50 EUR",
    )


def test_a_word_of_a_language_that_policy_does_not_enable_is_not_offered():
    german, french = mails({"Limit": "1"}, "de", "fr")
    assert (german.own_word, french.own_word) == (True, False)


def test_differences_compare_what_the_same_approver_read():
    earlier = mails({"Limit": "100"}, "en", "de")
    fresh = mails({"Limit": "200"}, "en", "de", cause="drifted", earlier=earlier)
    assert [[(d.label, d.old, d.value) for d in mail.differences] for mail in fresh] == [
        [("Limit", "100.00", "200.00")],
        [("Limit", "100,00", "200,00")],
    ]
    assert fresh[1].note.startswith("Worauf der Aufruf beruht")


def test_a_masked_value_stands_nowhere_in_the_mail_and_the_mail_says_so():
    said = f"Pay to {IBAN[:4]} {IBAN[4:8]} {IBAN[8:12]} {IBAN[12:16]} {IBAN[16:20]} {IBAN[20:]}"
    (mail,) = mails({"IBAN": IBAN}, reason=f"{said}.", goal=said, before={"IBAN": "GB29NWBK60161331926819"})
    raw = compose(mail).decode().replace("=\r\n", "")
    assert IBAN not in raw.replace(" ", "")
    assert "GB29NWBK60161331926819" not in raw
    assert (mail.lines[1].old, mail.lines[1].value) == ("•••• 6819", "•••• 3000")
    assert (mail.masked, mail.summary) == (("bank-details",), "Pay to •••• 3000")
    assert [line.value for line in mail.technical if line.label == "Exact content (masked)"] == ['{"IBAN":"**** 3000"}']


def test_a_call_without_secrets_is_shown_exactly():
    (mail,) = mails({"Limit": "1"})
    assert mail.masked == ()
    assert [line.value for line in mail.technical if line.label == "Exact content"] == ['{"Limit":"1"}']


def test_the_notification_of_the_requester_is_masked_as_well():
    call = ProposedCall(method="PATCH", service="S", endpoint="Banks", payload={"IBAN": IBAN})
    ended = Ended(
        sample_run(f"Set {IBAN}"), RunState.COMPLETED, f"{IBAN} is set.", [Write(1, 0, f"Change · {IBAN}", "d" * 64)], AT,
        secrets_of_call(POLICY, call),
    )  # fmt: skip
    mail = evidence_mail(MailIdentity("a@b.example", "n", "o@b.example"), "e", POLICY.persons[0], ended)
    assert IBAN not in mail.model_dump_json()
    assert (mail.title, mail.masked) == ("done · Change · •••• 3000", ("bank-details",))


def test_the_notification_leads_with_what_was_done_or_how_it_ended():
    writes = [Write(1, 0, "Create order", "d" * 64), Write(2, 0, "Create invoice", "e" * 64)]
    done = Ended(sample_run("g"), RunState.COMPLETED, "", writes, AT)
    refused = Ended(sample_run("g"), RunState.REJECTED, "", (), AT)
    assert [evidence_mail(IDENTITY, "e", POLICY.persons[0], e).title for e in (done, refused)] == [
        "done · Create order (+1)",
        "rejected by the approvers · g",
    ]


@pytest.mark.parametrize(("state", "again"), [(RunState.NEEDS_INPUT, True), (RunState.COMPLETED, False)])
def test_a_question_cannot_be_answered_by_mail_and_the_notification_says_how(state, again):
    mail = evidence_mail(IDENTITY, "e", POLICY.persons[0], Ended(sample_run("g"), state, "Which plant?", (), AT))
    assert ("Start another one" in mail.note) is again


def test_when_one_yes_is_not_enough_the_mail_says_so():
    (mail,) = mails({"Limit": "1"}, quorum=2)
    assert mail.note == "2 of the 1 people asked must approve."


@settings(deadline=None)
@given(st.text("ABCDEF0123456789", min_size=8, max_size=30), st.sampled_from(["", " ", "-"]), st.integers(1, 5))
def test_no_masked_value_is_left_in_any_spelling(secret, between, group):
    spelled = between.join(secret[i : i + group] for i in range(0, len(secret), group))
    (mail,) = mails(
        {"IBAN": secret}, reason=f"({spelled}), {secret.lower()}!", goal=spelled, before={"IBAN": secret[::-1]}
    )
    said = re.sub(r"[\s-]", "", mail.model_dump_json())
    assert secret not in said.upper()


@pytest.mark.parametrize("settled_by", ["", "olga"])
def test_a_write_on_a_persons_word_does_not_read_like_a_proven_one(settled_by: str):
    writes = [Write(1, 0, "Order 47", "d" * 64, settled_by)]
    mail = evidence_mail(IDENTITY, "e", POLICY.persons[0], Ended(sample_run("g"), RunState.COMPLETED, "s", writes, AT))
    told = "NOT PROVEN: settled by olga" in mail.lines[-1].value
    assert told == bool(settled_by)
