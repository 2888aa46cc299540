"""Contracts and uncut views of a snapshot as JSON lines, so that a process need not build them from triples again.

``contracts.jsonl`` holds, service by service, a header and then its lines:

    header      {"digest": of the metadata, "endpoints": {name: line}, "lengths": [bytes], "hashes": 16 digits of each}
    a model     a StructuredType, EnumType, TypeDefinition, Operation, Restrictions or EndpointView, without defaults
    a set       {"name", "type", "targets": [[path, set]], "restrictions": {verb: line}}
    an endpoint {"contract": what no other line says, "types": [line], …, "sets": [line], "views": {verb: line},
                 "links": [[navigation, set, cardinality]]}

A line that says the same stands once. The manifest holds each header's place and SHA-256, the header the hashes of its lines,
so what is read is checked, and nothing else is read. All of it follows from the graph (``derived``).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from graph.contracts import contract_of, outline_of
from graph.endpoint_view import links_of_set, view_of
from graph.service_model import ServiceModel
from wire.base import Wire
from wire.endpoint import EnumType, Operation, StructuredType, TypeDefinition, Verb

FORMAT = 2
HASH_DIGITS = 16
READ_AT = "graph:"
"""Marks the named graph that stands in ``read_at`` of a code list: when it was read is no part of a snapshot."""
SHARED: Mapping[str, type[Wire]] = {
    "types": StructuredType,
    "enums": EnumType,
    "type_definitions": TypeDefinition,
    "operations": Operation,
    "path_operations": Operation,
}
"""Fields of a contract whose items stand in lines of their own."""
APART = {*SHARED, "sets", "target_sets", "set_restrictions", "restrictions", "verb", "graph_hash"}
"""What is put together again when a contract is read; everything else of it stands in the endpoint's line."""
# Those that a context can ask for; the contract of another verb is built from the same lines, and its view from that.
_OF_SETS = (Verb.READ, Verb.CREATE, Verb.UPDATE, Verb.DELETE)
_OF_OPERATIONS = (Verb.READ, Verb.ACTION)


def service_lines(model: ServiceModel) -> tuple[bytes, list[bytes]]:
    """Header and lines of one service, each ending in LF."""
    lines = _Lines(model)
    endpoints = {name: lines.endpoint(iri) for name, iri in sorted(model.endpoints.items())}
    found = [f"{text}\n".encode() for text in lines.texts()]
    header = {
        "digest": model.digest,
        "endpoints": endpoints,
        "lengths": [len(line) for line in found],
        "hashes": "".join(line_hash(line) for line in found),
    }
    return f"{_json(header)}\n".encode(), found


def line_hash(line: bytes) -> str:
    """The digits by which a header knows a line."""
    return sha256(line).hexdigest()[:HASH_DIGITS]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class _Lines:
    """Lines in the order in which they are first needed."""

    model: ServiceModel
    _numbers: dict[str, int] = field(default_factory=dict)
    _models: dict[int, tuple[Wire, int]] = field(default_factory=dict)
    _sets: dict[str, int] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """All lines."""
        return iter(self._numbers)

    def endpoint(self, iri: str) -> int:
        """Number of the line of an endpoint; what it refers to stands before it."""
        outline = outline_of(self.model, iri)
        verbs = _OF_SETS if outline.entity_type else _OF_OPERATIONS
        contracts = [contract_of(self.model, outline, verb, "") for verb in verbs]
        told = {
            "contract": contracts[0].model_dump(mode="json", exclude=APART, exclude_defaults=True),
            **{name: [self._model(item) for item in getattr(contracts[0], name)] for name in SHARED},
            "sets": [self._set(item) for item in outline.sets],
            "links": [(link.navigation, link.target, link.cardinality) for link in links_of_set(contracts[0])],
            "views": {contract.verb.value: self._model(view_of(contract)) for contract in contracts},
        }
        return self._add(_json(told))

    def _set(self, iri: str) -> int:
        found = self._sets.get(iri)
        if found is None:
            row = self.model.set_row(iri)
            told = {
                "name": row.name,
                "type": row.type,
                "targets": row.targets,
                "restrictions": {verb.value: self._model(self.model.restrictions(iri, verb)) for verb in Verb},
            }
            found = self._sets[iri] = self._add(_json(told))
        return found

    def _model(self, item: Wire) -> int:
        # Contracts of a service share their types; holding them keeps their ids theirs.
        known = self._models.get(id(item))
        if known is None:
            known = self._models[id(item)] = (item, self._add(item.model_dump_json(exclude_defaults=True)))
        return known[1]

    def _add(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))
