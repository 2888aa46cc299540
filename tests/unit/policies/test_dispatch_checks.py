"""The last look before a write, and check 9."""

from dataclasses import replace

import pytest

from policies.dispatch_checks import DispatchFacts, check_drift, refusals
from wire.call import Finding, PreparedRequest, ProposedCall, ValidatedCall

FACTS = DispatchFacts(requested_digest="d", call_digest="d", quorum=2, principals=frozenset({"ann", "bob"}))
CALL = ValidatedCall(
    call=ProposedCall(method="POST", service="S", endpoint="E"),
    kind="EntitySet",
    request=PreparedRequest(method="POST", service="S", path="E"),
    digest="d",
    metadata_digest="m1",
)


def test_nothing_against_a_proven_quorum():
    assert refusals(FACTS) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"call_digest": "other"},
        {"principals": frozenset({"ann"})},
        {"broken_evidence": ("e",)},
        {"blocks": ("halt",)},
        {"live": False},
        {"newest": False},
        {"run_closed": True},
        {"other_effect": True},
    ],
)
def test_each_fact_alone_refuses(changes: dict[str, object]):
    assert len(refusals(replace(FACTS, **changes))) == 1  # type: ignore[arg-type]


def test_a_new_metadata_version_that_changes_nothing_drifts_nothing():
    now = CALL.model_copy(update={"metadata_digest": "m2", "graph_hash": "g2"})
    assert check_drift(CALL, now, ["ann"], ["ann", "bob"]) == ()


@pytest.mark.parametrize(
    ("now", "may"),
    [
        (None, ["ann"]),
        (CALL.model_copy(update={"digest": "other"}), ["ann"]),
        (CALL.model_copy(update={"undecided": (Finding(rule="R60", pointer="/x", message="?"),)}), ["ann"]),
        (CALL, ["bob"]),
    ],
)
def test_check_9_names_what_drifted(now: ValidatedCall | None, may: list[str]):
    assert len(check_drift(CALL, now, ["ann"], may)) == 1
