"""Masks: what people do not see in full, wherever it stands, while the bytes that are sent keep it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.lint import find_errors, find_warnings
from policies.masking import DOTS, masked_call, masked_request, masks_of, scrub, secrets_of_answer, secrets_of_call
from policies.rulebook import policy_version
from wire.call import PreparedRequest, ProposedCall
from wire.policy import ApprovalRule, Mask, Person, Policy

IBAN = "DE89370400440532013000"
BANK = Mask(id="bank", properties=("IBAN",))
PIN = Mask(id="pin", properties=("*.Pin", "Secret"), show="none")


def policy(*masks: Mask) -> Policy:
    return Policy(
        version="1",
        persons=(Person(id="ann", name="Ann", addresses=("ann@corp.example",)),),
        rules=(ApprovalRule(id="all", approvers=("ann",)),),
        requesters=("ann",),
        masks=masks,
    )


def call(payload=None, **parts) -> ProposedCall:
    return ProposedCall(method="POST", service="BP", endpoint="Partners", payload=payload, **parts)


def hidden(payload, *masks: Mask):
    return masks_of(policy(*masks), "BP", "Partners").hide(payload)


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ({"IBAN": IBAN, "City": "Ulm"}, {"IBAN": f"{DOTS} 3000", "City": "Ulm"}),
        ({"_Banks": [{"IBAN": IBAN}, {"IBAN": "1234567"}]}, {"_Banks": [{"IBAN": f"{DOTS} 3000"}, {"IBAN": DOTS}]}),
        ({"_Banks": {"results": [{"Pin": 4711}]}}, {"_Banks": {"results": [{"Pin": DOTS}]}}),
        ({"Pin": "4711"}, {"Pin": DOTS}),
        ({"Secret": {"a": ["x", 12], "b": None}}, {"Secret": {"a": [DOTS, DOTS], "b": None}}),
        ({"IBAN": None, "iban": IBAN, "IBANText": ""}, {"IBAN": None, "iban": IBAN, "IBANText": ""}),
    ],
)
def test_a_value_is_hidden_by_the_path_of_its_property(payload, shown):
    assert hidden(payload, BANK, PIN) == shown


def test_a_mask_holds_for_its_services_and_endpoints_alone():
    elsewhere = Mask(id="x", properties=("IBAN",), services=("OTHER*",))
    there = Mask(id="y", properties=("IBAN",), endpoints=("Part*",))
    assert hidden({"IBAN": IBAN}, elsewhere) == {"IBAN": IBAN}
    assert hidden({"IBAN": IBAN}, elsewhere, there) == {"IBAN": f"{DOTS} 3000"}


def test_keys_are_hidden_too():
    masks = masks_of(policy(BANK), "BP", "Partners")
    assert masked_call(masks, call(key={"IBAN": IBAN})).key == {"IBAN": f"{DOTS} 3000"}
    assert [s.value for s in secrets_of_call(policy(BANK), call({"IBAN": "x"}, key={"IBAN": IBAN}))] == [IBAN, "x"]


def test_the_request_is_hidden_in_address_headers_and_body_and_keeps_its_other_digits():
    body = f'{{"Amount":12.50,"Note":"é","_Banks":[{{"IBAN":"{IBAN}","n":1e2}}]}}'
    request = PreparedRequest(
        method="POST", service="BP", path=f"Partners('{IBAN}')", headers=(("X", IBAN),), body=body
    )
    shown = masked_request(
        masks_of(policy(BANK), "BP", "Partners"), request, secrets_of_call(policy(BANK), call({"IBAN": IBAN}))
    )
    assert shown.body == '{"Amount":12.50,"Note":"é","_Banks":[{"IBAN":"**** 3000","n":1e2}]}'
    assert (shown.path, shown.headers) == (f"Partners('{DOTS} 3000')", (("X", f"{DOTS} 3000"),))


@pytest.mark.parametrize("spelled", [IBAN, IBAN.lower(), "DE89 3704 0044 0532 0130 00", "DE89-3704-0044-0532-0130-00"])
def test_text_that_repeats_a_value_is_hidden_however_it_groups_it(spelled):
    secrets = secrets_of_call(policy(BANK), call({"IBAN": IBAN}))
    assert scrub(f"Pay to {spelled}, please.", secrets) == f"Pay to {DOTS} 3000, please."


@pytest.mark.parametrize("spelled", ["10043.60", "10043.6", "10,043.60", "10.043,60", "10 043,6", "10\u202f043,60"])
@pytest.mark.parametrize("value", [10043.6, "10043.60"])
def test_a_number_is_hidden_with_any_separators(value, spelled):
    secrets = secrets_of_call(policy(PIN), call({"Secret": value}))
    assert scrub(f"pay {spelled} EUR", secrets) == f"pay {DOTS} EUR"


@pytest.mark.parametrize(
    ("value", "path", "shown"),
    [
        ("DE89 3704 0044", "P('DE89%203704%200044')", f"P('{DOTS}')"),
        ("Müller", "P(Secret='M%C3%BCller',N=1)", f"P(Secret='{DOTS}',N=1)"),
        ("O'Neil", "P('O%27%27Neil')", f"P('{DOTS}')"),
        ("12", "P('12')/To(12)", f"P('{DOTS}')/To({DOTS})"),
        (1234.5, "P(Secret=1234.5M)", f"P(Secret={DOTS})"),
        ("2026-11-30", "P(datetime'2026-11-30T00:00:00')", f"P(datetime'{DOTS}T00:00:00')"),
        ("x", "P('%C3%A9')", "P('%C3%A9')"),
    ],
)
def test_a_masked_key_is_hidden_in_the_address_however_it_is_written_there(value, path, shown):
    hiding = Mask(id="s", properties=("Secret",), show="none")
    request = PreparedRequest(method="PATCH", service="BP", path=path)
    secrets = secrets_of_call(policy(hiding), call({}, key={"Secret": value}))
    assert masked_request(masks_of(policy(hiding), "BP", "Partners"), request, secrets).path == shown


def test_text_keeps_what_only_looks_like_a_part_of_it():
    secrets = secrets_of_call(policy(PIN), call({"Pin": "4711", "Secret": "12"}))
    assert scrub("order 47110, 12 pieces, PIN 4711", secrets) == f"order 47110, 12 pieces, PIN {DOTS}"


def test_what_a_run_has_read_is_known_as_well():
    secrets = secrets_of_answer(policy(BANK), call(), [{"IBAN": IBAN}, {"x": 1}])
    assert [s.value for s in secrets] == [IBAN]
    assert secrets_of_answer(policy(BANK), None, [{"IBAN": IBAN}]) == ()


def test_masks_are_linted():
    assert [f.field for f in find_errors(policy(BANK, BANK))] == ["masks.1.id"]
    broad = policy(Mask(id="all", properties=("*",)))
    assert [
        f.field
        for f in find_warnings(broad, now=datetime(2026, 11, 2, tzinfo=UTC), zones=(), languages=("en",))
        if "mask" in f.field
    ] == ["masks.0.properties"]


def test_a_policy_without_masks_has_the_version_it_had():
    assert policy_version(policy()) != policy_version(policy(BANK))
    assert "masks" not in policy().model_dump(exclude_defaults=True)


names = st.sampled_from(["IBAN", "Pin", "a", "results"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


def differs(before: Any, after: Any, masked: bool) -> bool:
    """Whether something else than what is masked has changed, or something masked has not."""
    if isinstance(before, dict):
        same = list(before) == list(after)
        return not same or any(differs(before[n], after[n], masked or n in ("IBAN", "Pin")) for n in before)
    if isinstance(before, list):
        return len(before) != len(after) or any(differs(b, a, masked) for b, a in zip(before, after, strict=True))
    kept = not masked or before is None or before == "" or isinstance(before, bool)
    return bool(before != after) if kept else not str(after).startswith(DOTS)


@given(st.dictionaries(st.sampled_from(["IBAN", "Pin", "b"]), json_values, max_size=3))
def test_hiding_changes_masked_values_and_nothing_else(payload):
    assert hidden(payload) == payload
    assert not differs(payload, hidden(payload, BANK, PIN), masked=False)
