"""A worker that starts cold loads the index without encoding, and a new snapshot encodes only what it changes."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graph.index import build_index, ensure_index
from graph.views import EndpointSummary
from tests.unit.graph.search.conftest import CountingEmbedder
from tests.unit.graph.search.shop import ACTION, MemoryView

ROOT = Path(__file__).parents[4]
NEW = replace(ACTION, iri="urn:shop:new", endpoint="CancelDelivery", label="Cancel a delivery")


def encoded_by(counting: CountingEmbedder, folder: Path, summaries: list[EndpointSummary]) -> int:
    """How many texts a snapshot with other endpoints encodes once the shop's own index is there."""
    shop = MemoryView()
    ensure_index(shop, counting, folder / "one", cache=folder / "vectors")
    counting.passages = 0
    ensure_index(MemoryView("c" * 64, summaries), counting, folder / "two", cache=folder / "vectors")
    return counting.passages


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        (lambda all_of_them: all_of_them, 0),
        (lambda all_of_them: [*all_of_them, NEW], 1),
        (lambda all_of_them: all_of_them[1:], 0),
        (lambda all_of_them: [replace(item, iri=item.iri + "/moved") for item in all_of_them], 0),
    ],
    ids=["same", "one more", "one less", "other IRIs"],
)
def test_a_new_snapshot_encodes_what_changed(
    change: Callable[[list[EndpointSummary]], list[EndpointSummary]],
    texts: int,
    counting: CountingEmbedder,
    tmp_path: Path,
) -> None:
    assert encoded_by(counting, tmp_path, change(MemoryView().summaries)) == texts


def test_ensuring_again_encodes_nothing(shop: MemoryView, counting: CountingEmbedder, tmp_path: Path) -> None:
    ensure_index(shop, counting, tmp_path)
    counting.passages = 0
    ensure_index(shop, counting, tmp_path)
    assert counting.passages == 0


def test_damage_is_mended_from_the_cache(shop: MemoryView, counting: CountingEmbedder, tmp_path: Path) -> None:
    build_index(shop, counting, tmp_path, cache=tmp_path / "vectors")
    counting.passages = 0
    for file in (tmp_path / "index").rglob("*.faiss"):
        file.write_bytes(b"")
    ensure_index(shop, counting, tmp_path, cache=tmp_path / "vectors")
    assert counting.passages == 0


def test_a_cold_process_loads_no_model(shop: MemoryView, counting: CountingEmbedder, tmp_path: Path) -> None:
    build_index(shop, counting, tmp_path)
    code = f"""
import sys
from collections.abc import Callable
from pathlib import Path
from graph.embeddings import make_embedder
from graph.index import ensure_index
from tests.unit.graph.search.shop import MemoryView
index = ensure_index(MemoryView(), make_embedder("minilm-int8"), Path({str(tmp_path)!r}))
print(len(index.endpoints.iris), sorted({{"torch", "sentence_transformers", "onnxruntime"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == f"{len(shop.summaries)} []"
