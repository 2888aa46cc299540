"""What each idea of the default retriever is worth: the whole method against itself without the idea."""

from typing import Any

from evaluation.retrieval.bench import Bench
from evaluation.retrieval.comparisons import clusters_of, compare_pair
from evaluation.retrieval.ranking import groups_of, rank_all, spelling
from evaluation.retrieval.results import Scores, means
from evaluation.retrieval.scoring import score_all
from evaluation.retrieval.world import World
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.weights import ablations


def idea_rows(world: World, bench: Bench, whole: Scores, *, seed: int = 0) -> dict[str, Any]:
    """``results[ablation][type][metric]``, and ``comparisons`` of the whole method (a) with each ablation (b)."""
    corpus, names = world.corpus(), spelling(bench, world.view)
    groups, clusters = groups_of(bench), clusters_of(bench)
    results: dict[str, Any] = {}
    comparisons: list[dict[str, object]] = []
    for name, weights in ablations().items():
        world.say(f"  ablation: {name}")
        ranked = rank_all(CountersignRetriever(corpus, weights), bench.scored, names, timed=False)
        scores = score_all(ranked.judged(bench))
        results[name] = means(scores, groups)
        for kind, ids in groups.items():
            labels = {"a": "countersign", "b": name, "type": kind}
            comparisons += compare_pair(whole, scores, ids, clusters, seed=seed, labels=labels)
    return {"results": results, "comparisons": comparisons}
