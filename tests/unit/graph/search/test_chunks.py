"""Windows lead to what stands in them, are encoded once, and a table of other texts is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.retrieval import chunkrag, tokens
from graph.retrieval.base import Corpus
from graph.retrieval.chunkrag import declarations
from graph.retrieval.chunks import Chunk, ChunkSources, ensure_table, load_table
from graph.retrieval.documents import text_of
from graph.retrieval.errors import IndexCorrupt, IndexMissing, StaleIndex
from graph.retrieval.tokens import cut_descriptions
from tests.unit.graph.search.conftest import CountingEmbedder

CHUNKS = [Chunk("sales order", (0, 1)), Chunk("bank account", (2,)), Chunk("sales order", (3,))]
DOCUMENT = """<edmx:Edmx><Schema Namespace="N">
  <EntityType Name="Order"><Property Name="a > b" Type="Edm.String"/></EntityType>
  <EntityType Name="Other"/>
  <EntityContainer><EntitySet Name='Orders' EntityType="N.Order"/><FunctionImport Name="Release"></FunctionImport>
</EntityContainer></Schema></edmx:Edmx>"""
NAMES = {"type N.Order": [0], "Orders": [0], "Release": [1]}


@pytest.fixture
def sources(counting: CountingEmbedder, tmp_path: Path) -> ChunkSources:
    return ChunkSources(counting, tmp_path / "snapshot", tmp_path / "vectors")


def test_equal_texts_are_encoded_once_and_loading_encodes_nothing(
    corpus: Corpus, sources: ChunkSources, counting: CountingEmbedder
) -> None:
    built = ensure_table("tokens", corpus, sources, "d", lambda: CHUNKS)
    assert counting.passages == 2
    loaded = load_table("tokens", corpus, sources, "d")
    query = counting.embed_queries(["order"])[0]
    assert np.array_equal(loaded.scores(query, 5), built.scores(query, 5))
    assert counting.passages == 2


def test_a_rebuild_takes_its_vectors_from_the_cache(
    corpus: Corpus, sources: ChunkSources, counting: CountingEmbedder, tmp_path: Path
) -> None:
    ensure_table("tokens", corpus, sources, "d", lambda: CHUNKS)
    ensure_table("tokens", corpus, replace(sources, folder=tmp_path / "other"), "e", lambda: [*CHUNKS, Chunk("x", ())])
    assert counting.passages == 3


def test_progress_is_told(corpus: Corpus, sources: ChunkSources) -> None:
    seen: list[tuple[int, int]] = []
    ensure_table("tokens", corpus, replace(sources, progress=lambda *at: seen.append(at)), "d", lambda: CHUNKS)
    assert seen == [(2, 2)]


def test_a_missing_a_stale_and_a_broken_table_are_refused(corpus: Corpus, sources: ChunkSources) -> None:
    with pytest.raises(IndexMissing):
        load_table("tokens", corpus, sources, "d")
    ensure_table("tokens", corpus, sources, "d", lambda: CHUNKS)
    with pytest.raises(StaleIndex):
        load_table("tokens", corpus, sources, "other texts")
    next(sources.folder.rglob("*.npz")).write_bytes(b"x")
    with pytest.raises(IndexCorrupt):
        load_table("tokens", corpus, sources, "d")


def test_an_endpoint_that_no_chunk_leads_to_has_no_score(corpus: Corpus, sources: ChunkSources) -> None:
    table = ensure_table("tokens", corpus, sources, "d", lambda: CHUNKS)
    scores = table.scores(sources.embedder.embed_queries(["order"])[0], 5)
    assert np.isfinite(scores).tolist() == [True, True, True, True, False]
    assert scores[0] == pytest.approx(scores[3])


@given(st.lists(st.integers(0, 300), min_size=1, max_size=6))
def test_windows_of_tokens_cover_every_endpoint_and_fit(sizes: list[int]) -> None:
    parts = [(row, " ".join([f"w{row}"] * size)) for row, size in enumerate(sizes)]
    chunks = cut_descriptions({"S": parts})
    assert all(len(chunk.text.split()) <= tokens.WINDOW for chunk in chunks)
    assert {row for chunk in chunks for row in chunk.rows} == {row for row, text in parts if text}
    assert all({f"w{row}" for row in chunk.rows} == set(chunk.text.split()) for chunk in chunks)


def test_elements_lead_to_what_they_declare_or_type() -> None:
    found = [(DOCUMENT[item.start : item.end].split()[0], item.rows) for item in declarations(DOCUMENT, NAMES)]
    assert found == [("<EntityType", (0,)), ("<EntitySet", (0,)), ("<FunctionImport", (1,))]


def test_windows_of_metadata_lose_their_markup_and_lead_somewhere(corpus: Corpus) -> None:
    item = corpus.endpoints[0]
    long = "".join(f'<Property Name="P{n}"/>' for n in range(200))
    text = f'<Schema Namespace="N"><Annotations>{"x" * 2000}</Annotations><EntitySet Name="{item.endpoint}">{long}</EntitySet>'
    chunks = chunkrag.cut_documents(corpus, {item.service: text})
    assert all(chunk.rows == (0,) and "<" not in chunk.text for chunk in chunks)
    assert len(chunks) == -(-len(long) // (chunkrag.WINDOW - chunkrag.OVERLAP)) + 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_metadata_is_read_in_its_encoding(encoding: str) -> None:
    told = "iso-8859-1" if encoding == "latin-1" else encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{told}"?><a>Größe</a>'
    assert text_of(text.encode(encoding)) == text
