"""What the grammar lets a model write, the validator takes: every endpoint of the shipped catalogue, filled at random."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from agent.fill_answer import call_of
from agent.schemas import fill_schema
from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot
from graph.uncut import uncut
from odata.validation import compile_validator, verb_of
from wire.context import EndpointView
from wire.endpoint import Verb

CATALOGUE = Path(__file__).resolve().parents[3] / "catalogue"
BY_GRAMMAR = {"R04", "R13", "R17", "R19", "R22", "R23", "R24", "R25", "R26", "R31", "R32", "R33", "R34", "R36", "R44"}
"""Names, types, codes, nests and keys: what a grammar can hold. Lengths of decimals, pairs of fields and the like it cannot."""
WRITES = (Verb.CREATE, Verb.UPDATE, Verb.ACTION)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> SnapshotReader:
    root = tmp_path_factory.mktemp("graph")
    ingest([CATALOGUE], root)
    return open_snapshot(root)


def views(graph: SnapshotReader) -> Iterator[EndpointView]:
    for item in graph.endpoints():
        for verb in item.verbs:
            if verb in WRITES and item.bound_to is None:
                shown = EndpointView(
                    service=item.service,
                    endpoint=item.endpoint,
                    kind=item.kind,
                    verb=verb,
                    version=item.version,
                    label=item.label,
                    keys=_keys(graph, item.service, item.endpoint, verb),
                )
                yield uncut(graph, shown)


def _keys(graph: SnapshotReader, service: str, endpoint: str, verb: Verb) -> tuple[str, ...]:
    contract = graph.contract(service, endpoint, verb)
    entity = contract.type(contract.entity_type)
    return entity.keys if entity is not None else ()


def answer_to(schema: dict[str, Any], dice: random.Random) -> Any:
    """One of the answers that the grammar allows."""
    if "anyOf" in schema:
        return answer_to(dice.choice(schema["anyOf"]), dice)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = dice.choice(kinds)
    if kind == "object":
        return {name: answer_to(inner, dice) for name, inner in schema["properties"].items()}
    if kind == "array":
        return [answer_to(schema["items"], dice) for _ in range(dice.randint(1, 2))]
    if kind == "string":
        return _text(schema, dice)
    values = {"integer": dice.randint(1, 9), "number": dice.randint(1, 9), "boolean": dice.random() < 0.5, "null": None}
    return values[kind]


def _text(schema: dict[str, Any], dice: random.Random) -> str:
    pattern = schema.get("pattern", "")
    if pattern.startswith("^[0-9]{4}"):
        return f"20{dice.randint(10, 40)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
    if pattern:
        return "0f0f0f0f-0000-4000-8000-00000000000" + str(dice.randint(0, 9))
    return "".join(dice.choice("AB12") for _ in range(dice.randint(1, min(schema.get("maxLength", 3), 3))))


def test_what_the_grammar_allows_breaks_no_rule_that_a_grammar_can_hold(graph: SnapshotReader) -> None:
    dice, wrong, count = random.Random(7), [], 0
    for view in views(graph):
        schema = fill_schema(view, "Order 20 pieces of P-100 for Germany")
        for _ in range(3):
            answer = answer_to(schema, dice)
            jsonschema_rs.validate(schema, answer)
            call = call_of(view, answer)
            verdict = compile_validator(graph.contract(call.service, call.endpoint, verb_of(call.method))).validate(
                call
            )
            wrong += [(view.endpoint, f.rule, f.pointer, f.value) for f in verdict.findings if f.rule in BY_GRAMMAR]
            count += 1
    assert (wrong, count > 200) == ([], True)
