"""What follows from a snapshot's graph and stands beside its store: summaries of all endpoints, and their contracts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from graph.contract_lines import FORMAT, READ_AT, service_lines
from graph.facts import Facts
from graph.nquads import lines_by_graph
from graph.service_facts import CATALOG, CURATED, Curated, graphs_of, read_catalog
from graph.service_model import ServiceModel
from graph.summaries import summaries_of, to_json
from graph.views import EndpointSummary


@dataclass(frozen=True)
class Derived:
    """``summaries``: text of ``endpoints.json``; ``contracts``: bytes of ``contracts.jsonl``; ``places``: of the services in
    them (offset and length of the header, its SHA-256)."""

    summaries: str
    contracts: bytes
    places: Mapping[str, tuple[int, int, str]]

    @property
    def index(self) -> dict[str, object]:
        """What the manifest says of ``contracts.jsonl``."""
        return {"format": FORMAT, "services": self.places}


def derive(lines: Iterable[str]) -> Derived:
    """Everything that follows from these N-Quads lines."""
    graphs = lines_by_graph(lines)
    catalog = read_catalog(Facts.of_lines(CATALOG, graphs.get(CATALOG, ())))
    # A table of which no row matched has a name in the catalog and no quads.
    tables = ((graph, Facts.of_lines(graph, graphs.get(graph, ()))) for graph in graphs_of(catalog, *CURATED))
    curated = Curated(tables, lambda graph: f"{READ_AT}{graph}")
    summaries: list[EndpointSummary] = []
    parts: list[bytes] = []
    places: dict[str, tuple[int, int, str]] = {}
    offset = 0
    for service, names in sorted(catalog.get("service", {}).items()):
        facts = Facts()
        for graph in sorted(names):
            facts.add_lines(graph, graphs.pop(graph))
        summaries += summaries_of(facts)
        curated.merge_into(facts, service)
        header, found = service_lines(ServiceModel(service, facts))
        places[service] = (offset, len(header), sha256(header).hexdigest())
        parts += (header, *found)
        offset += len(header) + sum(map(len, found))
    return Derived(to_json(sorted(summaries, key=lambda item: item.iri)), b"".join(parts), places)
