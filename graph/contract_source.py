"""Contracts and uncut views of one service: read from the lines of a snapshot, or built from the facts of its graph."""

import difflib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate
from typing import Any, Protocol, TypeVar, cast

from graph.contract_lines import HASH_DIGITS, READ_AT, SHARED, line_hash
from graph.contracts import Outline, contract_of, outline_of
from graph.endpoint_view import links_of_set, view_of
from graph.errors import SnapshotDamaged, UnknownEndpoint
from graph.service_model import ServiceModel
from wire.base import Wire
from wire.context import EndpointView, Link
from wire.endpoint import EndpointContract, Restrictions, Verb

_READ_AT = re.compile(rf'"read_at":"{READ_AT}([^"]*)"'.encode())
_Model = TypeVar("_Model", bound=Wire)


class ContractSource(Protocol):
    """One service."""

    @property
    def endpoints(self) -> Collection[str]:
        """Names of all endpoints."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the ``$metadata`` that they were read from."""
        ...

    def contract(self, name: str, verb: Verb) -> EndpointContract:
        """The uncut contract of an endpoint by its full name."""
        ...

    def uncut(self, name: str, verb: Verb) -> EndpointView:
        """What the contract has to show."""
        ...

    def links(self, name: str) -> Sequence[Link]:
        """Where the navigations of a set lead."""
        ...


def full_name(service: str, source: ContractSource, asked: str) -> str:
    """The name of an endpoint as it stands in the graph; a bound operation may be named simply when that is unambiguous.

    Raises ``UnknownEndpoint`` naming the nearest.
    """
    if asked in source.endpoints:
        return asked
    simple = [name for name in source.endpoints if name.rpartition(".")[2] == asked]
    if len(simple) == 1:
        return simple[0]
    nearest = difflib.get_close_matches(asked, sorted(source.endpoints), 5, 0.4)
    raise UnknownEndpoint(f"{service}/{asked}", [f"{service}/{name}" for name in nearest])


class FromFacts:
    """A service whose triples are in memory."""

    def __init__(self, model: ServiceModel, graph_hash: str) -> None:
        self._model, self._hash = model, graph_hash
        self._outlines: dict[str, Outline] = {}

    @property
    def endpoints(self) -> Collection[str]:
        """See ``ContractSource``."""
        return self._model.endpoints

    @property
    def digest(self) -> str:
        """See ``ContractSource``."""
        return self._model.digest

    def contract(self, name: str, verb: Verb) -> EndpointContract:
        """See ``ContractSource``."""
        outline = self._outlines.get(name)
        if outline is None:
            outline = self._outlines[name] = outline_of(self._model, self._model.endpoints[name])
        return contract_of(self._model, outline, verb, self._hash)

    def uncut(self, name: str, verb: Verb) -> EndpointView:
        """See ``ContractSource``."""
        return view_of(self.contract(name, verb))

    def links(self, name: str) -> Sequence[Link]:
        """See ``ContractSource``."""
        return links_of_set(self.contract(name, Verb.READ))


class FromLines:
    """A service in ``contracts.jsonl`` (``graph.contract_lines``): each line is read, and checked, when it is needed."""

    def __init__(
        self, service: str, graph_hash: str, header: bytes, read: Callable[[int, int], bytes], times: Mapping[str, str]
    ) -> None:
        """``read``: bytes from an offset below the header, so many; ``times``: named graph -> when it was read."""
        told = json.loads(header)
        self._service, self._hash, self._read, self._times = service, graph_hash, read, times
        self._digest: str = told["digest"]
        self._hashes: str = told["hashes"]
        self._endpoints: dict[str, int] = told["endpoints"]
        self._ends = [0, *accumulate(told["lengths"])]
        self._last: tuple[str | None, Any] = (None, None)
        self._models: dict[tuple[type[Wire], int], Wire] = {}

    @property
    def endpoints(self) -> Collection[str]:
        """See ``ContractSource``."""
        return self._endpoints

    @property
    def digest(self) -> str:
        """See ``ContractSource``."""
        return self._digest

    def contract(self, name: str, verb: Verb) -> EndpointContract:
        """See ``ContractSource``."""
        told = self._told(name)
        sets = [self._value(number) for number in told["sets"]]
        restrictions = [(item["name"], self._model(Restrictions, item["restrictions"][verb])) for item in sets]
        shared = {key: [self._model(kind, number) for number in told[key]] for key, kind in SHARED.items()}
        whole = {
            **told["contract"],
            **shared,
            "verb": verb,
            "graph_hash": self._hash,
            "restrictions": restrictions[0][1] if told["contract"].get("entity_type") else Restrictions(),
            "sets": [(item["name"], item["type"]) for item in sets],
            "target_sets": [(f"{item['name']}/{path}", target) for item in sets for path, target in item["targets"]],
            "set_restrictions": restrictions,
        }
        return EndpointContract.model_validate(whole)

    def uncut(self, name: str, verb: Verb) -> EndpointView:
        """See ``ContractSource``."""
        number = self._told(name)["views"].get(verb)
        # Each view is asked for by few goals: it is read again, and only its types are kept.
        return view_of(self.contract(name, verb)) if number is None else self._parsed(EndpointView, number)

    def links(self, name: str) -> Sequence[Link]:
        """See ``ContractSource``."""
        return [
            Link(service=self._service, endpoint=name, navigation=navigation, target=target, cardinality=cardinality)
            for navigation, target, cardinality in self._told(name)["links"]
        ]

    def _told(self, name: str) -> Any:
        """The line of an endpoint; the last one is kept, for contexts ask for all verbs of an endpoint in a row."""
        if self._last[0] != name:
            self._last = (name, self._value(self._endpoints[name]))
        return self._last[1]

    def _model(self, kind: type[_Model], number: int) -> _Model:
        # Lines that say the same stand once, and an empty one may be of any kind.
        found = self._models.get((kind, number))
        if found is None:
            found = self._models[kind, number] = self._parsed(kind, number)
        return cast(_Model, found)

    def _parsed(self, kind: type[_Model], number: int) -> _Model:
        line = self._line(number)
        if _READ_AT.search(line):
            line = _READ_AT.sub(self._instant, line)
        return kind.model_validate_json(line)

    def _instant(self, found: re.Match[bytes]) -> bytes:
        return f'"read_at":{json.dumps(self._times.get(found[1].decode()))}'.encode()

    def _value(self, number: int) -> Any:
        return json.loads(self._line(number))

    def _line(self, number: int) -> bytes:
        start, end = self._ends[number], self._ends[number + 1]
        line = self._read(start, end - start)
        if line_hash(line) != self._hashes[number * HASH_DIGITS : (number + 1) * HASH_DIGITS]:
            raise SnapshotDamaged(
                f"a contract of service {self._service} in snapshot {self._hash} is not what was ingested; ingest again"
            )
        return line


class ContractFile:
    """``contracts.jsonl`` of a snapshot."""

    def __init__(
        self, data: "bytes | Any", index: Mapping[str, Any], graph_hash: str, times: Mapping[str, str]
    ) -> None:
        """``data``: what can be sliced (bytes, a memory map); ``index``: of the manifest."""
        self._data, self._services, self._hash, self._times = data, index["services"], graph_hash, times

    def source(self, service: str) -> FromLines | None:
        """The service; None when it is not in the file. Raises ``SnapshotDamaged``."""
        if service not in self._services:
            return None
        offset, length, digest = self._services[service]
        start = offset + length
        header = bytes(self._data[offset:start])
        if sha256(header).hexdigest() != digest:
            raise SnapshotDamaged(
                f"the contracts of service {service} in snapshot {self._hash} are not what was ingested; ingest again"
            )
        return FromLines(
            service, self._hash, header, lambda at, size: self._data[start + at : start + at + size], self._times
        )
