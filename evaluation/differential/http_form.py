"""A call, right or wrong, as the HTTP request that a client without checks would send.

How URLs and bodies are written is told here again, so that what ``odata.prepare`` writes is no part of the judgement.
Raises nothing for a wrong call: what has no literal is written as it is, for the target to refuse.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from odata.model import Model
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Operation

_PREFIX = {"Edm.Guid": "guid", "Edm.DateTime": "datetime", "Edm.DateTimeOffset": "datetimeoffset", "Edm.Time": "time"}
_SUFFIX = {"Edm.Decimal": "M", "Edm.Int64": "L", "Edm.Double": "d", "Edm.Single": "f"}


@dataclass(frozen=True)
class HttpCall:
    """Path and query are percent-encoded, the path relative to the service root."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""


def http_call(contract: EndpointContract, call: ProposedCall) -> HttpCall:
    """The request of a call."""
    model = Model(contract)
    segments = [call.endpoint]
    if call.key is not None:
        segments[0] += predicate(model, contract.entity_type or "", call.key)
    segments += call.path or ()
    query = dict(call.query or {})
    method, body = _method(model, call), call.payload
    operation = _operation(contract, call)
    if operation is not None:
        method, body = _place(model, operation, call, segments, query)
    path = "/".join(quote(segment, safe="()',=$-._~:@") for segment in segments)
    text = "&".join(f"{quote(n, safe='$@-._')}={quote(v, safe='')}" for n, v in query.items())
    sent = _json(body).encode() if body is not None and method not in ("GET", "DELETE") else b""
    return HttpCall(method, path, text, sent)


def _method(model: Model, call: ProposedCall) -> str:
    if call.method == "PATCH" and model.contract.version == "2.0":
        return "MERGE"
    return "POST" if call.method == "ACTION" else call.method


def _operation(contract: EndpointContract, call: ProposedCall) -> Operation | None:
    last = (call.path or (call.endpoint,))[-1]
    every = (*contract.operations, *contract.path_operations)
    return next((op for op in every if last in (op.qualified_name, op.name)), None)


def _place(
    model: Model, operation: Operation, call: ProposedCall, segments: list[str], query: dict[str, str]
) -> tuple[str, Any]:
    """Where the parameters stand; the method is that of the call, right or wrong."""
    given = call.payload or {}
    types = {p.name: p.type for p in operation.parameters}
    reads = call.method == "GET"
    if operation.kind == "Action":
        return ("GET", None) if reads else ("POST", given)
    if operation.kind == "FunctionImport":
        query.update({n: literal(types.get(n, "Edm.String"), v, model.v4) for n, v in given.items()})
        return "GET" if reads else "POST", None
    arguments = ",".join(f"{n}={literal(types.get(n, 'Edm.String'), v, True)}" for n, v in given.items())
    segments[-1] += f"({arguments})"
    return "GET" if reads else "POST", None


def predicate(model: Model, type_name: str, key: dict[str, Any]) -> str:
    """The key predicate with whatever names and values are given."""
    properties = model.properties.get(type_name, {})
    types = {n: model.underlying(properties[n]).type for n in key if n in properties}
    literals = {n: literal(types.get(n, "Edm.String"), v, model.v4) for n, v in key.items()}
    declared = model.types[type_name].keys if type_name in model.types else ()
    if len(literals) == 1 and tuple(literals) == declared:
        return f"({next(iter(literals.values()))})"
    return "(" + ",".join(f"{n}={text}" for n, text in literals.items()) + ")"


def literal(type_name: str, value: Any, v4: bool) -> str:
    """The URL literal of a JSON value; a value of another kind keeps its own form."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list)):
        return _json(value)
    if isinstance(value, (int, float, Decimal)):
        numeric = not v4 and type_name in _SUFFIX
        return f"{value}{_SUFFIX[type_name]}" if numeric else str(value)
    if type_name in ("Edm.Int64", "Edm.Decimal") and not v4:
        return f"{value}{_SUFFIX[type_name]}"
    if type_name in ("Edm.Double", "Edm.Single") and value in ("INF", "-INF", "NaN"):
        return str(value)
    return _text_literal(type_name, str(value), v4)


def _text_literal(type_name: str, value: str, v4: bool) -> str:
    if v4:
        if type_name == "Edm.String" or type_name not in _PREFIX | {"Edm.Date": "", "Edm.TimeOfDay": ""}:
            quoted = "'" + value.replace("'", "''") + "'"
            if type_name in ("Edm.Duration", "Edm.Binary"):
                return type_name.removeprefix("Edm.").lower() + quoted
            return quoted if type_name.startswith("Edm.") else f"{type_name}{quoted}"
        return value
    if value.startswith("/Date("):
        zone = "Z" if type_name == "Edm.DateTimeOffset" else ""
        value = f"2026-01-01T00:00:00{zone}"
    if type_name == "Edm.Binary":
        return "X'010203'"
    return _PREFIX.get(type_name, "") + "'" + value.replace("'", "''") + "'"


def _json(value: Any) -> str:
    """JSON with all digits of decimals."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(n))}:{_json(v)}" for n, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(v) for v in value) + "]"
    return json.dumps(value)
