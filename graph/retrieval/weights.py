"""The few numbers of the Countersign retriever, in one place, and the ablations that tell what each idea is worth."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

FEATURES = (
    *("cosine", "words", "whole", "said", "node"),
    *("covered", "operation", "dense_rank", "parent", "verb"),
)
"""What is fused into the score of an endpoint for a part of a query (``graph.retrieval.reading``):

``cosine`` with its passage, ``words`` (BM25 on stems), ``whole`` (share of the concepts it has anywhere), ``said`` (share of
its name that is said), ``node`` (best process node that it is bound to), ``covered`` (a process uses its service),
``operation``, ``dense_rank`` (1 / rank by cosine with the query as written, of the first ten), ``parent`` (what leads to it is
named), ``verb`` (it allows what the query asks to do).
"""


@cache
def fitted() -> Mapping[str, float]:
    """The weights of ``FEATURES``, all at least 0, as ``python -m evaluation.fit_weights`` wrote them."""
    text = (resources.files("graph") / "data" / "fusion.json").read_text(encoding="utf-8")
    found = json.loads(text)["weights"]
    return MappingProxyType({name: float(found[name]) for name in FEATURES})


@dataclass(frozen=True)
class NodeWeights:
    """How near a process node is to a part of a query: cosine with its whole text (weight 1), its documentation and its label
    alone; ``words`` = share of the concepts in its text; ``bound`` = how well the name of an endpoint bound to it fits."""

    documentation: float = 0.5
    label: float = 0.4
    words: float = 1.0
    bound: float = 0.8


@dataclass(frozen=True)
class Blend:
    """How parts and walk are put together. Shares are of a whole of 1.

    ``whole_*``: share of the query as a whole beside its clauses, by kind of query (``graph.retrieval.query_kind``).
    ``node_of_one``: how much the score of process nodes counts when one thing is asked for, which need be no step of a process.
    ``context``: how much of the whole query's score a clause's score takes in. ``process``: what an endpoint of the process
    that the query is about gains; ``process_query`` and ``process_sharpness``: how that process is chosen.
    ``walk_forward``, ``walk_situation``: share of the walk; ``anchor_*``: how its start is chosen; ``decay``: factor for each
    bound step away from it; ``reach``: how many such steps are walked.
    ``ancestor``: what an endpoint whose whole name is said takes over from the best of those it leads to.
    """

    whole_maybe: float = 0.5
    whole_steps: float = 0.15
    whole_situation: float = 0.8
    whole_forward: float = 0.5
    node_of_one: float = 0.5
    context: float = 0.5
    process: float = 6.0
    process_query: float = 0.5
    process_sharpness: float = 8.0
    walk_forward: float = 0.9
    walk_situation: float = 0.2
    anchor_query: float = 0.5
    anchor_process: float = 0.5
    anchor_sharpness: float = 6.0
    decay: float = 0.85
    reach: int = 3
    ancestor: float = 0.1


@dataclass(frozen=True)
class Weights:
    """``features`` were fitted on the train split; ``node`` and ``blend`` chosen there in round numbers."""

    features: Mapping[str, float] = field(default_factory=fitted, hash=False)
    node: NodeWeights = NodeWeights()
    blend: Blend = Blend()

    def numbers(self) -> Mapping[str, float]:
        """Every number by its name: ``said``, ``node.label``, ``blend.decay``."""
        nested: dict[str, NodeWeights | Blend] = {"node": self.node, "blend": self.blend}
        inner = {
            f"{group}.{item.name}": float(getattr(held, item.name))
            for group, held in nested.items()
            for item in fields(held)
        }
        return {**self.features, **inner}

    def changed(self, name: str, value: float) -> "Weights":
        """These weights with one of ``numbers`` changed."""
        group, _, item = name.rpartition(".")
        if not group:
            return replace(self, features={**self.features, name: value})
        held = getattr(self, group)
        kind = type(getattr(held, item))
        inner: dict[str, Any] = {item: kind(value)}
        outer: dict[str, Any] = {group: replace(held, **inner)}
        return replace(self, **outer)

    def without(self, *names: str) -> "Weights":
        """These features count nothing."""
        return replace(self, features={name: 0.0 if name in names else value for name, value in self.features.items()})


def ablations() -> Mapping[str, Weights]:
    """Each idea taken away from the whole method, by name."""
    whole = Weights()
    one_part = Blend(whole_maybe=1, whole_steps=1, whole_situation=1, whole_forward=1, walk_forward=0, walk_situation=0)
    by_feature = {f"no-{name.replace('_', '-')}": whole.without(name) for name in FEATURES}
    return {
        **by_feature,
        "no-lexical": whole.without("words", "whole", "said", "parent"),
        "no-process-layer": replace(whole.without("node", "covered"), blend=replace(one_part, process=0)),
        "no-walk": replace(whole, blend=replace(whole.blend, walk_forward=0, walk_situation=0)),
        "no-clauses": replace(whole, blend=replace(one_part, walk_forward=0.9, walk_situation=0.2)),
        "no-process-choice": replace(whole, blend=replace(whole.blend, process=0, anchor_process=0)),
        "no-ancestor": replace(whole, blend=replace(whole.blend, ancestor=0)),
        "no-node-words": replace(whole, node=replace(whole.node, words=0)),
        "no-node-parts": replace(whole, node=replace(whole.node, documentation=0, label=0)),
        "no-node-bound": replace(whole, node=replace(whole.node, bound=0)),
    }
