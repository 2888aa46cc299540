"""One turn around a brain, the observations it is given, and the scripted brain."""

from typing import Any

import pytest

from agent.errors import BrainFailed
from agent.faulty import Faulty, ScriptError
from agent.react import observe_read, observe_verdict, observe_write, take_turn
from tests.unit.agent.samples import RELEASE, SUBMIT, context, written
from wire.agent import Observation, Turn
from wire.call import CallResult, ExecutedCall, Finding, ProposedCall, Verdict

GOAL = "Release it."
CALL: dict[str, Any] = {
    "method": "ACTION",
    "service": "PURCHASE_ORDER",
    "endpoint": "ReleasePurchaseOrder",
    "payload": {"PurchaseOrder": "1"},
}
PROPOSED = ProposedCall.model_validate(CALL)


async def played(entry: dict[str, Any], *observations: Observation, turn: int = 1) -> Turn:
    return await take_turn(Faulty([entry]), GOAL, context(GOAL, RELEASE, SUBMIT), observations, turn, step_cap=3)


async def test_a_scripted_call_is_played_and_recorded() -> None:
    turn = await played({"action": "call", "thought": "t", "call": CALL})
    assert turn.call == PROPOSED
    assert turn.exchanges[0].brain == "faulty"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"action": "call", "thought": "t"}, "without a call"),
        ({"action": "ask", "thought": "t"}, "asks nothing"),
        ({"action": "finish", "thought": "t", "answer": " "}, "without an answer"),
        (
            {"action": "call", "thought": "t", "call": {**CALL, "endpoint": "Invented"}},
            "Invented is not in the context",
        ),
        ({"fail": "the model said nothing"}, "said nothing"),
    ],
)
async def test_a_turn_that_is_none(entry: dict[str, Any], told: str) -> None:
    with pytest.raises(BrainFailed, match=told) as caught:
        await played(entry)
    assert caught.value.exchanges


async def test_the_same_invalid_call_is_stopped() -> None:
    before = Observation(turn=1, kind="invalid", call=PROPOSED)
    with pytest.raises(BrainFailed, match="comes again unchanged"):
        await played({"action": "call", "thought": "t", "call": CALL}, before, turn=2)


async def test_the_step_cap_holds() -> None:
    with pytest.raises(BrainFailed, match="3 turns"):
        await played({"action": "finish", "thought": "t", "answer": "x"}, turn=4)


async def test_a_script_takes_values_from_earlier_answers() -> None:
    call = {**CALL, "payload": {"PurchaseOrder": {"$from": "1.Rows.1.Number"}}}
    before = written(1, PROPOSED, {"Rows": [{"Number": "8"}, {"Number": "9"}]})
    turn = await played({"action": "call", "thought": "t", "call": call}, before, turn=2)
    assert turn.call is not None
    assert turn.call.payload == {"PurchaseOrder": "9"}


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[]", '[{"action": "dance"}]'])
def test_a_script_that_is_none(text: str) -> None:
    with pytest.raises(ScriptError):
        Faulty.from_json(text)


def test_findings_come_all_at_once() -> None:
    verdict = Verdict(kind="invalid", findings=tuple(Finding(rule="R26", pointer=f"/{i}", message="m") for i in "ab"))
    seen = observe_verdict(1, PROPOSED, verdict)
    assert (seen.kind, seen.text, len(seen.data)) == ("invalid", "/a: m; /b: m", 2)


def test_a_long_result_is_cut_and_says_so() -> None:
    seen = observe_read(1, PROPOSED, CallResult(status=200, data=[{"N": "x" * 1000}] * 50))
    assert seen.text == "the answer was cut"
    assert 0 < len(seen.data) < 20


def test_a_refused_read_is_a_failure() -> None:
    assert observe_read(1, PROPOSED, CallResult(status=404)).kind == "failed"


def test_a_write_shows_what_was_read_back() -> None:
    back = CallResult(status=200, data={"Order": "1", "Note": "n", "to_Items": {"__deferred": {"uri": "x"}}})
    done = ExecutedCall(
        effect_key="k",
        digest="d",
        result=CallResult(status=201, data={"Order": "1", "to_Items": [{"Item": "10"}]}),
        read_back=back,
    )
    assert observe_write(1, PROPOSED, done).data == {"Order": "1", "Note": "n", "to_Items": [{"Item": "10"}]}
