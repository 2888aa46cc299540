"""The typed context for one goal: endpoints with their contracts, the process chain they lie on, and the keys it carries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from graph.clauses import split_clauses
from graph.context_budget import Relevance, cut_to_budget
from graph.context_chain import chain_steps, choose_processes
from graph.context_links import links_of
from graph.context_owners import owners_of
from graph.context_views import Wanted, views_of
from graph.intent import verbs_of
from graph.retrieval.anchors import asks_for_chain
from graph.retrieval.base import Retriever
from graph.retrieval.glossary import expand
from graph.scope import is_out_of_scope
from graph.views import GraphView, ProcessLayer
from wire.context import CarryOver, EndpointView, Hit, NestedView, Reason, TypedContext
from wire.endpoint import Verb

BUDGET_TOKENS = 24_000
HITS = 10
_DEPTH = 30
"""How far each clause's list is read to find the clause that an endpoint answers best."""
_NEVER = 10**6
_SURE = 5
"""Operations up to this rank stay though no process binds them: their name is what they do."""
_SMOOTH = 2
"""Reciprocal rank fusion with this constant: the first of a list counts 1/3, the second 1/4 …"""


def build_context(
    goal: str, view: GraphView, retriever: Retriever, *, budget_tokens: int = BUDGET_TOKENS, k: int = HITS
) -> TypedContext:
    """Search for the goal and for each of its clauses, follow the process, and show what was found within the budget."""
    clauses = split_clauses(goal)
    parts = [goal, *(clauses if len(clauses) > 1 else ())]
    evidence = [retriever.evidence(part) for part in parts]
    lists = [retriever.search(part, max(k, _DEPTH)) for part in parts]
    empty = TypedContext(goal=goal, clauses=clauses, graph_hash=view.graph_hash, retriever=retriever.name, endpoints=())
    if not lists[0] or is_out_of_scope(evidence):
        nearest = ", ".join(f"{hit.service}/{hit.endpoint}" for hit in lists[0][:3]) or "none"
        return empty.model_copy(
            update={"out_of_scope": True, "cut": (f"nothing is near the goal; nearest: {nearest}",)}
        )
    layer = view.layer()
    found = _fuse(layer, lists, k)
    leading = [item.summary.iri for item in found if item.leads]
    chosen = choose_processes(layer, [item.summary.iri for item in found], leading, evidence[0].processes)
    wanted = _with_chain(layer, found, chosen, whole=asks_for_chain(goal, clauses))
    asked = [verbs_of(part) for part in (goal, *clauses)]
    wanted = [
        replace(item, asked=asked[0] if item.clause is None else asked[item.clause + 1] or asked[0]) for item in wanted
    ]
    views = [each for item in wanted for each in views_of(view, item)]
    owners = owners_of(view, views, len(wanted))
    # Only to be read: what else an owner allows is no part of this goal.
    views += [each for item in owners for each in views_of(view, item) if each.verb is Verb.READ]
    wanted = [*wanted, *owners]
    carries = _carries(view, views)
    shown, cut, tokens = cut_to_budget(views, _relevance(goal, views, carries), budget_tokens, _is_secondary(wanted))
    steps = chain_steps(layer, chosen)
    found_parts = {"endpoints": shown, "chain": steps, "carries": carries, "links": links_of(view, shown)}
    return empty.model_copy(update={**found_parts, "cut": cut, "tokens": tokens})


@dataclass
class _Found:
    score: float = 0.0
    clause: int | None = None
    clause_rank: int = _NEVER
    clause_score: float = 0.0
    best_rank: int = _NEVER
    reasons: tuple[Reason, ...] = ()


def _fuse(layer: ProcessLayer, lists: Sequence[list[Hit]], k: int) -> list[Wanted]:
    """The ``k`` best endpoints over the goal's list and the clauses' lists, each with the clause that it answers best."""
    found: dict[tuple[str, str], _Found] = {}
    for number, hits in enumerate(lists):
        for hit in hits:
            item = found.setdefault((hit.service, hit.endpoint), _Found())
            # The goal as a whole knows what "it" in a clause means: it counts as much as all clauses together.
            item.score += (1 if number == 0 else 1 / (len(lists) - 1)) / (hit.rank + _SMOOTH)
            if number and (hit.rank, -hit.score) < (item.clause_rank, -item.clause_score):
                item.clause, item.clause_rank, item.clause_score = number - 1, hit.rank, hit.score
            if hit.rank < item.best_rank:
                item.best_rank, item.reasons = hit.rank, hit.reasons
    by_name = layer.by_name
    order = sorted(found, key=lambda name: (-round(found[name].score, 9), by_name[name].iri))
    # Each list keeps its first hit, however the fused ranks fall.
    leaders = {(hits[0].service, hits[0].endpoint) for hits in lists if hits}
    seats = sorted(order, key=lambda name: name not in leaders)[: max(k, len(leaders))]
    return [
        Wanted(
            summary=by_name[name],
            rank=rank,
            score=round(found[name].score, 6),
            clause=found[name].clause,
            reasons=found[name].reasons,
            leads=name in leaders,
        )
        for rank, name in enumerate((name for name in order if name in seats), start=1)
    ]


def _with_chain(layer: ProcessLayer, found: Sequence[Wanted], processes: Sequence[str], *, whole: bool) -> list[Wanted]:
    """The hits with the verbs that the processes bind; for a goal that asks for a chain, its other endpoints behind them."""
    bound = {iri: rows for process in reversed(processes) for iri, rows in layer.bound_in(process).items()}
    result = []
    for item in found:
        rows = bound.get(item.summary.iri, ())
        reference = next((row.reference_property for row in rows if row.reference_property), "")
        verbs = tuple(dict.fromkeys(row.verb for row in rows))
        result.append(replace(item, bound=verbs, reference_property=reference))
    if not whole:
        return result
    known = {item.summary.iri for item in result}
    for process in processes:
        for iri, rows in layer.bound_in(process).items():
            if iri in layer.endpoints and iri not in known:
                known.add(iri)
                node = layer.nodes[rows[0].node]
                reason = Reason(kind="binding", text=f'is step "{node.label}" of {node.process}')
                reference = next((row.reference_property for row in rows if row.reference_property), "")
                verbs = tuple(dict.fromkeys(row.verb for row in rows))
                rank = len(result) + 1
                result.append(
                    Wanted(layer.endpoints[iri], rank, 0.0, None, (reason,), bound=verbs, reference_property=reference)
                )
    return result


def _carries(view: GraphView, views: Sequence[EndpointView]) -> tuple[CarryOver, ...]:
    """Keys carried between endpoints of the context, entities nested in them included."""
    present = {(each.service, each.endpoint) for each in views}
    present |= {(each.service, name) for each in views for name in _targets(each.nested)}
    return tuple(
        row
        for row in view.carries()
        if (row.from_service, row.from_endpoint) in present and (row.to_service, row.to_endpoint) in present
    )


def _targets(nested: Sequence[NestedView]) -> list[str]:
    own = [item.target_set for item in nested if item.target_set]
    return own + [name for item in nested for name in _targets(item.nested)]


def _relevance(goal: str, views: Sequence[EndpointView], carries: Sequence[CarryOver]) -> Relevance:
    kept = {(row.to_endpoint, row.to_property) for row in carries}
    kept |= {(row.from_endpoint, row.from_property) for row in carries}
    kept |= {(each.endpoint, each.reference_property) for each in views if each.reference_property}
    return Relevance(expand(goal), frozenset(kept))


def _is_secondary(wanted: Sequence[Wanted]) -> Callable[[EndpointView], bool]:
    """Views that give way first: verbs that neither a chosen process binds nor the words of the goal ask for."""
    fitting = {
        (item.summary.service, item.summary.endpoint, verb) for item in wanted for verb in (*item.bound, *item.asked)
    }
    silent = {(item.summary.service, item.summary.endpoint) for item in wanted if not item.bound and not item.asked}

    def secondary(view: EndpointView) -> bool:
        if view.verb is Verb.ACTION:
            return (view.service, view.endpoint, view.verb) not in fitting and view.rank > _SURE
        if (view.service, view.endpoint) in silent:
            return view.verb is not Verb.READ
        return (view.service, view.endpoint, view.verb) not in fitting

    return secondary
