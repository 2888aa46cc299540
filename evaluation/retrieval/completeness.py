"""How much of what a call needs stands in the typed context that the agent gets from the first five hits.

Unconditional: over all golds. Given the entities: over the facts whose endpoints the context shows at all.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.retrieval.bench import Bench, Endpoint, Query, Twins
from evaluation.retrieval.needed import KINDS, Fact, Needs
from graph.context import build_context
from graph.retrieval.base import Retriever
from graph.views import GraphView
from wire.context import ChainStep, EndpointView, FieldView, TypedContext

K = 5


def completeness(
    view: GraphView, retriever: Retriever, bench: Bench, groups: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Type -> kind of fact -> ``facts``, ``share`` shown; of the facts of shown endpoints: ``facts_found``, ``share_found``."""
    needs = Needs(view)
    counted: dict[str, list[tuple[str, bool, bool]]] = {}
    entities: dict[str, tuple[int, int]] = {}
    for query in bench.scored:
        context = Shown(build_context(query.text, view, retriever, k=K))
        stands = {gold: at for gold in query.gold if (at := context.stand_in(gold, query, bench.twins))}
        entities[query.id] = (len(stands), len(query.gold))
        facts = dict.fromkeys(needs.of_query(query, stands))
        there = set(stands.values())
        counted[query.id] = [(fact.kind, context.shows(fact), there.issuperset(fact.of)) for fact in facts]
    return {
        kind: {
            "entities": _entities(entities[name] for name in names),
            **_shares(row for name in names for row in counted[name]),
        }
        for kind, names in groups.items()
    }


def _entities(counts: Iterable[tuple[int, int]]) -> dict[str, Any]:
    found, golds = (sum(column) for column in zip(*counts, strict=True))
    return {"facts": golds, "share": round(found / golds, 4)}


def _shares(rows: Iterable[tuple[str, bool, bool]]) -> dict[str, dict[str, Any]]:
    by_kind: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for kind, shown, found in rows:
        by_kind[kind].append((shown, found))
    result: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        every = by_kind[kind]
        given = [shown for shown, found in every if found]
        result[kind] = {
            "facts": len(every),
            "share": _share([shown for shown, _ in every]),
            "facts_found": len(given),
            "share_found": _share(given),
        }
    return result


def _share(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


class Shown:
    """A context, indexed for questions about what it shows. Operations may be asked for without their namespace."""

    def __init__(self, context: TypedContext) -> None:
        self._views: dict[Endpoint, list[EndpointView]] = {}
        for item in context.endpoints:
            for name in {item.endpoint, item.endpoint.rpartition(".")[2]}:
                self._views.setdefault((item.service, name), []).append(item)
        self._chain = context.chain
        self._links = {
            (((link.service, link.endpoint), (link.service, link.target)), (link.navigation, link.cardinality.value))
            for link in context.links
        }
        self._carries = {
            (row.from_service, row.from_endpoint, row.from_property, row.to_service, row.to_endpoint, row.to_property)
            for row in context.carries
        }

    def stand_in(self, gold: Endpoint, query: Query, twins: Twins) -> Endpoint | None:
        """The gold when it is shown, else a twin that is."""
        others = twins.get(gold, frozenset()) | {one for one, golds in query.instead_of.items() if gold in golds}
        return next((name for name in (gold, *sorted(others)) if name in self._views), None)

    def shows(self, fact: Fact) -> bool:
        """Whether the context says it."""
        views = self._views.get(fact.of[0], [])
        match fact.kind:
            case "keys":
                return any(fact.names[0] in view.keys for view in views)
            case "required":
                return any(field.name == fact.names[0] and field.required for field in _fields(views))
            case "codes":
                return any(field.name == fact.names[0] and field.codes for field in _fields(views))
            case "cardinalities":
                return (fact.of, fact.names) in self._links
            case "dependencies":
                return fact.names in self._carries if len(fact.names) > 1 else self._in_order(fact)

    def _in_order(self, fact: Fact) -> bool:
        """Whether the chain leads from a step of the one endpoint to a step of the other."""
        one, other = fact.of
        steps = [step for step in self._chain if step.process_id == fact.names[0]]
        before: dict[str, tuple[str, ...]] = {step.node_id: step.follows for step in steps}
        starts = {step.node_id for step in steps if _is_at(step, one)}
        waiting = [step.node_id for step in steps if _is_at(step, other)]
        seen: set[str] = set()
        while waiting:
            for node in before.get(waiting.pop(), ()):
                if node in starts:
                    return True
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return False


def _is_at(step: ChainStep, endpoint: Endpoint) -> bool:
    name = step.endpoint or ""
    return step.service == endpoint[0] and endpoint[1] in (name, name.rpartition(".")[2])


def _fields(views: Sequence[EndpointView]) -> list[FieldView]:
    return [field for view in views for field in view.fields]
