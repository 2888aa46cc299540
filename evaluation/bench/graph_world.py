"""Large inputs for the graph's measures: a metadata file of a given size, and a snapshot copied under other service names."""

import json
import mmap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path

from pyoxigraph import Store

from graph.bulk_load import load_lines, settle
from graph.contract_source import ContractFile
from graph.derived import derive
from graph.facts import Facts
from graph.iris import GRAPH, segment
from graph.nquads import GraphWriter
from graph.reader import SnapshotReader
from graph.snapshot import quad_line
from graph.store import EmbeddedStore, Triples
from graph.vocabulary import OD

_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"
 xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns:sap="http://www.sap.com/Protocols/SAPData">
<edmx:DataServices m:DataServiceVersion="2.0"><Schema Namespace="BIG" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">
"""
_PROPERTY = (
    '<Property Name="Field{0}" Type="Edm.String" MaxLength="{0}" sap:label="Field {0}" sap:creatable="false" '
    'sap:sortable="false" sap:value-list="standard"/>\n'
)
_PROPERTIES = 40


def metadata_of(size: int) -> bytes:
    """A V2 document of at least ``size`` bytes: entity types with forty properties and sap: attributes, a set for each."""
    fields = "".join(_PROPERTY.format(number) for number in range(1, _PROPERTIES))
    types: list[str] = []
    sets: list[str] = []
    made = 0
    while made < size:
        name = f"Type{len(types)}"
        key = f'<Property Name="{name}Key" Type="Edm.String" Nullable="false" MaxLength="10"/>\n'
        head = f'<EntityType Name="{name}"><Key><PropertyRef Name="{name}Key"/></Key>'
        types.append(f"{head}{key}{fields}</EntityType>\n")
        made += len(types[-1])
        sets.append(f'<EntitySet Name="{name}Set" EntityType="BIG.{name}"/>\n')
    container = f'<EntityContainer Name="C" m:IsDefaultEntityContainer="true">{"".join(sets)}</EntityContainer>'
    return f"{_HEAD}{''.join(types)}{container}</Schema></edmx:DataServices></edmx:Edmx>".encode()


class Services:
    """The graphs of all services of a snapshot as text, to be copied under other names."""

    def __init__(self, source: Triples) -> None:
        self._graphs = _catalog(source)
        self._texts = {
            name: "".join(sorted(quad_line(quad) for quad in source.quads(graph)))
            for name, graph in sorted(self._graphs.items())
        }

    def copied(self, copy: int) -> list[str]:
        """All services as N-Quads lines, under the names ``NAME.COPY``, with their catalogue."""
        lines: list[str] = []
        for name, text in self._texts.items():
            old, new = f"/service/{segment(name)}", f"/service/{segment(name)}.{copy}"
            text = text.replace(f"{old}/", f"{new}/").replace(f"{old}>", f"{new}>")
            text = text.replace(f'<{OD.name}> "{name}"', f'<{OD.name}> "{name}.{copy}"')
            lines += text.splitlines(keepends=True)
            lines += _entry(self._graphs[name].replace(f"{old}/", f"{new}/"), f"{name}.{copy}")
        return lines


def _catalog(source: Triples) -> dict[str, str]:
    """Service id -> its named graph."""
    facts = Facts.of_graphs(source, [f"{GRAPH}catalog"])
    return {
        facts.text(graph, OD.name): graph for graph, _ in facts.subjects() if facts.text(graph, OD.kind) == "service"
    }


def _entry(graph: str, name: str) -> Iterator[str]:
    writer = GraphWriter(f"{GRAPH}catalog")
    writer.type(graph, OD.Catalog)
    writer.text(graph, OD.kind, "service")
    writer.text(graph, OD.name, name)
    yield from writer.lines()


def write_copies(folder: Path, source: Triples, sets: int) -> None:
    """A snapshot's store, and what is derived beside it, of as many copies as hold at least that many EntitySets."""
    services = Services(source)
    store = Store(str(folder / "store"))
    summaries: list[dict[str, object]] = []
    places: dict[str, tuple[int, int, str]] = {}
    with (folder / "contracts.jsonl").open("wb") as contracts, ThreadPoolExecutor(1) as pool:
        for copy in range(ceil(sets / entity_sets(source))):
            lines = services.copied(copy)
            loading = pool.submit(load_lines, store, lines)
            derived = derive(lines)
            start = contracts.tell()
            places |= {name: (start + at, size, digest) for name, (at, size, digest) in derived.places.items()}
            contracts.write(derived.contracts)
            summaries += json.loads(derived.summaries)
            loading.result()
    settle(store)
    summaries.sort(key=lambda item: str(item["iri"]))
    (folder / "endpoints.json").write_text(json.dumps(summaries, ensure_ascii=False), "utf-8")
    (folder / "index.json").write_text(json.dumps({"services": places}), "utf-8")


def open_copies(folder: Path) -> SnapshotReader:
    """What ``write_copies`` wrote, as a process opens a snapshot."""
    store = EmbeddedStore(Store.read_only(str(folder / "store")))
    with (folder / "contracts.jsonl").open("rb") as handle:
        data = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    contracts = ContractFile(data, json.loads((folder / "index.json").read_bytes()), "copies", {})
    return SnapshotReader(store, "copies", (folder / "endpoints.json").read_text("utf-8"), {}, contracts)


def entity_sets(store: Triples) -> int:
    """How many EntitySets the store holds."""
    rows = store.select(f"SELECT (COUNT(?s) AS ?n) WHERE {{ GRAPH ?g {{ ?s a <{OD.EntitySet}> }} }}")
    return int(rows[0]["n"].value)
