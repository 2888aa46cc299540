"""Seed rows and assigned values: JSON files of `{"service", "endpoint", "record"}`, loose in how values are written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.errors import InputFileError
from embedded.odata_service.related import Rows
from embedded.odata_service.schema import Collection, Relation, Service
from embedded.odata_service.store import Row, key_text
from embedded.odata_service.values import enum_value, loose_value


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file; `where` names file and index for messages."""

    where: str
    service: str
    endpoint: str
    record: dict[str, Any]

    @property
    def digest(self) -> str:
        text = json.dumps([self.where, self.service, self.endpoint, self.record], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def load_entries(paths: Iterable[Path]) -> list[Entry]:
    """Raises InputFileError naming file, entry and field."""
    found: list[Entry] = []
    for path in paths:
        try:
            parsed = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputFileError(f"{path.name}: cannot be read as JSON ({error})") from error
        if not isinstance(parsed, list):
            raise InputFileError(f"{path.name}: expected an array of entries")
        for index, item in enumerate(parsed):
            where = f"{path.name}, entry {index}"
            if not isinstance(item, dict) or not isinstance(item.get("record"), dict):
                raise InputFileError(f"{where}: expected an object with service, endpoint and record")
            for name in ("service", "endpoint"):
                if not isinstance(item.get(name), str):
                    raise InputFileError(f"{where}: {name} is missing")
            found.append(Entry(where, item["service"], item["endpoint"], item["record"]))
    return found


def loose_record(service: Service, type_name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Canonical values of a record whose values may be written loosely. Raises ValueError naming the property."""
    properties = service.properties(type_name)
    found: dict[str, Any] = {}
    for name, value in record.items():
        prop = properties.get(name)
        if prop is None:
            if not service.document.is_open(type_name):
                raise ValueError(f"{type_name.rpartition('.')[2]} has no property {name!r}")
            found[name] = value
        elif prop.type.collection:
            found[name] = [_loose(service, prop.type.name, item, name) for item in value or []]
        else:
            found[name] = _loose(service, prop.type.name, value, name)
    return found


def _loose(service: Service, declared: str, value: Any, name: str) -> Any:
    type_name = service.underlying(declared)
    try:
        if value is None:
            return None
        if service.is_structured(type_name):
            return loose_record(service, type_name, value)
        if type_name in service.document.enums:
            return enum_value(value, service.document.enums[type_name])
        return loose_value(value, type_name)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


class Seeder:
    """Inserts seed rows of one service. An entry is applied once in the life of a state file."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._service = rows.service

    def apply(self, entry: Entry) -> None:
        """Raises InputFileError when the entry does not fit the metadata."""
        collection = self._service.collections.get(entry.endpoint)
        if collection is None:
            raise InputFileError(f"{entry.where}: {entry.service} has no entity set {entry.endpoint!r}")
        if not self._rows.store.mark_applied(entry.digest):
            return
        try:
            self._insert(collection, entry.record, {}, None)
        except ValueError as error:
            raise InputFileError(f"{entry.where}: {error}") from error

    def _insert(
        self, collection: Collection, record: Mapping[str, Any], inherited: dict[str, Any], parent_key: str | None
    ) -> Row:
        navigations = self._service.navigations(collection.type)
        plain = {name: value for name, value in record.items() if name not in navigations}
        data = {**self._initial(collection), **loose_record(self._service, collection.type, plain), **inherited}
        missing = [name for name in collection.keys if data.get(name) is None]
        if missing:
            raise ValueError(f"key {missing[0]} of {collection.name} is missing")
        own = key_text([data[name] for name in collection.keys])
        key = own if parent_key is None else key_text([parent_key, own])
        row = self._rows.store.get(self._service.name, collection.name, key)
        if row is None:
            row = self._rows.store.insert(self._service.name, collection.name, key, collection.type, data)
        for name, value in record.items():
            relation = self._service.relation(collection, collection.type, name) if name in navigations else None
            if relation is not None:
                self._insert_below(row, relation, value)
        return row

    def _initial(self, collection: Collection) -> dict[str, Any]:
        if not self._service.document.uses_sap_protocol:
            return {}
        return {
            prop.name: edm.initial_value("Edm.String")
            for prop in self._service.properties(collection.type).values()
            if self._service.underlying(prop.type.name) == "Edm.String"
            and not prop.type.collection
            and prop.name not in collection.keys
        }

    def _insert_below(self, row: Row, relation: Relation, value: Any) -> None:
        children = value.get("results", [value]) if isinstance(value, dict) else value
        inherited = {there: row.data.get(here) for here, there in relation.pairs}
        for child in children or []:
            below = self._insert(relation.target, child, inherited, row.key if relation.mode == "contained" else None)
            if relation.mode == "links":
                self._rows.store.link(self._service.name, row, relation.name, relation.target.name, below.key)
