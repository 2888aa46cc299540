"""Rows -> JSON of V2 (`{"d": ...}`, `__metadata`, `__deferred`) and V4 (`@odata.*`)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from embedded.odata_service.csdl_model import Property
from embedded.odata_service.query import Query
from embedded.odata_service.schema import Collection, Service
from embedded.odata_service.store import KEY_SEPARATOR, Row
from embedded.odata_service.values import to_json, to_literal

_SAFE = "'()=,:$*!@;"


class Renderer:
    """One per request: `root` is the service's absolute URL with trailing slash."""

    def __init__(self, service: Service, root: str, ieee754: bool = False) -> None:
        self.service = service
        self.root = root
        self.ieee754 = ieee754

    def key_predicate(self, collection: Collection, row: Row) -> str:
        properties = self.service.properties(collection.type)
        literals = {}
        for name in collection.keys:
            type_name = self._type_of(properties, name)
            literals[name] = quote(to_literal(row.data.get(name), type_name, self.service.v4), safe="'")
        if len(literals) == 1:
            return f"({next(iter(literals.values()))})"
        return "(" + ",".join(f"{name}={text}" for name, text in literals.items()) + ")"

    def _type_of(self, properties: dict[str, Property], name: str) -> str:
        prop = properties.get(name)
        return self.service.underlying(prop.type.name) if prop else "Edm.String"

    def path(self, collection: Collection, row: Row) -> str:
        """Path below the service root that addresses the row."""
        if collection.kind == "singleton":
            return collection.name
        own = self.key_predicate(collection, row) if collection.keys else ""
        if collection.parent is None:
            return f"{quote(collection.name, safe=_SAFE)}{own}"
        return f"{self._parent_path(collection.parent, row)}/{collection.name.rpartition('/')[2]}{own}"

    def _parent_path(self, parent: Collection, row: Row) -> str:
        """From the storage key alone: contained keys start with those of their parents."""
        if parent.kind == "singleton":
            return parent.name
        depth = len(parent.keys)
        above = parent.parent
        prefix_length = 0
        while above is not None:
            prefix_length += len(above.keys)
            above = above.parent
        parts = row.key.split(KEY_SEPARATOR)[prefix_length : prefix_length + depth]
        properties = self.service.properties(parent.type)
        literals = []
        for name, part in zip(parent.keys, parts, strict=False):
            type_name = self._type_of(properties, name)
            literals.append(f"{name}={quote(to_literal(part, type_name, self.service.v4), safe=chr(39))}")
        own = f"({','.join(literals)})" if len(literals) != 1 else f"({literals[0].partition('=')[2]})"
        if parent.parent is None:
            return f"{parent.name}{own}"
        return f"{self._parent_path(parent.parent, row)}/{parent.name.rpartition('/')[2]}{own}"

    def value(self, value: Any, prop_type: str, collection: bool = False) -> Any:
        """A property value of any type."""
        if collection:
            items = [self.value(item, prop_type) for item in value or []]
            return items if self.service.v4 else {"__metadata": {"type": f"Collection({prop_type})"}, "results": items}
        if value is not None and self.service.is_structured(prop_type):
            return self._complex(value, prop_type)
        return to_json(value, self.service.underlying(prop_type), self.service.v4, self.ieee754)

    def _complex(self, value: dict[str, Any], type_name: str) -> dict[str, Any]:
        actual = str(value.get("@type", type_name))
        found: dict[str, Any] = {} if self.service.v4 else {"__metadata": {"type": actual}}
        if self.service.v4 and actual != type_name:
            found["@odata.type"] = f"#{actual}"
        properties = self.service.properties(actual)
        for name, prop in properties.items():
            found[name] = self.value(value.get(name), prop.type.name, prop.type.collection)
        found.update({k: v for k, v in value.items() if k not in properties and k != "@type"})
        return found

    def _properties(self, row: Row, query: Query) -> dict[str, Any]:
        properties = self.service.properties(row.type)
        wanted = None if query.select is None else {path[0] for path in query.select}
        found = {
            name: self.value(row.data.get(name), prop.type.name, prop.type.collection)
            for name, prop in properties.items()
            if (wanted is None or name in wanted) and not _is_stream(prop)
        }
        extra = {name: value for name, value in row.data.items() if name not in properties}
        return found | (extra if wanted is None else {k: v for k, v in extra.items() if k in wanted})

    def entity(self, collection: Collection, row: Row, query: Query, expanded: dict[str, Any]) -> dict[str, Any]:
        """One entity; `expanded` holds what `$expand` brought, rendered, by navigation name."""
        if self.service.v4:
            control: dict[str, Any] = {"@odata.etag": row.etag}
            if row.type != collection.type:
                control["@odata.type"] = f"#{row.type}"
            return control | self._properties(row, query) | expanded
        uri = self.root + self.path(collection, row)
        meta = {"id": uri, "uri": uri, "type": row.type, "etag": row.etag}
        found = {"__metadata": meta} | self._properties(row, query)
        for name in self.service.navigations(row.type):
            selected = query.select is None or any(path[0] == name for path in query.select)
            if name in expanded:
                found[name] = expanded[name]
            elif selected:
                found[name] = {"__deferred": {"uri": f"{uri}/{name}"}}
        return found

    def context(self, collection: Collection, single: bool) -> str:
        suffix = "/$entity" if single and collection.kind != "singleton" else ""
        return f"{self.root}$metadata#{collection.name}{suffix}"

    def service_document(self) -> dict[str, Any]:
        """What the root of the service answers, in the form of its version."""
        if not self.service.v4:
            return {"d": {"EntitySets": list(self.service.collections)}}
        kinds = {"set": "EntitySet", "singleton": "Singleton"}
        entries = [
            {"name": name, "kind": kinds[found.kind], "url": name} for name, found in self.service.collections.items()
        ]
        entries += [
            {"name": name, "kind": "FunctionImport", "url": name}
            for name, found in self.service.document.all_imports().items()
            if found.include_in_service_document
        ]
        return {"@odata.context": f"{self.root}$metadata", "value": entries}


def _is_stream(prop: Property) -> bool:
    return prop.type.name == "Edm.Stream"
