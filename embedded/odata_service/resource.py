"""Resource paths -> `Resource`: what the URL after the service name means, with the rows it passes through."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from embedded.odata_service.csdl_model import Operation, OperationImport, Property
from embedded.odata_service.errors import BadRequest, NotFound, ODataError
from embedded.odata_service.query import split_outside
from embedded.odata_service.related import Rows
from embedded.odata_service.schema import Collection, Relation, Service
from embedded.odata_service.store import Row, Selection, key_text
from embedded.odata_service.values import literal_as


@dataclass(slots=True)
class Resource:
    """`row` is set when one entity is addressed; `missing` when it is addressed and does not exist.

    `parent` is the entity and the relation through which the path came here. `operation` is a V4 bound or unbound
    operation or a V2 function import; its inline arguments are URL literals.
    """

    kind: str = "service"
    collection: Collection | None = None
    selection: Selection | None = None
    single: bool = False
    row: Row | None = None
    missing: str = ""
    type: str = ""
    parent: tuple[Row, Relation] | None = None
    property: Property | None = None
    property_value: Any = None
    operation: Operation | None = None
    operation_import: OperationImport | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    key_values: dict[str, Any] = field(default_factory=dict)


def _split_segment(segment: str) -> tuple[str, str | None]:
    name, parenthesis, rest = segment.partition("(")
    if not parenthesis:
        return name, None
    if not rest.endswith(")"):
        raise BadRequest(f"segment {segment!r}: closing parenthesis missing")
    return name, rest[:-1]


def split_path(raw_path: str) -> list[str]:
    """Decoded segments; a slash inside quotes does not split."""
    return [unquote(part) for part in split_outside(raw_path.strip("/"), "/") if part]


class PathReader:
    """Walks the segments of one service's URLs."""

    def __init__(self, service: Service, rows: Rows) -> None:
        self._service = service
        self._rows = rows

    def read(self, raw_path: str) -> Resource:
        """Raises NotFound for an unknown segment, BadRequest for a malformed one."""
        segments = split_path(raw_path)
        if not segments:
            return Resource("service")
        if segments[0] in ("$metadata", "$batch") and len(segments) == 1:
            return Resource(segments[0][1:])
        current = self._first(segments[0])
        for segment in segments[1:]:
            current = self._next(current, segment)
        return current

    def _first(self, segment: str) -> Resource:
        name, inside = _split_segment(segment)
        collection = self._service.collections.get(name)
        if collection is not None:
            if collection.kind == "singleton":
                return self._singleton(collection)
            current = Resource("collection", collection, Selection(name), type=collection.type)
            return current if inside is None else self._by_key(current, inside)
        found = self._service.document.all_imports().get(name)
        if found is None:
            raise NotFound(f"resource {name!r} is not part of service {self._service.name}", code="ResourceNotFound")
        operation = None
        if found.operation is not None:
            overloads = self._service.document.operations.get(found.operation, [])
            operation = next((item for item in overloads if not item.is_bound), None)
        return Resource("operation", operation=operation, operation_import=found, arguments=_arguments(inside))

    def _singleton(self, collection: Collection) -> Resource:
        row = self._rows.singleton(collection)
        return Resource("entity", collection, Selection(collection.name), True, row, type=row.type)

    def key_values(self, collection: Collection, inside: str) -> dict[str, Any]:
        """Canonical key values by name from the text between the parentheses."""
        parts = split_outside(inside, ",")
        if len(parts) == 1 and "=" not in split_outside(parts[0], "'")[0]:
            if len(collection.keys) != 1:
                raise BadRequest(f"{collection.name} has the key {', '.join(collection.keys)}: name every part")
            written = {collection.keys[0]: parts[0]}
        else:
            written = {part.partition("=")[0].strip(): part.partition("=")[2].strip() for part in parts}
        if set(written) != set(collection.keys):
            raise BadRequest(f"{collection.name} has the key {', '.join(collection.keys)}, got {', '.join(written)}")
        return {name: self._key_value(collection, name, written[name]) for name in collection.keys}

    def _key_value(self, collection: Collection, name: str, text: str) -> Any:
        prop = self._service.properties(collection.type).get(name)
        type_name = self._service.underlying(prop.type.name) if prop else "Edm.String"
        try:
            if type_name in self._service.document.enums:
                return text.partition("'")[2].rstrip("'") if "'" in text else text
            return literal_as(text, type_name, self._service.v4)
        except ValueError as error:
            raise BadRequest(f"key {name} of {collection.name}: {error}", target=name) from error

    def _by_key(self, current: Resource, inside: str) -> Resource:
        collection = current.collection
        if collection is None or current.selection is None or current.single:
            raise BadRequest("a key is given where no collection is addressed")
        values = self.key_values(collection, inside)
        key = key_text(list(values.values()))
        prefix = current.selection.prefix
        if collection.kind == "contained" and prefix is not None:
            key = key_text([prefix, key])
        selection = replace(current.selection, prefix=None, keys=(key,))
        if current.selection.keys is not None and key not in current.selection.keys:
            selection = replace(selection, keys=())
        found = self._rows.select(selection)
        missing = "" if found else f"{collection.name}({inside}) does not exist"
        row = found[0] if found else None
        return replace(
            current, kind="entity", selection=selection, single=True, row=row, missing=missing, key_values=values
        )

    def _next(self, current: Resource, segment: str) -> Resource:
        name, inside = _split_segment(segment)
        if name in ("$count", "$value"):
            return self._suffix(current, name)
        if name.startswith("$"):
            raise ODataError(f"{name} is not supported here", status=501, code="NotImplemented")
        if current.kind == "property":
            return self._property_of_complex(current, name)
        if current.collection is None:
            raise NotFound(f"nothing lies below {current.kind}: {segment!r}")
        if "." in name:
            return self._qualified(current, name, inside)
        return self._member(current, name, inside)

    def _suffix(self, current: Resource, name: str) -> Resource:
        if name == "$count" and current.kind == "collection":
            return replace(current, kind="count")
        if name == "$value" and current.kind in ("property", "entity"):
            return replace(current, kind="value")
        raise BadRequest(f"{name} cannot follow {current.kind}")

    def _qualified(self, current: Resource, name: str, inside: str | None) -> Resource:
        resolved = self._service.document.resolve(name)
        if self._service.document.is_a(resolved, current.type):
            if current.row is not None and not self._service.document.is_a(current.row.type, resolved):
                raise NotFound(f"the entity is no {name}")
            return replace(current, type=resolved)
        for operation in self._service.document.operations.get(resolved, []):
            if operation.is_bound and operation.parameters:
                binding = operation.parameters[0].type
                if binding.collection != current.single and self._service.document.is_a(current.type, binding.name):
                    return replace(current, kind="operation", operation=operation, arguments=_arguments(inside))
        raise NotFound(f"{name} is no type or operation that can follow here")

    def _member(self, current: Resource, name: str, inside: str | None) -> Resource:
        prop = self._service.properties(current.type).get(name)
        if not current.single:
            raise BadRequest(f"{name!r} follows a collection: give a key first")
        row = self._existing(current)
        if prop is not None:
            return replace(current, kind="property", property=prop, property_value=row.data.get(name))
        relation = self._service.relation(current.collection, current.type, name) if current.collection else None
        if relation is None:
            raise NotFound(f"{current.type.rpartition('.')[2]} has no property {name!r}")
        below = Resource("collection", relation.target, type=relation.target.type, parent=(row, relation))
        below.selection = self._rows.selection(row, relation)
        if relation.many:
            return below if inside is None else self._by_key(below, inside)
        found = self._rows.select(below.selection) if below.selection else []
        missing = "" if found else f"{name} of this entity is empty"
        first = found[0] if found else None
        return replace(below, kind="entity", single=True, row=first, missing=missing)

    def _property_of_complex(self, current: Resource, name: str) -> Resource:
        type_name = current.property.type.name if current.property else ""
        prop = self._service.properties(type_name).get(name)
        if prop is None:
            raise NotFound(f"{type_name} has no property {name!r}")
        value = current.property_value.get(name) if isinstance(current.property_value, dict) else None
        return replace(current, property=prop, property_value=value)

    @staticmethod
    def _existing(current: Resource) -> Row:
        if current.row is None:
            raise NotFound(current.missing or "the entity does not exist")
        return current.row


def _arguments(inside: str | None) -> dict[str, str]:
    """Inline arguments of a function call: `lat=1,lon=2`."""
    parts = split_outside(inside or "", ",")
    return {part.partition("=")[0].strip(): part.partition("=")[2].strip() for part in parts}
