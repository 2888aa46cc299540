"""Every number can be changed by its name, and each ablation changes something."""

import pytest

from graph.retrieval.base import Corpus
from graph.retrieval.countersign import CountersignRetriever
from graph.retrieval.weights import FEATURES, Weights, ablations


@pytest.mark.parametrize("name", ["said", "node.words", "blend.reach"])
def test_a_number_is_changed_by_its_name(name: str) -> None:
    changed = Weights().changed(name, 2.0)
    assert changed.numbers()[name] == 2.0
    assert {key for key, value in changed.numbers().items() if value != Weights().numbers()[key]} <= {name}


def test_no_fitted_weight_is_below_zero() -> None:
    assert set(Weights().features) == set(FEATURES)
    assert min(Weights().features.values()) >= 0


def test_each_ablation_takes_something_away() -> None:
    assert all(weights.numbers() != Weights().numbers() for weights in ablations().values())


def test_without_the_walk_no_hit_follows_another(corpus: Corpus) -> None:
    query = "The sales order is typed in. What happens next?"
    kinds = {
        name: {reason.kind for hit in CountersignRetriever(corpus, weights).search(query, 5) for reason in hit.reasons}
        for name, weights in {"whole": Weights(), "no-walk": ablations()["no-walk"]}.items()
    }
    assert "follows" in kinds["whole"]
    assert "follows" not in kinds["no-walk"]
