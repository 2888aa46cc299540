"""The arguments of ``call`` as a proposed call: texts of a command line become the JSON values that the types want."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from cli.errors import CommandError
from wire.call import Method, ProposedCall
from wire.endpoint import EndpointContract, Property

METHODS: dict[str, Method] = {
    "GET": "GET",
    "READ": "GET",
    "POST": "POST",
    "CREATE": "POST",
    "PATCH": "PATCH",
    "MERGE": "PATCH",
    "UPDATE": "PATCH",
    "PUT": "PUT",
    "REPLACE": "PUT",
    "DELETE": "DELETE",
    "ACTION": "ACTION",
}
_INTEGERS = frozenset({"Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32"})
_NUMBERS = frozenset({"Edm.Int64", "Edm.Decimal", "Edm.Double", "Edm.Single"})


@dataclass(frozen=True)
class Arguments:
    """What stands on the command line. ``key`` and ``query`` are ``NAME=VALUE``; ``payload`` a file, or ``-`` for stdin."""

    method: str
    service: str
    endpoint: str
    key: Sequence[str] = ()
    path: Sequence[str] = ()
    query: Sequence[str] = ()
    payload: str | None = None


def call_of(given: Arguments, typed: Callable[[str, str], Any]) -> ProposedCall:
    """The call. ``typed`` gives the JSON value of a key property's text. Raises ``CommandError``."""
    method = METHODS.get(given.method.upper())
    if method is None:
        raise CommandError(f"{given.method}: no method, give one of {', '.join(METHODS)}")
    key = {name: typed(name, value) for name, value in _pairs("--key", given.key)}
    return ProposedCall(
        method=method,
        service=given.service,
        endpoint=given.endpoint,
        key=key or None,
        path=tuple(given.path) or None,
        query=dict(_pairs("--query", given.query)) or None,
        payload=None if given.payload is None else read_payload(given.payload),
    )


def read_payload(source: str) -> dict[str, Any]:
    """A JSON object from a file or standard input; decimals keep their digits. Raises ``CommandError`` naming the place."""
    where = "standard input" if source == "-" else source
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{where}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    try:
        value = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise CommandError(f"{where}, line {error.lineno}, column {error.colno}: no JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{where}: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"{where}: a payload is a JSON object, this is {type(value).__name__}")
    return value


def typed_by(contract: EndpointContract | None) -> Callable[[str, str], Any]:
    """Texts as values of the key properties of that contract; what does not convert stays a text, for validation to name."""
    entity = contract.type(contract.entity_type) if contract is not None else None
    properties = {p.name: p for p in entity.properties} if entity is not None else {}
    v4 = contract is not None and contract.version.startswith("4")

    def typed(name: str, value: str) -> Any:
        prop = properties.get(name)
        return value if prop is None else _typed(prop, value, v4)

    return typed


def _typed(prop: Property, value: str, v4: bool) -> Any:
    if prop.type == "Edm.Boolean" and value in ("true", "false"):
        return value == "true"
    try:
        if prop.type in _INTEGERS or (v4 and prop.type == "Edm.Int64"):
            return int(value)
        if v4 and prop.type in _NUMBERS:
            return Decimal(value)
    except (ValueError, InvalidOperation):
        return value
    return value


def _pairs(option: str, given: Sequence[str]) -> Iterable[tuple[str, str]]:
    seen: set[str] = set()
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise CommandError(f'{option} "{text}": write it as NAME=VALUE')
        if name in seen:
            raise CommandError(f"{option} names {name} twice: once is enough")
        seen.add(name)
        yield name, value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice} stands twice in one object")
    return found
