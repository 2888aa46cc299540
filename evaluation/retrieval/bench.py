"""Benchmark folders as values: queries with their gold, and which endpoints stand for one another.

Several folders add up: equal rows count once, one id with two contents is an error. Only ``queries.jsonl`` must be there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.retrieval.errors import BenchError, UnknownChoice
from graph.errors import GraphError
from graph.tables import read_table, service_of

Endpoint = tuple[str, str]
Twins = Mapping[Endpoint, frozenset[Endpoint]]

OUT_OF_SCOPE = "out_of_scope"
_TWIN_COLUMNS = ("service", "endpoint", "twin_service", "twin_endpoint")


@dataclass(frozen=True)
class Query:
    """A row of ``queries.jsonl``. ``also`` = neither right nor wrong; ``instead_of`` = golds that an ``also`` stands for.

    ``chain`` repeats the gold in the order of a process or of navigations; ``raw`` is the whole row.
    """

    id: str
    text: str
    type: str
    split: str = ""
    lang: str = ""
    process: str | None = None
    gold: tuple[Endpoint, ...] = ()
    also: frozenset[Endpoint] = frozenset()
    instead_of: Mapping[Endpoint, frozenset[Endpoint]] = field(default_factory=dict)
    chain: tuple[Endpoint, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Bench:
    """All queries in order of first appearance, and the twins of each endpoint, both ways."""

    queries: tuple[Query, ...]
    twins: Twins

    def of_split(self, name: str | None) -> "Bench":
        """The queries of one split; None = all. Raises ``UnknownChoice`` for a split that no query has."""
        if name is None:
            return self
        known = sorted({query.split for query in self.queries if query.split})
        if name not in known:
            raise UnknownChoice(f"split {name!r}: the benchmark has {', '.join(known) or 'no splits'}")
        return Bench(tuple(query for query in self.queries if query.split == name), self.twins)

    @property
    def mentioned(self) -> frozenset[Endpoint]:
        """Every endpoint that a gold, an ``also`` or a twin names."""
        queries = (name for query in self.queries for name in (*query.gold, *query.also))
        return frozenset(queries) | frozenset(self.twins)

    @property
    def scored(self) -> tuple[Query, ...]:
        """The queries that have something to find."""
        return tuple(query for query in self.queries if query.type != OUT_OF_SCOPE)


def load_bench(folders: Sequence[Path]) -> Bench:
    """Read and join the folders. Raises ``BenchError`` naming file and line."""
    found: dict[str, Query] = {}
    twins: dict[Endpoint, set[Endpoint]] = {}
    for folder in folders:
        for place, query in _read_queries(folder / "queries.jsonl"):
            known = found.setdefault(query.id, query)
            if known.raw != query.raw:
                raise BenchError(f"{place}: query {query.id} stands elsewhere with other content; give it another id")
        for one, other in _read_twins(folder / "twins.csv"):
            twins.setdefault(one, set()).add(other)
            twins.setdefault(other, set()).add(one)
    return Bench(tuple(found.values()), {name: frozenset(others) for name, others in twins.items()})


def _read_queries(path: Path) -> Iterator[tuple[str, Query]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error
        raise BenchError(f"{path}: {reason}; --bench needs a folder with queries.jsonl") from None
    # Not splitlines: JSON strings may hold the line separators that it splits at.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            try:
                yield place, _query(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                missing = f"lacks {error}" if isinstance(error, KeyError) else str(error)
                raise BenchError(f"{place}: {missing}; a query needs id, text, type and gold") from None


def _query(row: Mapping[str, Any]) -> Query:
    gold = tuple(dict.fromkeys(_endpoint(item) for item in row["gold"] or ()))
    also = row.get("also") or ()
    stands_for = {_endpoint(item): frozenset(_instead_of(item, gold)) for item in also if item.get("instead_of")}
    kind = _text(row, "type")
    if not gold and kind != OUT_OF_SCOPE:
        raise ValueError(f"query {row['id']} of type {kind} has no gold")
    return Query(
        id=_text(row, "id"),
        text=_text(row, "text"),
        type=kind,
        split=row.get("split") or "",
        lang=row.get("lang") or "",
        process=row.get("process_id") or None,
        gold=gold,
        also=frozenset(_endpoint(item) for item in also) - frozenset(gold),
        instead_of=stands_for,
        chain=tuple(_endpoint(item) for item in row.get("chain") or ()),
        raw=row,
    )


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text, not {value!r}")
    value.encode()  # half of a surrogate pair is no text: a ValueError
    return value


def _endpoint(item: Mapping[str, Any]) -> Endpoint:
    return service_of(str(item["service"])), str(item["endpoint"])


def _instead_of(item: Mapping[str, Any], gold: tuple[Endpoint, ...]) -> Iterator[Endpoint]:
    """``instead_of`` as an endpoint object, a name, ``service/name``, or a list of these."""
    told = item["instead_of"]
    for each in told if isinstance(told, list) else [told]:
        if isinstance(each, Mapping):
            yield _endpoint({"service": item["service"], **each})
            continue
        service, _, name = str(each).rpartition("/")
        yield from (one for one in gold if one[1] == name and service_of(service) in ("", one[0]))


def _read_twins(path: Path) -> Iterator[tuple[Endpoint, Endpoint]]:
    if not path.is_file():
        return
    try:
        rows = read_table(path.read_bytes(), str(path), _TWIN_COLUMNS)
    except GraphError as error:
        raise BenchError(str(error)) from None
    for row in rows:
        yield (service_of(row["service"]), row["endpoint"]), (service_of(row["twin_service"]), row["twin_endpoint"])
