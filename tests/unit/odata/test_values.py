"""Single values of each type at their edges, and the gate: what the compiled schema accepts, the walk accepts."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odata.facets import compile_check
from odata.findings import Report
from odata.model import Model
from odata.payload import PayloadWalker
from odata.plans import Plans
from odata.schema import body_schema, compile_gate
from tests.unit.odata.contracts import orders, people
from wire.endpoint import Property


def rule_of(value: Any, v4: bool, **facets: Any) -> str:
    model = Model(people() if v4 else orders())
    fault = compile_check(Property(name="p", **facets), model)(value)
    return fault.rule if fault else ""


GOOD_V2 = [
    ("Edm.DateTime", "9999-12-31T23:59:59"),
    ("Edm.DateTime", "/Date(-62135596800000)/"),
    ("Edm.DateTimeOffset", "/Date(0+0060)/"),
    ("Edm.Time", "PT0S"),
    ("Edm.Int64", "-9223372036854775808"),
    ("Edm.SByte", -128),
    ("Edm.Binary", "QUJD"),
    ("Edm.Double", "NaN"),
    ("Edm.Decimal", "-0.10"),
]
BAD_V2 = [
    ("Edm.DateTime", "2026-01-31T00:00:00Z", "R20"),
    ("Edm.DateTime", "datetime'2026-01-31T00:00:00'", "R20"),
    ("Edm.DateTime", "2026-01-31", "R20"),
    ("Edm.DateTime", "/Date(253402300800000)/", "R20"),
    ("Edm.Time", "PT24H", "R21"),
    ("Edm.Time", "PT", "R21"),
    ("Edm.DateTimeOffset", "2026-01-31T00:00:00", "R21"),
    ("Edm.Int64", 5, "R16"),
    ("Edm.Int64", "5L", "R17"),
    ("Edm.Int64", "9223372036854775808", "R17"),
    ("Edm.Int32", True, "R17"),
    ("Edm.Int32", 1.0, "R17"),
    ("Edm.Decimal", "1,5", "R15"),
    ("Edm.Binary", "QUJ", "R23"),
    ("Edm.Double", "1.5", "R18"),
    ("Edm.Double", float("nan"), "R18"),
]
GOOD_V4 = [
    ("Edm.Date", "2024-02-29"),
    ("Edm.DateTimeOffset", "2026-01-31T10:00Z"),
    ("Edm.DateTimeOffset", "2026-01-31T10:00:00.000+14:00"),
    ("Edm.TimeOfDay", "23:59:59"),
    ("Edm.Duration", "-P1DT1S"),
    ("Edm.Int64", 2**63 - 1),
    ("Edm.Decimal", Decimal("7")),
    ("Edm.Binary", "_-8"),
    ("Edm.GeographyPoint", {"type": "Point", "coordinates": [1, 2]}),
]
BAD_V4 = [
    ("Edm.Date", "1900-02-29", "R22"),
    ("Edm.Date", "31.12.2026", "R22"),
    ("Edm.DateTimeOffset", "2026-01-31T10:00:00.5Z", "R22"),
    ("Edm.DateTimeOffset", "2026-01-31T10:00:00+15:00", "R22"),
    ("Edm.TimeOfDay", "24:00:00", "R22"),
    ("Edm.Duration", "P1Y", "R22"),
    ("Edm.Duration", "PT", "R22"),
    ("Edm.Int64", "5", "R16"),
    ("Edm.Decimal", "5.5", "R16"),
    ("Edm.Decimal", 5.5, "R15"),
    ("Edm.Binary", "+/8=", "R23"),
    ("Edm.Stream", "x", "R59"),
    ("Edm.Single", 3.5e38, "R18"),
]


@pytest.mark.parametrize(("v4", "type_name", "value"), [(False, *c) for c in GOOD_V2] + [(True, *c) for c in GOOD_V4])
def test_value_fits(v4: bool, type_name: str, value: Any) -> None:
    assert rule_of(value, v4, type=type_name) == ""


@pytest.mark.parametrize(
    ("v4", "type_name", "value", "rule"), [(False, *c) for c in BAD_V2] + [(True, *c) for c in BAD_V4]
)
def test_value_breaks(v4: bool, type_name: str, value: Any, rule: str) -> None:
    assert rule_of(value, v4, type=type_name) == rule


@pytest.mark.parametrize(
    ("value", "precision", "scale", "fits"),
    [
        (0.1, 3, 2, True),
        (1.234, 3, 2, False),
        (Decimal("9.9900"), 3, 2, True),
        (10, 3, 2, False),
        (123.4, 4, "variable", True),
        (123.45, 4, "variable", False),
        (1.2e30, 2, "floating", True),
        (1.23e30, 2, "floating", False),
        (0.123456789, None, "variable", True),
        (0, 1, 1, True),
    ],
)
def test_precision_and_scale(value: Any, precision: int | None, scale: Any, fits: bool) -> None:
    found = rule_of(value, True, type="Edm.Decimal", precision=precision, scale=scale)
    assert found == ("" if fits else "R15")


@pytest.mark.parametrize(("value", "rule"), [(1.5, ""), (0, ""), (1.6, "R29"), (Decimal("1e30"), "")])
def test_multiple_of(value: Any, rule: str) -> None:
    assert rule_of(value, True, type="Edm.Decimal", scale="variable", multiple_of="0.5") == rule


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-99999, max_value=99999))
def test_decimals_within_facets_fit_in_both_versions(number: Decimal) -> None:
    facets = {"type": "Edm.Decimal", "precision": 7, "scale": 2}
    assert rule_of(format(number, "f"), False, **facets) == ""
    assert rule_of(float(number), True, **facets) == ""


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-300, 300)
    | st.floats(allow_nan=True)
    | st.sampled_from(
        ["", "OR", "XX", "1.5", "12345.67", "99999.999", "/Date(0)/", "/Date(1500)/", "PT1H", "2026-02-28"]
    )
    | st.sampled_from(["2026-02-30T00:00:00", "2026-02-28T00:00:00", "2026-02-28T23:59:59Z", "Tea,Rum", "Male"])
    | st.text(max_size=12)
)


def bodies(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    flat = st.dictionaries(st.sampled_from(names), SCALARS, max_size=4)
    deep = st.dictionaries(st.sampled_from(names), SCALARS | st.lists(flat, max_size=2) | flat, max_size=4)
    wrapped = st.builds(lambda rows: {"results": rows}, st.lists(flat, max_size=2))
    return st.dictionaries(st.sampled_from(names), SCALARS | st.lists(deep, max_size=2) | deep | wrapped, max_size=5)


TYPES = [*orders().types, *people().types]
NAMES = sorted({m for t in TYPES for m in (*(p.name for p in t.properties), *(n.name for n in t.navigations))})


@settings(max_examples=400, deadline=None)
@given(bodies([*NAMES, "Nope"]), st.sampled_from([orders(), people()]), st.sampled_from(["create", "update"]))
def test_gate_accepts_only_what_the_walk_accepts(body: dict[str, Any], contract: Any, mode: Any) -> None:
    plans = Plans(Model(contract), mode)
    plan = plans.of(contract.entity_type, contract.endpoint)
    assert plan is not None
    report = Report()
    PayloadWalker(plans, report).walk(body, plan)
    if compile_gate(body_schema(plans, plan)).is_valid(body):
        assert report.findings == []


@pytest.mark.parametrize(("scale", "rule"), [("floating", ""), ("variable", "R16"), (2, "R16")])
def test_only_floating_decimals_can_be_infinite(scale: Any, rule: str) -> None:
    assert rule_of("-INF", True, type="Edm.Decimal", scale=scale) == rule


@pytest.mark.parametrize(("value", "rule"), [("0", ""), ("3", ""), ("4", "R24"), ("-1", "R24"), ("Tea,2", "")])
def test_flags_by_number(value: str, rule: str) -> None:
    assert rule_of(value, True, type="P.Likes") == rule
