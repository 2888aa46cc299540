"""Loading again: what changed inside services, what stays with ``keep``, what a reload resolves."""

from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

from graph.changes import Change, service_changes
from graph.errors import SnapshotDamaged
from graph.facts import Facts
from graph.from_csdl import write_service
from graph.ingest import IngestReport, ingest
from graph.source_store import remove_sources
from odata.csdl import read_csdl
from odata.csdl_policy import CsdlPolicy, Defect
from tests.unit.graph.world import FILES, SHIP, ingest_world, write_world
from tests.unit.odata.csdl_samples import v4


def changed(*swaps: tuple[str, str]) -> list[str]:
    """What differs when texts of the sample service are swapped."""
    after = SHIP
    for old, new in swaps:
        assert old in after
        after = after.replace(old, new)
    facts = []
    for text in (SHIP, after):
        writer = write_service("SHIP", read_csdl(v4(text), "SHIP.xml"))
        facts.append(Facts())
        for quad in parse("".join(writer.lines()).encode(), format=RdfFormat.N_QUADS):
            facts[-1].add(quad)
    return [str(change) for change in service_changes("SHIP", *facts)]


def test_the_same_service_has_no_changes() -> None:
    assert changed() == []


def test_a_facet_that_changed_shows_both_values() -> None:
    assert changed(('Precision="9"', 'Precision="11"')) == [
        "SHIP: changed Property Shop.Delivery/Weight (precision 9 -> precision 11)"
    ]


def test_a_property_that_came_and_one_that_went() -> None:
    lines = changed(('<Property Name="State" Type="Self.State"/>', '<Property Name="Phase" Type="Self.State"/>'))
    assert lines == ["SHIP: added Property Shop.Delivery/Phase", "SHIP: removed Property Shop.Delivery/State"]


def test_members_of_what_went_are_not_told_again() -> None:
    parcel = '<EntityType Name="Parcel"><Key><PropertyRef Name="No"/></Key><Property Name="No" Type="Edm.Int32"/></EntityType>'
    assert "SHIP: removed EntityType Shop.Parcel" in changed((parcel, ""))
    assert not any("Parcel/No" in line for line in changed((parcel, "")))


def test_a_permission_and_a_set_that_changed() -> None:
    assert changed(('Property="Deletable" Bool="false"', 'Property="Deletable" Bool="true"')) == [
        "SHIP: changed EntitySet Deliveries (deletable Denied -> deletable Verified)"
    ]


def test_ingestion_tells_the_elements(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    report = ingest_world(tmp_path, {"SHIP.xml": v4(SHIP.replace('Precision="9"', 'Precision="11"'))})
    assert report.changes == ("changed service SHIP",)
    assert report.elements == (
        Change("changed", "SHIP", "Property", "Shop.Delivery/Weight", "precision 9", "precision 11"),
    )


def add(tmp_path: Path, name: str, data: bytes) -> IngestReport:
    """Ingest one more file, keeping the rest."""
    (tmp_path / name).write_bytes(data)
    return ingest([tmp_path / name], tmp_path / "graph", keep=True)


def test_kept_sources_stay_and_a_newer_one_replaces_its_own(tmp_path: Path) -> None:
    before = {(item.kind, item.name) for item in ingest_world(tmp_path).loaded}
    report = add(tmp_path, "SHIP.xml", v4(SHIP.replace("Weight", "Mass")))
    assert {(item.kind, item.name) for item in report.loaded} == before
    assert report.changes == ("changed service SHIP",)


def test_keeping_gives_the_same_graph_as_loading_all(tmp_path: Path) -> None:
    whole = ingest_world(tmp_path / "whole").graph_hash
    ingest_world(tmp_path, {"SHIP.xml": None})
    assert add(tmp_path, "SHIP.xml", FILES["SHIP.xml"] or b"").graph_hash == whole


def test_a_binding_that_a_reload_loses_is_kept_and_a_later_one_resolves_it(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    lost = add(tmp_path, "SHIP.xml", v4("<EntityType Name='A'/>"))
    assert lost.unresolved == ("bindings.csv, line 3: binding P/T2: SHIP has no endpoint Deliveries",)
    assert add(tmp_path, "SHIP.xml", FILES["SHIP.xml"] or b"").unresolved == ()


def test_without_keep_only_what_is_given_is_loaded(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    report = ingest([tmp_path / "sources" / "SHIP.xml"], tmp_path / "graph")
    assert [item.name for item in report.loaded] == ["SHIP"]


def test_a_lost_copy_is_said(tmp_path: Path) -> None:
    ingest_world(tmp_path)
    assert remove_sources(tmp_path / "graph", ()) == len(FILES)
    with pytest.raises(SnapshotDamaged, match="the kept copy of .* is lost or changed: give the file itself"):
        add(tmp_path, "SHIP.xml", v4(""))


def test_a_stricter_policy_is_another_ingestion(tmp_path: Path) -> None:
    folder = write_world(tmp_path / "sources", {"BAD.xml": v4('<EntityType Name="A" BaseType="Self.Gone"/>')})
    assert ingest([folder], tmp_path / "graph").refused == ()
    strict = CsdlPolicy({Defect.DANGLING_TYPE: "refuse"})
    assert [item.file for item in ingest([folder], tmp_path / "graph", policy=strict).refused] == ["BAD.xml"]
