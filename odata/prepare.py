"""A valid call -> the request as it will be sent: the bytes that an approval binds.

Everything is deterministic: member order, key order, percent-encoding, number forms. Time, tokens and cookies come later
and are no part of it.
"""

import hashlib
import json
from decimal import Decimal
from typing import Any, Literal

import rfc8785

from odata.findings import Report
from odata.keys import key_predicate
from odata.model import Model
from odata.operations import overload_of
from odata.path import Resource, resolve
from odata.temporal_values import ticks_of_iso
from odata.url_literals import encode_query_value, encode_segment, format_literal
from wire.call import PreparedRequest, ProposedCall
from wire.endpoint import EndpointContract, Operation, Property, StructuredType

_NOTHING: frozenset[str] = frozenset()
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

HttpMethod = Literal["GET", "POST", "PATCH", "MERGE", "PUT", "DELETE"]


def prepare(contract: EndpointContract, call: ProposedCall, if_match: str | None = None) -> PreparedRequest:
    """The request of a call that is valid against the contract. ``if_match`` is the ETag that its approver saw.

    Raises ValueError when a value has no literal, which a valid call never shows.
    """
    model = Model(contract)
    return prepare_request(model, call, resolve(model, call, Report()), if_match)


def with_if_match(request: PreparedRequest, etag: str | None) -> PreparedRequest:
    """The same request bound to a version of the entity; without an ETag, to its existence (``*``)."""
    kept = tuple(h for h in request.headers if h[0] != "If-Match")
    return request.model_copy(update={"headers": tuple(sorted((*kept, ("If-Match", etag or "*"))))})


def call_digest(request: PreparedRequest) -> str:
    """SHA-256, hexadecimal, over the canonical JSON (RFC 8785) of the request."""
    return hashlib.sha256(rfc8785.dumps(request.model_dump(mode="json"))).hexdigest()


def prepare_request(
    model: Model, call: ProposedCall, resource: Resource, if_match: str | None = None
) -> PreparedRequest:
    """As ``prepare``, for a call that is resolved already."""
    operation = _meant(resource, call)
    method = _method(model, call, operation)
    query = dict(call.query or {})
    segments = [_first_segment(model, call), *(call.path or ())]
    path = "/".join(encode_segment(s) for s in segments)
    body: Any = None
    if operation is not None:
        path, body = _place_parameters(model, operation, call.payload or {}, method, path, query)
    elif method in ("POST", "PATCH", "MERGE", "PUT"):
        body = wire_body(model, resource.type, call.payload or {})
    if query:
        path += "?" + "&".join(f"{encode_query_value(n)}={encode_query_value(v)}" for n, v in sorted(query.items()))
    headers = [("Accept", "application/json")]
    text = None
    if body is not None:
        text = canonical_text(body)
        headers.append(("Content-Type", "application/json"))
    if if_match is not None:
        headers.append(("If-Match", if_match))
    return PreparedRequest(method=method, service=call.service, path=path, headers=tuple(sorted(headers)), body=text)


def _method(model: Model, call: ProposedCall, operation: Operation | None) -> HttpMethod:
    if operation is not None:
        return operation.http_method
    if call.method == "PATCH":
        # PATCH came with OData 3.0; a 2.0 service knows partial updates as MERGE.
        return "MERGE" if model.contract.version == "2.0" else "PATCH"
    return "POST" if call.method == "ACTION" else call.method


def _meant(resource: Resource, call: ProposedCall) -> Operation | None:
    return overload_of(resource.operations, call.payload or {}) if resource.operations else None


def _first_segment(model: Model, call: ProposedCall) -> str:
    entity = model.types.get(model.contract.entity_type or "")
    if call.key is None or entity is None:
        return call.endpoint
    return call.endpoint + key_predicate(model, entity, call.key)


def _place_parameters(
    model: Model, operation: Operation, given: dict[str, Any], method: str, path: str, query: dict[str, str]
) -> tuple[str, Any]:
    """Parameters of actions stand in the body, of V4 functions in the path, of V2 function imports in the query."""
    parameters = {p.name: p for p in operation.parameters}
    if operation.kind == "Action":
        types = {n: p for n, p in parameters.items() if n in given}
        return path, {n: _wire_value(model, types[n], v) for n, v in given.items() if n in types}
    if operation.kind == "FunctionImport":
        for name, value in given.items():
            query[name] = format_literal(_type_of(model, parameters.get(name)), value, model.v4)
        return path, None
    literals: list[str] = []
    for name, value in sorted(given.items()):
        if isinstance(value, (dict, list)):
            query[f"@{name}"] = canonical_text(value)
            literals.append(f"{name}=@{name}")
        else:
            literals.append(f"{name}={format_literal(_type_of(model, parameters.get(name)), value, model.v4)}")
    return f"{path}({','.join(encode_segment(text) for text in literals)})", None


def _type_of(model: Model, parameter: Property | None) -> str:
    return "Edm.String" if parameter is None else model.underlying(parameter).type


def wire_body(model: Model, entity: StructuredType | None, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload in the version's wire form: V2 dates as ``/Date(ms)/``. All else already has its form."""
    if model.v4 or entity is None:
        return payload
    return _wire_object(model, entity.name, payload)


def _wire_object(model: Model, type_name: str, value: dict[str, Any]) -> dict[str, Any]:
    touched = model.dated.get(type_name, _NOTHING)
    if touched.isdisjoint(value):
        return value
    converted = dict(value)
    for name in touched.intersection(value):
        prop = model.properties[type_name].get(name)
        if prop is not None:
            converted[name] = _wire_value(model, prop, value[name])
        else:
            converted[name] = _wire_nested(model, model.navigations[type_name][name].target_type, value[name])
    return converted


def _wire_nested(model: Model, type_name: str, value: Any) -> Any:
    if isinstance(value, list):
        touched = model.dated.get(type_name, _NOTHING)
        plain = (not isinstance(item, dict) or touched.isdisjoint(item) for item in value)
        return value if all(plain) else [_wire_nested(model, type_name, item) for item in value]
    if isinstance(value, dict):
        if len(value) == 1 and "results" in value:
            return {"results": _wire_nested(model, type_name, value["results"])}
        return _wire_object(model, type_name, value)
    return value


def _wire_value(model: Model, prop: Property, value: Any) -> Any:
    if isinstance(value, list):
        return [_wire_value(model, prop, item) for item in value]
    if isinstance(value, dict) and prop.type in model.types:
        return _wire_object(model, prop.type, value)
    if isinstance(value, str) and not model.v4 and prop.type in ("Edm.DateTime", "Edm.DateTimeOffset"):
        return ticks_of_iso(value, prop.type == "Edm.DateTimeOffset")
    return value


def canonical_text(value: Any) -> str:
    """JSON without blanks, members sorted by name, text as it is. Decimals keep every digit, which RFC 8785 would not."""
    try:
        return _ENCODER.encode(value)
    except TypeError:
        return _encode(value)


def _encode(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        members = (f"{json.dumps(str(n), ensure_ascii=False)}:{_encode(v)}" for n, v in sorted(value.items()))
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_encode(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
