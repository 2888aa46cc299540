"""Leniency is chosen in words, and every word is checked."""

import pytest

from odata.csdl import read_csdl
from odata.csdl_policy import Defect, policy_of
from odata.errors import InvalidMetadata
from tests.unit.odata.csdl_samples import v4

_DANGLING = v4('<EntityType Name="T"><Property Name="P" Type="Shop.Gone"/></EntityType>')


def test_nothing_chosen_reports() -> None:
    assert len(read_csdl(_DANGLING, "f.edmx", policy_of(())).findings) == 1


def test_a_kind_may_be_refused() -> None:
    with pytest.raises(InvalidMetadata, match=r"Shop\.Gone is not declared"):
        read_csdl(_DANGLING, "f.edmx", policy_of(("dangling-type=refuse",)))


def test_a_later_choice_wins_over_one_for_all() -> None:
    policy = policy_of(("refuse", "dangling-type=ignore"))
    assert policy.reaction(Defect.DUPLICATE) == "refuse"
    assert not read_csdl(_DANGLING, "f.edmx", policy).findings


@pytest.mark.parametrize("choice", ["maybe", "dangling=refuse", "dangling-type=", ""])
def test_an_unknown_word_is_refused(choice: str) -> None:
    with pytest.raises(ValueError, match="is none of"):
        policy_of((choice,))
