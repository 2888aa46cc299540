"""A worker that warms up has its index on disk, and the next one finds it there."""

from pathlib import Path

from activities.graph_shelf import GraphShelf
from tests.unit.graph.search.shop import MemoryView


class OneSnapshot:
    """A library with the shop as its only snapshot."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def current(self) -> str:
        return "a" * 64

    def open(self, digest: str) -> MemoryView:
        return MemoryView(digest)

    def folder(self, digest: str) -> Path:
        return self._root / digest


def shelf(root: Path) -> GraphShelf:
    return GraphShelf(OneSnapshot(root), root, embedder="minilm-int8", retriever="countersign", budget_tokens=4000)


def test_the_second_worker_builds_nothing(tmp_path: Path) -> None:
    shelf(tmp_path).warm()
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.faiss")}
    shelf(tmp_path).warm()
    assert files
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.faiss")} == files


def test_one_retriever_is_kept_for_a_snapshot(tmp_path: Path) -> None:
    opened = shelf(tmp_path)
    assert opened.retriever("a" * 64) is opened.retriever("a" * 64)
