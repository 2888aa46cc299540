"""Metadata that breaks rules: both readers make the same of it, and that is what the rule says."""

from pathlib import Path

import pytest

from evaluation.fidelity.audit import audit
from odata.csdl import read_csdl
from tests.unit.evaluation.fidelity.odd_metadata import ODD, association, entity, old
from tests.unit.evaluation.fidelity.planting import failing


@pytest.mark.parametrize("name", ODD)
def test_the_graph_holds_what_the_other_reader_finds(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "odd.edmx").write_bytes(ODD[name])
    found = audit(tmp_path / "in", tmp_path / "work")
    assert (failing(found), found.refused) == ({}, [])


def test_the_first_of_two_names_counts_and_the_other_is_reported() -> None:
    document = read_csdl(ODD["property-and-navigation"], "odd.edmx")
    told = [str(finding) for finding in document.findings]
    assert [item.name for item in document.types["A.T"].navigations] == ["P"]
    assert ["Property P: the name occurs twice in A.T" in line for line in told] == [True]


def test_a_second_type_leaves_nothing_of_what_it_says() -> None:
    assert not read_csdl(ODD["duplicate-with-annotations"], "odd.edmx").annotations


def test_what_an_element_says_itself_comes_before_what_is_said_elsewhere() -> None:
    found = read_csdl(ODD["annotated-before"], "odd.edmx").annotations["A.T/ID"]
    assert [item.value for item in found] == ["inside", "outside"]


def test_a_function_import_of_v3_has_effects_unless_it_says_otherwise() -> None:
    members = '<FunctionImport Name="F"/><FunctionImport Name="G" IsSideEffecting="false"/>'
    imports = {
        version: read_csdl(old(members=members, version=version), "f.edmx").imports for version in ("2.0", "3.0")
    }
    assert [item.http_method for item in imports["3.0"]] == ["POST", "GET"]
    assert [item.http_method for item in imports["2.0"]] == ["GET", "GET"]


@pytest.mark.parametrize(
    ("principal", "dependent", "own", "far"),
    [
        ("b", "a", (("ID", "ID"),), ()),
        ("a", "b", (), (("ID", "ID"),)),
        ("x", "y", (), ()),
        ("b", "b", (("ID", "ID"),), ()),
    ],
)
def test_roles_say_which_end_depends(
    principal: str, dependent: str, own: tuple[tuple[str, str], ...], far: tuple[tuple[str, str], ...]
) -> None:
    navigation = read_csdl(old(association(principal, dependent)), "f.edmx").types["A.T"].navigations[0]
    assert (navigation.constraints, navigation.target_constraints) == (own, far)


def test_facets_are_read_from_the_return_type_itself() -> None:
    returned = read_csdl(ODD["v3-return-type"], "f.edmx").imports[0].returns
    assert returned is not None
    assert returned.max_length == 7


def test_a_facet_no_number_can_hold_is_reported() -> None:
    document = read_csdl(ODD["facet-too-long"], "f.edmx")
    assert (document.types["A.T"].properties[1].max_length, len(document.findings)) == (None, 1)


def test_the_entity_type_goes_on_without_what_has_no_name() -> None:
    document = read_csdl(old(entity("<Property/>")), "f.edmx")
    assert [item.name for item in document.types["A.T"].properties] == ["ID"]
