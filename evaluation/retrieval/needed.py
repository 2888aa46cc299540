"""What a context must show for the golds of a query: keys, codes, cardinalities, and how one step hangs on another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from evaluation.retrieval.bench import Endpoint, Query
from graph.context_fields import OPERATIONS, keys_of, main_operation
from graph.views import EndpointSummary, GraphView
from wire.endpoint import EndpointContract, Property, Verb

Kind = Literal["keys", "required", "codes", "cardinalities", "dependencies"]
KINDS: tuple[Kind, ...] = ("keys", "required", "codes", "cardinalities", "dependencies")


@dataclass(frozen=True)
class Fact:
    """``of`` = the endpoints that it is about (one, or from and to); ``names`` = what must be shown of them."""

    kind: Kind
    of: tuple[Endpoint, ...]
    names: tuple[str, ...]


class Needs:
    """Facts of endpoints, read from contracts and the process layer of one graph."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._known: dict[Endpoint, EndpointSummary] = {}
        for item in view.endpoints():
            self._known.setdefault((item.service, item.endpoint.rpartition(".")[2]), item)
            self._known[item.service, item.endpoint] = item

    def of_query(self, query: Query, stands: Mapping[Endpoint, Endpoint]) -> Iterator[Fact]:
        """The facts of a query. ``stands``: gold -> what the context shows in its place (itself, or a twin)."""
        golds = [stands.get(gold, gold) for gold in query.gold if gold in self._known]
        asked = query.raw.get("property")
        for gold in golds:
            yield from self._alone(gold, asked if isinstance(asked, str) else None)
        for one in golds:
            for other in golds:
                yield from self._navigations(one, other)
        chain = [stands.get(gold, gold) for gold in query.chain if gold in self._known]
        if query.process:
            yield from self._order(query.process, chain)
            yield from self._carries(list(dict.fromkeys(golds)))

    def _alone(self, endpoint: Endpoint, asked: str | None) -> Iterator[Fact]:
        contract = self._contract(endpoint, Verb.READ)
        yield from (Fact("keys", (endpoint,), (name,)) for name in keys_of(contract))
        for item in self._members(contract):
            coded = item.code_list is not None and item.code_list.codes
            if (coded or item.allowed) and asked in (None, item.name):
                yield Fact("codes", (endpoint,), (item.name,))
        if contract.kind in OPERATIONS:
            operation = main_operation(contract)
            needed = [item for item in operation.parameters if item.required or not item.nullable] if operation else []
        else:
            creates = Verb.CREATE in self._bound.get(self._known[endpoint].iri, ())
            written = self._members(self._contract(endpoint, Verb.CREATE)) if creates else ()
            needed = [item for item in written if item.required and not item.computed]
        yield from (Fact("required", (endpoint,), (item.name,)) for item in needed)

    def _navigations(self, one: Endpoint, other: Endpoint) -> Iterator[Fact]:
        if one[0] != other[0] or self._known[one].kind != "EntitySet":
            return
        contract = self._contract(one, Verb.READ)
        owner, targets = contract.type(contract.entity_type), dict(contract.target_sets)
        for item in owner.navigations if owner else ():
            if (targets.get(f"{contract.endpoint}/{item.name}") or item.target_set) == other[1]:
                yield Fact("cardinalities", (one, other), (item.name, item.cardinality.value))

    def _order(self, process: str, chain: Sequence[Endpoint]) -> Iterator[Fact]:
        """Neighbours in the chain that the process really puts in this order."""
        for one, other in zip(chain, chain[1:], strict=False):
            starts = self._nodes_of(process, one)
            ends = self._nodes_of(process, other)
            if one != other and ends & self._after(starts):
                yield Fact("dependencies", (one, other), (process,))

    def _carries(self, golds: Sequence[Endpoint]) -> Iterator[Fact]:
        held = {part: gold for gold in reversed(golds) for part in (*self._parts(gold), gold)}
        for row in self._view.carries():
            source, target = (row.from_service, row.from_endpoint), (row.to_service, row.to_endpoint)
            if row.source == "declared" and source in held and target in held and held[source] != held[target]:
                names = (*source, row.from_property, *target, row.to_property)
                yield Fact("dependencies", (held[source], held[target]), names)

    def _parts(self, endpoint: Endpoint) -> Iterator[Endpoint]:
        """Sets that a create of the endpoint nests."""
        if self._known[endpoint].kind == "EntitySet":
            contract = self._contract(endpoint, Verb.READ)
            owner = contract.type(contract.entity_type)
            for item in owner.navigations if owner else ():
                if item.cardinality.value == "*" and item.target_set:
                    yield endpoint[0], item.target_set

    def _contract(self, endpoint: Endpoint, verb: Verb) -> EndpointContract:
        summary = self._known[endpoint]
        chosen = Verb.ACTION if Verb.ACTION in summary.verbs else verb
        return self._view.contract(summary.service, summary.endpoint, chosen)

    def _members(self, contract: EndpointContract) -> Sequence[Property]:
        if contract.kind in OPERATIONS:
            operation = main_operation(contract)
            return operation.parameters if operation else ()
        owner = contract.type(contract.entity_type)
        return owner.properties if owner else ()

    @cached_property
    def _bound(self) -> dict[str, tuple[Verb, ...]]:
        found: dict[str, tuple[Verb, ...]] = {}
        for binding in self._view.bindings():
            found[binding.endpoint] = (*found.get(binding.endpoint, ()), binding.verb)
        return found

    @cached_property
    def _next(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for edge in self._view.follows():
            found.setdefault(edge.source, set()).add(edge.target)
        return found

    @cached_property
    def _process_of(self) -> dict[str, str]:
        return {node.iri: node.process_id for node in self._view.process_nodes()}

    def _nodes_of(self, process: str, endpoint: Endpoint) -> set[str]:
        iri = self._known[endpoint].iri
        return {
            binding.node
            for binding in self._view.bindings()
            if binding.endpoint == iri and self._process_of.get(binding.node) == process
        }

    def _after(self, starts: set[str]) -> set[str]:
        seen: set[str] = set()
        waiting = list(starts)
        while waiting:
            for target in self._next.get(waiting.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen
