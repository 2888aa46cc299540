"""The fit of the fusion weights."""

import numpy as np

from evaluation.fit_weights import Example, fit, loss
from evaluation.retrieval.bench import Query
from graph.retrieval.weights import FEATURES


def examples() -> list[Example]:
    """Right endpoints are those with much of the first feature; the second says the opposite, the rest nothing."""
    draw = np.random.default_rng(1)
    found = []
    for number in range(12):
        features = draw.random((30, len(FEATURES)))
        right = np.arange(30) == features[:, 0].argmax()
        features[:, 1] = 1 - features[:, 0]
        found.append(Example(Query(f"q{number}", "text", "single"), features, right))
    return found


def test_what_tells_right_from_wrong_weighs_most() -> None:
    weights = fit(examples())
    assert max(weights, key=lambda name: weights[name]) == FEATURES[0]
    assert weights[FEATURES[1]] == 0


def test_the_fit_is_a_minimum_and_the_same_each_time() -> None:
    found = np.array(list(fit(examples()).values()))
    least = loss(examples(), found)[0]
    assert all(loss(examples(), np.maximum(found + step, 0))[0] > least for step in (-0.5, 0.5))
    assert fit(examples()) == fit(examples())


def test_the_gradient_is_that_of_the_loss() -> None:
    weights = np.linspace(0.5, 2, len(FEATURES))
    step = np.eye(len(FEATURES))[3] * 1e-5
    slope = (loss(examples(), weights + step)[0] - loss(examples(), weights - step)[0]) / 2e-5
    assert abs(slope - loss(examples(), weights)[1][3]) < 1e-6
