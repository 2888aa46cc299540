"""Annotations: aliases, inline and external targets, expressions."""

from decimal import Decimal

import pytest

from odata.csdl_model import Path, Record, Value
from tests.unit.odata.csdl_samples import read, v4

_TYPE = '<EntityType Name="A"><Property Name="P" Type="Edm.String">{inline}</Property></EntityType>{external}'


def _annotated(inline: str = "", external: str = "") -> dict[str, Value]:
    document = read(v4(_TYPE.format(inline=inline, external=external)))
    return {item.term.rpartition(".")[2]: item.value for item in document.annotations.get("Shop.A/P", ())}


def test_inline_and_external_annotations_meet_on_one_target() -> None:
    external = '<Annotations Target="Self.A/P"><Annotation Term="UI5Common.Label" String="Price"/></Annotations>'
    found = _annotated('<Annotation Term="Org.OData.Core.V1.Computed"/>', external)
    assert found == {"Computed": True, "Label": "Price"}


def test_usual_alias_without_declaration() -> None:
    assert _annotated('<Annotation Term="Core.Immutable" Bool="false"/>') == {"Immutable": False}


def test_presentation_vocabularies_are_left_out() -> None:
    assert _annotated('<Annotation Term="UI.Hidden"/>') == {}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('<Annotation Term="Core.Description" String="x"/>', "x"),
        ('<Annotation Term="Core.Description"><String>x</String></Annotation>', "x"),
        ('<Annotation Term="Core.Description" Decimal="1.50"/>', Decimal("1.50")),
        ('<Annotation Term="Core.Description" Path="Other"/>', Path("Other")),
        ('<Annotation Term="Core.Description"><Null/></Annotation>', None),
        ('<Annotation Term="Core.Description"><If><Path>a</Path></If></Annotation>', Path("<If>")),
        (
            '<Annotation Term="Core.Description"><Collection><PropertyPath>a</PropertyPath></Collection></Annotation>',
            ("a",),
        ),
    ],
)
def test_expressions(expression: str, value: Value) -> None:
    assert _annotated(expression) == {"Description": value}


def test_records_keep_their_type_and_own_annotations() -> None:
    record = (
        '<Record Type="Self.T"><PropertyValue Property="Value" Int="3"/>'
        '<Annotation Term="Core.SymbolicName" String="three"/></Record>'
    )
    value = _annotated(f'<Annotation Term="Validation.AllowedValues">{record}</Annotation>')["AllowedValues"]
    assert isinstance(value, Record)
    assert (value.values, value.type) == ({"Value": 3}, "Self.T")
    assert value.annotations[0].value == "three"


def test_target_of_an_overload_parameter() -> None:
    inside = (
        '<Action Name="Go" IsBound="true"><Parameter Name="it" Type="Self.A"/><Parameter Name="n" Type="Edm.Int32"/>'
        '</Action><EntityType Name="A"/><Annotations Target="Self.Go(Self.A)/n">'
        '<Annotation Term="Core.Description" String="how many"/></Annotations>'
    )
    assert read(v4(inside)).annotations["Shop.Go(Shop.A)/n"][0].value == "how many"


def test_target_that_does_not_exist_is_reported() -> None:
    external = '<Annotations Target="Self.Gone"><Annotation Term="Core.Description" String="x"/></Annotations>'
    document = read(v4(_TYPE.format(inline="", external=external)))
    assert "Annotations Shop.Gone: the target does not exist" in str(document.findings[0])
