"""Bindings in Turtle: the same rows, the same checks, the same provenance as in CSV."""

from pathlib import Path

import pytest

from graph.errors import TableError
from graph.turtle_bindings import read_turtle_bindings
from tests.unit.graph.world import FILES, ingest_world, read_world

_HEAD = """@prefix od: <https://w3id.org/countersign/odata#> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
_ONE = """[] a od:Binding ; od:processId "P" ; od:nodeId "T2" ; od:serviceName "SHIP" ; od:endpointName "Deliveries" ;
  od:mode "create" ; prov:wasAttributedTo <mailto:ann@corp.example> ; od:reviewedBy <#ben> ; od:confidence 0.9 .
<#ben> rdfs:label "Ben" .
"""


def turtle(text: str) -> bytes:
    """The text with its prefixes."""
    return (_HEAD + text).encode()


def test_a_binding_with_its_provenance(tmp_path: Path) -> None:
    reader = read_world(tmp_path, {"bindings.csv": None, "bindings.ttl": turtle(_ONE)})
    found = reader.bindings()[0]
    assert (found.endpoint.rpartition("/")[2], found.verb, found.confidence) == ("Deliveries", "create", 0.9)
    assert (found.author, found.reviewed_by) == ("ann@corp.example", "Ben")


def test_turtle_stands_beside_csv(tmp_path: Path) -> None:
    csv = b"\n".join(FILES["bindings.csv"].splitlines()[:2])
    assert len(read_world(tmp_path, {"bindings.csv": csv, "bindings.ttl": turtle(_ONE)}).bindings()) == 2


def test_each_is_checked_against_the_graph(tmp_path: Path) -> None:
    report = ingest_world(tmp_path, {"bindings.ttl": turtle(_ONE.replace('"Deliveries"', '"Gone"'))})
    assert report.unresolved == ("bindings.ttl, binding 1: binding P/T2: SHIP has no endpoint Gone",)


@pytest.mark.parametrize("value", ['"sure"', "1.5", "-0.1"])
def test_a_confidence_that_is_none_is_reported(tmp_path: Path, value: str) -> None:
    report = ingest_world(tmp_path, {"bindings.ttl": turtle(_ONE.replace("0.9", value))})
    assert "is no number from 0 to 1" in report.unresolved[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<a> <b>", r"b.ttl, line 3: is no Turtle: .*; mend the syntax"),
        ("<a> <b> <c> .", "b.ttl: holds no od:Binding; give resources of class"),
        (_ONE.replace('od:mode "create" ;', ""), "lacks od:mode; state it"),
        (_ONE.replace('"create"', '"create", "read"'), "states 2 values of mode; state one in each binding"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_turtle_bindings(turtle(text), "b.ttl")


def test_order_in_the_file_does_not_matter() -> None:
    two = _ONE.replace('"T2"', '"T1"')
    assert read_turtle_bindings(turtle(_ONE + two), "b") == read_turtle_bindings(turtle(two + _ONE), "b")
