"""Random expressions are the same in every run, and some of them are right."""

from random import Random

from evaluation.differential.expressions import Expressions
from odata.validation import compile_validator
from tests.unit.odata.contracts import people
from wire.call import ProposedCall
from wire.endpoint import Verb

CONTRACT = people(Verb.READ)
OPTIONS = list(Expressions(CONTRACT, Random(7)).options(300))


def test_every_run_makes_the_same() -> None:
    assert list(Expressions(CONTRACT, Random(7)).options(300)) == OPTIONS
    assert list(Expressions(CONTRACT, Random(8)).options(300)) != OPTIONS


def test_some_are_right_and_some_are_wrong() -> None:
    validator = compile_validator(CONTRACT)
    calls = [ProposedCall(method="GET", service="PEOPLE", endpoint="People", query={n: t}) for n, t in OPTIONS]
    kinds = [validator.validate(call).kind for call in calls]
    assert kinds.count("valid") >= 30
    assert kinds.count("invalid") >= 100


def test_all_options_are_there() -> None:
    assert {name for name, _ in OPTIONS} == {"$filter", "$orderby", "$select", "$expand"}
