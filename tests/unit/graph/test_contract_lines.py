"""Contracts and views beside the store: the same as those built from its triples, checked when read, never needed."""

import json
from pathlib import Path

import pytest

from graph.errors import SnapshotDamaged, UnknownService
from graph.reader import SnapshotReader, open_snapshot
from graph.snapshot import read_manifest, snapshot_dir, verify_snapshot
from tests.unit.graph.world import ingest_world
from wire.endpoint import EndpointContract, Verb


@pytest.fixture
def root(tmp_path: Path) -> Path:
    ingest_world(tmp_path)
    return tmp_path / "graph"


def _folder(root: Path) -> Path:
    return snapshot_dir(root, open_snapshot(root).graph_hash)


def _from_store(root: Path) -> SnapshotReader:
    kept = open_snapshot(root)
    return SnapshotReader(kept.store, kept.graph_hash)


def _contract(root: Path) -> EndpointContract:
    return open_snapshot(root).contract("SHIP", "Deliveries", Verb.CREATE)


@pytest.mark.parametrize("verb", list(Verb))
def test_lines_say_what_the_triples_say(root: Path, verb: Verb) -> None:
    kept, built = open_snapshot(root), _from_store(root)
    for item in kept.endpoints():
        assert list(kept.links(item.service, item.endpoint)) == list(built.links(item.service, item.endpoint))
        name = (item.service, item.endpoint, verb)
        assert kept.contract(*name).model_dump() == built.contract(*name).model_dump()
        assert kept.uncut(*name).model_dump() == built.uncut(*name).model_dump()
    assert kept.metadata_digest("SHIP") == built.metadata_digest("SHIP")


def test_types_are_shared_between_contracts(root: Path) -> None:
    reader = open_snapshot(root)
    create, update = (reader.contract("SHIP", "Deliveries", verb) for verb in (Verb.CREATE, Verb.UPDATE))
    assert create.types[0] is update.types[0]


def test_links_lead_from_set_to_set(root: Path) -> None:
    links = open_snapshot(root).links("ORDERS", "Orders")
    assert [(link.navigation, link.target) for link in links] == [("Items", "Items")]


def test_a_bound_operation_may_be_named_simply(root: Path) -> None:
    assert open_snapshot(root).uncut("SHIP", "Send", Verb.ACTION).bound_path == "Deliveries/Shop.Send"


def test_an_unknown_service_names_the_nearest(root: Path) -> None:
    with pytest.raises(UnknownService) as caught:
        open_snapshot(root).uncut("SHIPS", "Deliveries", Verb.READ)
    assert caught.value.nearest == ("SHIP",)


@pytest.mark.parametrize("text", [b'"Weight"', b'"lengths"'])
def test_a_changed_line_or_header_is_noticed_when_read(root: Path, text: bytes) -> None:
    file = _folder(root) / "contracts.jsonl"
    changed = file.read_bytes().replace(text, text.swapcase())
    file.write_bytes(changed)
    with pytest.raises(SnapshotDamaged, match="SHIP.* ingest again"):
        _contract(root)
    with pytest.raises(SnapshotDamaged):
        verify_snapshot(root, _folder(root).name)


def test_a_lost_file_is_read_from_the_store(root: Path) -> None:
    kept = _contract(root)
    (_folder(root) / "contracts.jsonl").unlink()
    assert _contract(root) == kept


def test_what_another_version_wrote_is_read_from_the_store_and_written_again(root: Path) -> None:
    kept, file = _contract(root), _folder(root) / "manifest.json"
    manifest = read_manifest(root, _folder(root).name)
    file.write_text(json.dumps({**manifest, "contracts": {"format": 0}}), "utf-8")
    assert _contract(root) == kept
    ingest_world(root.parent)
    assert read_manifest(root, _folder(root).name)["contracts"] == json.loads(json.dumps(manifest["contracts"]))
