"""A fill answer as the proposed call: nulls dropped, values in the form of the service's OData version."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent.planning.calls import bound_parts
from agent.planning.history import Done, carried, same_name
from agent.planning.route import is_call_of
from agent.planning.values import json_value, literal
from agent.schemas import key_fields
from wire.agent import Observation
from wire.call import ProposedCall
from wire.context import EndpointView, FieldView, NestedView, TypedContext
from wire.endpoint import Cardinality, Verb


def grounds_of(goal: str, observations: Sequence[Observation]) -> str:
    """Everything that a read may be narrowed by: the goal and what earlier calls answered, folded."""
    told = [json.dumps(o.data, ensure_ascii=False, default=str) for o in observations if o.data is not None]
    return " ".join([goal, *told]).casefold()


def call_of(view: EndpointView, answer: Mapping[str, Any], grounds: str | None = None) -> ProposedCall:
    """The call that an answer of ``schemas.fill_schema(view, …)`` describes.

    With ``grounds``, a read is narrowed only by what stands in them: a schema that names every property tempts small models to
    fill each, and one invented condition finds nothing.
    """
    by_name = {f.name: f for f in view.fields}
    keys = _values(answer.get("key"), {f.name: f for f in key_fields(view)}, view)
    payload = _record(answer.get("payload"), view.fields, view.nested, view)
    if view.verb is Verb.READ and view.kind in ("EntitySet", "Singleton"):
        return _read(view, keys, _grounded(answer.get("filter"), by_name, grounds), by_name)
    if view.verb in (Verb.ACTION, Verb.READ):
        method = "GET" if view.verb is Verb.READ or view.method == "GET" else "ACTION"
        endpoint, operation = bound_parts(view) if view.bound_path else (view.endpoint, "")
        path = (operation,) if operation else None
        return ProposedCall(
            method=method, service=view.service, endpoint=endpoint, key=keys or None, path=path, payload=payload or None
        )
    if view.verb is Verb.DELETE:
        return ProposedCall(method="DELETE", service=view.service, endpoint=view.endpoint, key=keys or None)
    if view.verb is Verb.UPDATE:
        method = "PUT" if view.method == "PUT" else "PATCH"
        return ProposedCall(
            method=method, service=view.service, endpoint=view.endpoint, key=keys or None, payload=payload
        )
    return ProposedCall(method="POST", service=view.service, endpoint=view.endpoint, payload=payload)


def carried_values(context: TypedContext, view: EndpointView, observations: Sequence[Observation]) -> dict[str, Any]:
    """Field -> value that an earlier result holds for this call, by the context's carry-overs and by equal key names."""
    done = []
    for observation in observations:
        if observation.kind in ("result", "written") and observation.call is not None:
            source = next((v for v in context.endpoints if is_call_of(v, observation.call)), None)
            if source:
                done.append(Done(source, observation))
    found: dict[str, Any] = {}
    for owner, prefix, fields in _owned(view):
        for field in fields:
            values = carried(done, context.carries, view.service, owner, field.name)
            values = values or (same_name(done, field.name, keys_only=True) if field.required or field.key else [])
            if values:
                found[f"{prefix}{field.name}"] = values[0] if len(values) == 1 else values
    return found


def _owned(view: EndpointView) -> list[tuple[str, str, Sequence[FieldView]]]:
    """(set, prefix, fields) of the record and of each navigation nested in it."""
    found: list[tuple[str, str, Sequence[FieldView]]] = [(view.endpoint, "", [*view.fields, *_bare_keys(view)])]
    todo = [(n, f"{n.name}.") for n in view.nested]
    while todo:
        nested, prefix = todo.pop(0)
        found.append((nested.target_set or nested.target, prefix, nested.fields))
        todo += [(n, f"{prefix}{n.name}.") for n in nested.nested]
    return found


def _bare_keys(view: EndpointView) -> list[FieldView]:
    known = {f.name for f in view.fields}
    return [f for f in key_fields(view) if f.name not in known]


def _grounded(conditions: Any, fields: Mapping[str, FieldView], grounds: str | None) -> Any:
    if grounds is None or not isinstance(conditions, Mapping):
        return conditions
    return {n: v for n, v in conditions.items() if n in fields and _is_grounded(fields[n], v, grounds)}


def _is_grounded(field: FieldView, value: Any, grounds: str) -> bool:
    """A code also by its text, a truth value by a word of its field."""
    if isinstance(value, bool):
        return any(len(word) > 3 and word.casefold() in grounds for word in field.label.split())
    told = [str(_text(value)), *(code.text for code in field.codes if code.code == value and code.text)]
    return value not in (None, "") and any(text.casefold() in grounds for text in told)


def _read(view: EndpointView, keys: dict[str, Any], conditions: Any, by_name: Mapping[str, FieldView]) -> ProposedCall:
    where = {n: v for n, v in (conditions or {}).items() if v not in (None, "") and n in by_name}
    known = {**{f.name: f for f in key_fields(view)}, **by_name}
    named = {**where, **keys}
    if view.keys and all(name in named for name in view.keys):
        # The whole key names one entity: whatever else was said of it shows when it is read.
        key = _values({name: named[name] for name in view.keys}, known, view)
        return ProposedCall(method="GET", service=view.service, endpoint=view.endpoint, key=key)
    parts = [f"{n} eq {literal(known[n], _text(v), view.version)}" for n, v in {**keys, **where}.items()]
    query = {"$filter": " and ".join(parts)} if parts else {"$top": "50"}
    return ProposedCall(method="GET", service=view.service, endpoint=view.endpoint, query=query)


def _record(
    values: Any, fields: Sequence[FieldView], nested: Sequence[NestedView], view: EndpointView
) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        return {}
    record = _values(values, {f.name: f for f in fields}, view)
    for navigation in nested:
        below = values.get(navigation.name)
        rows = below if isinstance(below, list) else [below] if isinstance(below, Mapping) else []
        made = [r for row in rows if (r := _record(row, navigation.fields, navigation.nested, view))]
        if made and navigation.cardinality is Cardinality.MANY:
            record[navigation.name] = {"results": made} if navigation.nesting == "results" else made
        elif made:
            record[navigation.name] = made[0]
    return record


def _values(values: Any, fields: Mapping[str, FieldView], view: EndpointView) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        return {}
    kept = {n: v for n, v in values.items() if n in fields and v not in (None, "")}
    return {n: _value(fields[n], v, view) for n, v in kept.items()}


def _value(field: FieldView, value: Any, view: EndpointView) -> Any:
    if field.fields and isinstance(value, Mapping):
        return _values(value, {f.name: f for f in field.fields}, view)
    if isinstance(value, list):
        return [_value(field, v, view) for v in value]
    return json_value(field, value, view.version)


def _text(value: Any) -> Any:
    return format(value, "g") if isinstance(value, float) else value
