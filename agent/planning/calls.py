"""Calls: a filled draft as the proposed call, in the payload form of the service's OData version."""

from collections.abc import Sequence
from typing import Any

from agent.planning.draft import Draft, Row
from agent.planning.filling import Filled, nested_at
from agent.planning.slots import Slot
from agent.planning.values import json_value, literal
from wire.call import ProposedCall
from wire.context import EndpointView
from wire.endpoint import Cardinality, Verb


def build(filled: Filled) -> ProposedCall:
    """The call of a filled step."""
    view = filled.view
    if view.verb is Verb.READ and view.kind in ("EntitySet", "Singleton"):
        return _read(filled)
    if view.verb in (Verb.ACTION, Verb.READ):
        return _operation(filled)
    keys = _keys(filled)
    if view.verb is Verb.DELETE:
        return ProposedCall(method="DELETE", service=view.service, endpoint=view.endpoint, key=keys or None)
    record = _record(filled, filled.draft.root)
    if view.verb is Verb.UPDATE:
        changed = {n: v for n, v in record.items() if n not in view.keys}
        method = view.method if view.method in ("PATCH", "PUT") else "PATCH"
        return ProposedCall(
            method=method, service=view.service, endpoint=view.endpoint, key=keys or None, payload=changed
        )
    return ProposedCall(method="POST", service=view.service, endpoint=view.endpoint, payload=record)


def _read(filled: Filled) -> ProposedCall:
    view = filled.view
    values = filled.draft.root.values
    if view.keys and set(values) == set(view.keys):
        return ProposedCall(method="GET", service=view.service, endpoint=view.endpoint, key=_keys(filled))
    by_name = {s.name: s for s in filled.slots if not s.path}
    parts = [f"{n} eq {literal(by_name[n].field, v.value, view.version)}" for n, v in values.items() if n in by_name]
    query = {"$filter": " and ".join(parts)} if parts else {"$top": "50"}
    return ProposedCall(method="GET", service=view.service, endpoint=view.endpoint, query=query)


def _operation(filled: Filled) -> ProposedCall:
    """An operation: parameters stand in the payload; a bound one is a path on the entity that it is bound to."""
    view = filled.view
    effect = view.verb is Verb.ACTION and view.method != "GET"
    record = _record(filled, filled.draft.root)
    if not view.bound_path:
        method = "ACTION" if effect else "GET"
        return ProposedCall(method=method, service=view.service, endpoint=view.endpoint, payload=record or None)
    entity_set, name = bound_parts(view)
    parameters = {f.name for f in view.fields if f.name not in view.keys}
    payload = {n: v for n, v in record.items() if n in parameters}
    return ProposedCall(
        method="ACTION" if effect else "GET",
        service=view.service,
        endpoint=entity_set,
        key=_keys(filled) or None,
        path=(name,),
        payload=payload or None,
    )


def bound_parts(view: EndpointView) -> tuple[str, str]:
    """Set and qualified name of a bound operation, from ``Set/Namespace.Operation`` or ``Set(…)/Namespace.Operation``."""
    head, _, tail = (view.bound_path or "").rpartition("/")
    return head.split("(", 1)[0] or view.endpoint, tail or view.endpoint


def _keys(filled: Filled) -> dict[str, Any]:
    by_name = {s.name: s for s in filled.slots if not s.path}
    values = filled.draft.root.values
    return {
        k: json_value(by_name[k].field, values[k].value, filled.view.version)
        for k in filled.view.keys
        if k in values and k in by_name
    }


def _record(filled: Filled, row: Row) -> dict[str, Any]:
    by_name = {s.name: s for s in filled.slots if s.path == row.path}
    record = {
        n: json_value(by_name[n].field, v.value, filled.view.version) for n, v in row.values.items() if n in by_name
    }
    for name in _children(filled.draft, row, filled.slots):
        path = (*row.path, name)
        rows = [_record(filled, r) for r in filled.draft.rows if r.path == path and r.parent is row]
        record[name] = _nest(filled.view, path, rows)
    return record


def _children(draft: Draft, row: Row, slots: Sequence[Slot]) -> list[str]:
    size = len(row.path)
    names = [
        r.path[-1] for r in draft.rows if len(r.path) == size + 1 and r.path[:size] == row.path and r.parent is row
    ]
    order = list(dict.fromkeys(s.path[size] for s in slots if len(s.path) > size and s.path[:size] == row.path))
    return [n for n in order if n in names]


def _nest(view: EndpointView, path: tuple[str, ...], rows: list[dict[str, Any]]) -> Any:
    nested = nested_at(view, path)
    if nested is None:
        return rows[0]
    if nested.cardinality is not Cardinality.MANY or nested.nesting == "object":
        return rows[0]
    return {"results": rows} if nested.nesting == "results" else rows
