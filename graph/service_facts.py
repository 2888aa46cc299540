"""Which named graphs a snapshot has, and the facts of one service together with what the curated tables say of it."""

from collections.abc import Callable, Iterable, Mapping

from graph.facts import Facts
from graph.iris import GRAPH, service_iri
from graph.vocabulary import OD, RDF, SKOS

CATALOG = f"{GRAPH}catalog"
CURATED = ("codes", "required", "valuehelp")

Catalog = Mapping[str, Mapping[str, list[str]]]
Members = dict[str, list[str]]


def read_catalog(facts: Facts) -> Catalog:
    """Kind -> name -> named graphs."""
    found: dict[str, dict[str, list[str]]] = {}
    for graph, _ in facts.subjects():
        kind, name = facts.text(graph, OD.kind), facts.text(graph, OD.name)
        found.setdefault(kind, {}).setdefault(name, []).append(graph)
    return found


def graphs_of(catalog: Catalog, *kinds: str) -> list[str]:
    """All named graphs of these kinds, sorted."""
    return sorted(graph for kind in kinds for graphs in catalog.get(kind, {}).values() for graph in graphs)


class Curated:
    """What the curated graphs say, by service."""

    def __init__(self, graphs: Iterable[tuple[str, Facts]], read_at: Callable[[str], str | None]) -> None:
        """``read_at``: instant at which a named graph was read from a live service; its code lists carry it."""
        self._of: dict[str, list[tuple[str, Members]]] = {}
        for graph, facts in graphs:
            instant = read_at(graph)
            for subject, members in facts.subjects():
                service = "/".join(subject.split("/")[:7])
                timed = instant and SKOS.ConceptScheme in members.get(RDF.type, ())
                told = {**members, OD.readAt: [instant]} if instant and timed else dict(members)
                self._of.setdefault(service, []).append((subject, told))

    def merge_into(self, facts: Facts, service: str) -> None:
        """Add what stands here of the service's members."""
        for subject, members in self._of.get(service_iri(service), ()):
            facts.merge(subject, members)
