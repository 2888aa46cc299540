"""Large inputs for the graph's measures: a metadata file of a given size, and a snapshot copied under other service names."""

from collections.abc import Iterator, Sequence

from pyoxigraph import RdfFormat, Store

from graph.facts import Facts
from graph.iris import GRAPH, segment
from graph.nquads import GraphWriter
from graph.snapshot import quad_line
from graph.store import Triples
from graph.vocabulary import OD

_BATCH = 50_000
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


def copied_lines(source: Triples, names: Sequence[str], copy: int) -> Iterator[str]:
    """The graphs of these services as N-Quads lines, under the names ``NAME.COPY``."""
    graphs = _catalog(source)
    for name in names:
        old, new = f"/service/{segment(name)}", f"/service/{segment(name)}.{copy}"
        for quad in source.quads(graphs[name]):
            line = quad_line(quad).replace(f"{old}/", f"{new}/").replace(f"{old}>", f"{new}>")
            yield line.replace(f'<{OD.name}> "{name}"', f'<{OD.name}> "{name}.{copy}"')
        yield from _entry(graphs[name].replace(f"{old}/", f"{new}/"), f"{name}.{copy}")


def _catalog(source: Triples) -> dict[str, str]:
    """Service id -> its named graph."""
    facts = Facts.of_graphs(source, [f"{GRAPH}catalog"])
    return {
        facts.text(graph, OD.name): graph for graph, _ in facts.subjects() if facts.text(graph, OD.kind) == "service"
    }


def service_names(source: Triples) -> list[str]:
    """Ids of all services, sorted."""
    return sorted(_catalog(source))


def _entry(graph: str, name: str) -> Iterator[str]:
    writer = GraphWriter(f"{GRAPH}catalog")
    writer.type(graph, OD.Catalog)
    writer.text(graph, OD.kind, "service")
    writer.text(graph, OD.name, name)
    yield from writer.lines()


def bulk_load(store: Store, lines: Iterator[str], most: int | None = None) -> int:
    """Load lines in batches, ``most`` at most; returns how many. The store is optimised and flushed, as a snapshot is."""
    loaded = 0
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH or (most is not None and loaded + len(batch) == most):
            store.bulk_load("".join(batch).encode(), RdfFormat.N_QUADS)
            loaded, batch = loaded + len(batch), []
            if loaded == most:
                break
    store.bulk_load("".join(batch).encode(), RdfFormat.N_QUADS)
    store.optimize()
    store.flush()
    return loaded + len(batch)


def entity_sets(store: Triples) -> int:
    """How many EntitySets the store holds."""
    rows = store.select(f"SELECT (COUNT(?s) AS ?n) WHERE {{ GRAPH ?g {{ ?s a <{OD.EntitySet}> }} }}")
    return int(rows[0]["n"].value)
