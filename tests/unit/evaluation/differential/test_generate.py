"""Samples of the matrix: valid ones and neighbours are valid, mutants break the rule that they say, each run is the same."""

import pytest

from evaluation.differential.generate import samples_of
from evaluation.differential.samples import Sample
from odata.validation import compile_validator, unknown_endpoint
from tests.unit.odata.contracts import orders, people
from wire.call import Verdict
from wire.endpoint import Verb

CONTRACTS = [make(verb) for make in (orders, people) for verb in Verb]
SAMPLES = list(samples_of(CONTRACTS))


def verdict(sample: Sample) -> Verdict:
    if sample.call.endpoint != sample.contract.endpoint:
        return unknown_endpoint(sample.call, [sample.contract.endpoint], (), (sample.contract,))
    return compile_validator(sample.contract).validate(sample.call)


def named(kind: str) -> list[object]:
    return [pytest.param(s, id=f"{s.number}-{s.rule}-{s.call.method}-{s.pointer}") for s in SAMPLES if s.kind == kind]


@pytest.mark.parametrize("sample", [*named("valid"), *named("neighbour")])
def test_valid_calls_are_not_refused(sample: Sample) -> None:
    assert verdict(sample).findings == ()


@pytest.mark.parametrize("sample", named("mutant"))
def test_mutants_break_what_they_say(sample: Sample) -> None:
    found = {(f.rule, f.pointer) for f in verdict(sample).findings}
    assert (sample.rule, sample.pointer) in found


def test_every_run_makes_the_same() -> None:
    again = list(samples_of(CONTRACTS))
    assert [(s.call, s.rule, s.pointer) for s in again] == [(s.call, s.rule, s.pointer) for s in SAMPLES]


def test_mutants_differ_from_their_base() -> None:
    bases = {s.number: s.call for s in SAMPLES if s.kind == "valid"}
    assert [s for s in SAMPLES if s.kind == "mutant" and bases.get(s.base) == s.call] == []


def test_the_rules_that_two_small_services_can_break() -> None:
    rules = {s.rule for s in SAMPLES if s.kind == "mutant"}
    assert len(rules) >= 35
    assert {"R04", "R13", "R24", "R31", "R37", "R39", "R44", "R46", "R51"} <= rules
