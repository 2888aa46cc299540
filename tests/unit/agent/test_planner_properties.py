"""What holds for every goal: codes from their lists, fields from the view, one answer to one input, no invalid call twice."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.planner import decide
from tests.unit.agent.samples import context
from wire.agent import Observation, Turn
from wire.call import Finding
from wire.context import FieldView, NestedView, TypedContext

PARTS = st.sampled_from(
    [
        "Order 20 pumps P-100", "create a purchase order", "a framework order", "and 5 seal kits S-200", "for plant 1010",
        "from Nordpump GmbH", "supplier 17300001", "company code 1010", "purchasing organization 1010", "order type ZZ",
        "purchasing group 001", "at 55 Turkish lira each", "at 4.20 USD each", "12 boxes of X-1", "delivery date 2026-12-18",
        "then enter the supplier's invoice NP-1 dated 2026-11-30", "over 12.50 EUR gross", "release it", "line 10", "show it",
        "currency XXX", "'free text, with release'", "purchase order 4500000104", "Bestelle 3 Stück A-1", "für Werk 1010",
        "if not: create the order", ",", ".", ";", ":", "(", ")", "1/2/2026", "without", "customer 1 and 2",
    ]
)  # fmt: skip
GOALS = st.one_of(st.lists(PARTS, min_size=1, max_size=12).map(" ".join), st.text(max_size=200))
FULL = (
    "Create a purchase order for 40 pieces of C-100 for plant 1010 from supplier 17300001: company code 1010, "
    "purchasing organization 1010, purchasing group 001."
)


def run(goal: str) -> Iterator[tuple[TypedContext, Turn]]:
    """All turns of a run whose reads find one supplier and whose writes succeed."""
    seen = context(goal)
    observations: list[Observation] = []
    for turn in range(1, 12):
        taken = decide(goal, seen, observations)
        yield seen, taken
        if taken.call is None:
            return
        kind = "result" if taken.call.method == "GET" else "written"
        data = [{"Supplier": "17300001"}] if kind == "result" else {"PurchaseOrder": "45"}
        observations.append(Observation(turn=turn, kind=kind, call=taken.call, data=data))
    raise AssertionError("the run does not end")


def written_fields(
    values: Any, fields: Sequence[FieldView], nested: Sequence[NestedView]
) -> Iterator[tuple[str, FieldView | None, Any]]:
    """(name, its field in the view, value) of a record and of all rows nested in it."""
    by_name = {f.name: f for f in fields}
    below = {n.name: n for n in nested}
    for name, value in values.items():
        if name in below:
            for row in value if isinstance(value, list) else [value]:
                yield from written_fields(row, below[name].fields, below[name].nested)
        else:
            yield name, by_name.get(name), value


def all_written(goal: str) -> Iterator[tuple[str, FieldView | None, Any]]:
    for seen, turn in run(goal):
        if turn.call is not None and turn.call.payload:
            view = next(v for v in seen.endpoints if v.endpoint == turn.call.endpoint)
            yield from written_fields(turn.call.payload, view.fields, view.nested)


@settings(max_examples=150, deadline=None)
@given(GOALS)
def test_every_written_field_is_in_the_view_and_writable(goal: str) -> None:
    assert all(field is not None and field.writable for _, field, _ in all_written(goal))


@settings(max_examples=150, deadline=None)
@given(GOALS)
def test_every_written_code_is_in_its_list(goal: str) -> None:
    assert all(v in {c.code for c in f.codes} for _, f, v in all_written(goal) if f is not None and f.codes)


@settings(max_examples=80, deadline=None)
@given(GOALS)
def test_the_same_input_gives_the_same_turn(goal: str) -> None:
    first = [turn for _, turn in run(goal)]
    again = [turn for _, turn in run(goal)]
    assert first == again


@settings(max_examples=60, deadline=None)
@given(GOALS)
def test_a_question_or_an_answer_always_says_something(goal: str) -> None:
    *_, (_, last) = run(goal)
    assert (last.question if last.action == "ask" else last.answer).strip()


POINTERS = st.sampled_from(
    [
        "/payload/CompanyCode",
        "/payload/Supplier",
        "/payload/to_Items/0/Plant",
        "/payload/Unknown",
        "/method",
        "",
        "/payload",
    ]
)
VALUES = st.sampled_from(["", "1010", "01010", "17300001", "x"])
FINDINGS = st.lists(
    st.builds(Finding, rule=st.just("R26"), pointer=POINTERS, message=st.just("no"), suggestion=VALUES), max_size=3
)


@settings(max_examples=100, deadline=None)
@given(st.lists(FINDINGS, min_size=1, max_size=6))
def test_no_invalid_call_comes_twice(rounds: list[list[Finding]]) -> None:
    observations: list[Observation] = []
    for turn, findings in enumerate(rounds, start=1):
        taken = decide(FULL, context(FULL), observations)
        assert taken.call not in [o.call for o in observations]
        if taken.call is None:
            return
        data = [f.model_dump(mode="json", exclude_defaults=True) for f in findings]
        observations.append(Observation(turn=turn, kind="invalid", call=taken.call, data=data))
