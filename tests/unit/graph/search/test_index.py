"""The index is built once, loaded without encoding, refuses what it does not fit, and is replaced whole."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.embeddings import Embedder
from graph.index import build_index, ensure_index, index_folder, load_index
from graph.retrieval.errors import IndexCorrupt, IndexMissing, StaleIndex
from tests.unit.graph.search.conftest import CountingEmbedder
from tests.unit.graph.search.shop import ACTION, MemoryView, with_hash


def test_loading_encodes_nothing_and_gives_the_same_scores(
    shop: MemoryView, counting: CountingEmbedder, tmp_path: Path
) -> None:
    built = build_index(shop, counting, tmp_path)
    counting.passages = 0
    loaded = load_index(shop, counting.fingerprint, tmp_path)
    query = counting.embed_queries(["ship goods"])[0]
    assert counting.passages == 0
    assert loaded.endpoints.nearest(query, 3) == built.endpoints.nearest(query, 3)


def test_a_rebuild_encodes_only_what_changed(shop: MemoryView, counting: CountingEmbedder, tmp_path: Path) -> None:
    build_index(shop, counting, tmp_path / "one", cache=tmp_path / "vectors")
    counting.passages = 0
    changed = [replace(item, label="Goods out") if item == ACTION else item for item in shop.summaries]
    build_index(MemoryView("c" * 64, changed), counting, tmp_path / "two", cache=tmp_path / "vectors")
    assert counting.passages == 1


def test_missing_index_is_named(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match=onnx.fingerprint.key):
        load_index(shop, onnx.fingerprint, tmp_path)


def test_index_of_another_graph_is_stale(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    build_index(shop, onnx, tmp_path)
    with pytest.raises(StaleIndex, match="d" * 64):
        load_index(with_hash(shop, "d" * 64), onnx.fingerprint, tmp_path)


def test_index_of_other_texts_is_stale(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    build_index(shop, onnx, tmp_path)
    with pytest.raises(StaleIndex, match="texts"):
        load_index(MemoryView(summaries=shop.summaries[:-1]), onnx.fingerprint, tmp_path)


def test_index_of_another_model_is_not_found(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    build_index(shop, onnx, tmp_path)
    with pytest.raises(IndexMissing):
        load_index(shop, replace(onnx.fingerprint, max_seq=64), tmp_path)


@pytest.mark.parametrize("name", ["endpoints.faiss", "labels.faiss", "nodes.faiss", "manifest.json"])
def test_damage_is_refused_and_mended(name: str, shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    build_index(shop, onnx, tmp_path)
    path = index_folder(tmp_path, onnx.fingerprint) / name
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(IndexCorrupt, match=name):
        load_index(shop, onnx.fingerprint, tmp_path)
    ensure_index(shop, onnx, tmp_path)
    assert load_index(shop, onnx.fingerprint, tmp_path).endpoints.iris


def test_two_builders_at_once_leave_one_whole_index(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    failures: list[Exception] = []

    def build() -> None:
        try:
            build_index(shop, onnx, tmp_path, cache=tmp_path / "vectors")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [path.name for path in (tmp_path / "index").iterdir()] == [onnx.fingerprint.key]


def test_manifest_names_graph_and_model(shop: MemoryView, onnx: Embedder, tmp_path: Path) -> None:
    build_index(shop, onnx, tmp_path)
    manifest = json.loads((index_folder(tmp_path, onnx.fingerprint) / "manifest.json").read_text())
    assert manifest["graph_hash"] == shop.graph_hash
    assert manifest["model"]["weights"] == onnx.fingerprint.weights


def test_equal_cosines_stand_in_order_of_iri_across_the_cut(onnx: Embedder, tmp_path: Path) -> None:
    twins = [replace(ACTION, iri=f"urn:shop:twin:{n:02}") for n in range(40)]
    index = build_index(MemoryView(summaries=list(reversed(twins))), onnx, tmp_path)
    found = index.endpoints.nearest(onnx.embed_queries(["goods issue"])[0], 5)
    assert [iri for iri, _ in found] == [f"urn:shop:twin:{n:02}" for n in range(5)]


def test_an_empty_graph_has_an_empty_index(onnx: Embedder, tmp_path: Path) -> None:
    index = build_index(MemoryView(summaries=[], nodes=()), onnx, tmp_path)
    assert index.endpoints.nearest(np.ones(384, dtype=np.float32), 3) == []
