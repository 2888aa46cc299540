"""What earlier turns brought: results by step, and the values that later steps take from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wire.agent import Observation
from wire.context import CarryOver, EndpointView, NestedView


@dataclass(frozen=True)
class Done:
    """A step that was carried out: its view, and what came back (or, where that is silent, what was sent)."""

    view: EndpointView
    observation: Observation

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows of the answer, each completed by what was sent."""
        data = self.observation.data
        rows = data if isinstance(data, list) else [data] if isinstance(data, dict) else []
        rows = [r for r in rows if isinstance(r, dict)]
        call = self.observation.call
        if call is None or isinstance(data, list):
            return rows
        sent = {**(call.key or {}), **(call.payload or {})}
        return [_completed(row, sent) for row in rows] or ([sent] if self.observation.kind == "written" else [])

    def values(self, endpoint: str, name: str) -> list[Any]:
        """Values of a property of this step's set, or of a set nested under it (``endpoint`` names the set)."""
        if endpoint == self.view.endpoint:
            found = [r.get(name) for r in self.records]
        else:
            navs = [p for p in _paths(self.view.nested, ()) if p[1] == endpoint]
            found = [v.get(name) for path, _ in navs for r in self.records for v in _follow(r, path)]
        return [v for v in found if v not in (None, "")]


def carried(done: Sequence[Done], carries: Sequence[CarryOver], service: str, endpoint: str, name: str) -> list[Any]:
    """Values for ``service/endpoint.name`` by declared carry-overs first, then derived ones; the latest step wins."""
    for source in ("declared", "derived"):
        for step in reversed(done):
            for carry in carries:
                if carry.source != source or (carry.to_service, carry.to_endpoint, carry.to_property) != (
                    service,
                    endpoint,
                    name,
                ):
                    continue
                if carry.from_service == step.view.service:
                    values = step.values(carry.from_endpoint, carry.from_property)
                    if values:
                        return values
    return []


def same_name(done: Sequence[Done], name: str, *, keys_only: bool) -> list[Any]:
    """Values of a property of that name in an earlier answer; ``keys_only``: only where it is a key there."""
    for step in reversed(done):
        if keys_only and name not in step.view.keys:
            continue
        values = [r[name] for r in step.records if r.get(name) not in (None, "")]
        if values:
            return values
    return []


def rows_of(value: Any) -> list[dict[str, Any]]:
    """The rows of a nested value: a list, or the ``results`` wrapper of V2."""
    inner = value.get("results") if isinstance(value, dict) and "results" in value else value
    items = inner if isinstance(inner, list) else [inner]
    return [i for i in items if isinstance(i, dict)]


def _completed(row: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    merged = dict(sent)
    for name, value in row.items():
        deferred = isinstance(value, dict) and "__deferred" in value
        if not deferred and not (value in (None, "", []) and name in sent):
            merged[name] = value
    return merged


def _paths(nested: Sequence[NestedView], path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    for view in nested:
        here = (*path, view.name)
        found += [(here, view.target_set or view.target), *_paths(view.nested, here)]
    return found


def _follow(record: dict[str, Any], path: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = [record]
    for name in path:
        rows = [inner for row in rows for inner in rows_of(row.get(name))]
    return rows
