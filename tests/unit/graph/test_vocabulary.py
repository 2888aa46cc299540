"""Closed vocabularies: a misspelt term raises."""

import pytest

from graph.errors import GraphError
from graph.vocabulary import BBO, OD


def test_terms_are_full_iris() -> None:
    assert OD.EntitySet == "https://w3id.org/countersign/odata#EntitySet"
    assert BBO.UserTask.endswith("#UserTask")


@pytest.mark.parametrize("term", ["EntitySett", "entityset", "_private"])
def test_misspelt_term_raises(term: str) -> None:
    with pytest.raises(GraphError, match=term):
        getattr(OD, term)
