"""Creates, updates and deletes of rows from checked drafts, inside the transaction of the caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection as Values
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.capabilities import required_properties
from embedded.odata_service.errors import BadRequest, Conflict, Detail, NotFound
from embedded.odata_service.numbering import Numbering
from embedded.odata_service.payload import Draft
from embedded.odata_service.query import Query
from embedded.odata_service.related import Rows
from embedded.odata_service.rules import Rules, is_empty
from embedded.odata_service.schema import Collection, Relation
from embedded.odata_service.seeds import loose_record
from embedded.odata_service.store import Row, Selection, key_text


class Writer:
    """Writes of one service."""

    def __init__(self, rows: Rows, rules: Rules, numbering: Numbering) -> None:
        self._rows = rows
        self._service = rows.service
        self._store = rows.store
        self._rules = rules
        self._numbering = numbering

    # checks before anything is written

    def check_create(self, draft: Draft, inherited: dict[str, Any] | None = None) -> list[Detail]:
        """Findings on what is missing or contradicts the parent, nested rows included."""
        inherited = inherited or {}
        findings = self._contradictions(draft, inherited)
        record = {**draft.values, **inherited}
        record |= {relation.name: True for relation, _ in draft.nested}
        findings += self._missing(draft, record, set(inherited))
        for relation, children in draft.nested:
            pairs = relation.pairs if relation.parent_gives_key else ()
            for child in children:
                findings += self.check_create(child, {there: record.get(here) for here, there in pairs})
        return findings

    def _contradictions(self, draft: Draft, inherited: dict[str, Any]) -> list[Detail]:
        return [
            Detail(
                "ParentMismatch",
                f"{name} is {draft.values[name]!r}, its parent has {value!r}",
                f"{draft.pointer}/{name}",
            )
            for name, value in inherited.items()
            if value is not None and draft.values.get(name) not in (None, "", value)
        ]

    def _missing(self, draft: Draft, record: dict[str, Any], inherited: set[str]) -> list[Detail]:
        demanded: dict[str, str] = {}
        for name, why in required_properties(self._service, draft.collection, draft.type).items():
            if name not in draft.collection.keys or why.startswith("InsertRestrictions"):
                demanded[name] = why
        for rule in self._rules.required.get((self._service.name, draft.collection.name), []):
            demanded.pop(rule.property, None)
            if not rule.lifted(record):
                demanded[rule.property] = rule.why
        findings = [
            Detail("RequiredProperty", f"{name} is required ({why})", f"{draft.pointer}/{name}")
            for name, why in demanded.items()
            if name not in inherited
            and is_empty(record.get(name))
            # A key that is sent empty is a value: ValuationType "" means no split valuation.
            and not (name in draft.collection.keys and record.get(name) == "")
        ]
        if not self._service.document.uses_sap_protocol:
            findings += self._missing_non_nullable(draft, inherited)
        return findings

    def _missing_non_nullable(self, draft: Draft, inherited: set[str]) -> list[Detail]:
        """Outside SAP, a non-nullable property without default has to be sent (CSDL 4.01 section 7.2.1)."""
        return [
            Detail(
                "RequiredProperty", f"{prop.name} is not nullable and has no default", f"{draft.pointer}/{prop.name}"
            )
            for prop in self._service.properties(draft.type).values()
            if not prop.nullable
            and not prop.type.collection
            and prop.default is None
            and prop.store_generated is None
            and prop.annotations.get("Org.OData.Core.V1.Computed") is not True
            and prop.name not in draft.values
            and prop.name not in inherited
            and prop.name not in draft.collection.keys
        ]

    # create

    def create(
        self,
        draft: Draft,
        inherited: dict[str, Any] | None = None,
        parent_key: str | None = None,
        reserved: Values[str] = (),
    ) -> Row:
        """The row and everything nested below it. Raises Conflict for a key that exists."""
        collection = draft.collection
        data = {**self._defaults(draft), **self._assigned(collection, draft), **draft.values}
        data |= {name: value for name, value in (inherited or {}).items() if value is not None}
        self._create_first(draft, data)
        self._assign_keys(collection, data, set(inherited or {}), parent_key, reserved)
        own_key = key_text([data[name] for name in collection.keys])
        key = own_key if parent_key is None else key_text([parent_key, own_key])
        try:
            row = self._store.insert(self._service.name, collection.name, key, draft.type, data)
        except sqlite3.IntegrityError:
            shown = ", ".join(f"{name}={data[name]}" for name in collection.keys)
            raise Conflict(f"{collection.name} with {shown} exists already", code="DuplicateKey") from None
        for relation, keys in draft.binds:
            self._link(row, relation, keys)
        self._create_below(draft, row)
        return row

    def _defaults(self, draft: Draft) -> dict[str, Any]:
        """Default values; an ABAP service keeps text it was not given as empty text, and knows no null keys."""
        found: dict[str, Any] = {}
        for prop in self._service.properties(draft.type).values():
            if prop.name in draft.collection.keys:
                continue
            type_name = self._service.underlying(prop.type.name)
            if prop.default is not None and not prop.type.collection and type_name.startswith("Edm."):
                found |= loose_record(self._service, draft.type, {prop.name: prop.default})
            elif self._service.document.uses_sap_protocol and (type_name == "Edm.String" or not prop.nullable):
                found[prop.name] = [] if prop.type.collection else edm.initial_value(type_name)
        return found

    def _assigned(self, collection: Collection, draft: Draft) -> dict[str, Any]:
        record = self._store.take_assigned(self._service.name, collection.name)
        return loose_record(self._service, draft.type, record)

    def _assign_keys(
        self,
        collection: Collection,
        data: dict[str, Any],
        inherited: set[str],
        parent_key: str | None,
        reserved: Values[str],
    ) -> None:
        properties = self._service.properties(collection.type)
        owner_names = inherited & set(collection.keys) or set(self._service.owner_keys(collection))
        for name in collection.keys:
            prop = properties.get(name)
            if data.get(name) is not None:  # an empty key is a value too: ValuationType ""
                continue
            if prop is None or (name in owner_names and name not in inherited):
                raise BadRequest(f"key {name} of {collection.name} is missing", code="MissingKey", target=f"/{name}")
            owner = {key: data[key] for key in owner_names if data.get(key) is not None}
            is_child = bool(owner_names) and name not in owner_names
            data[name] = self._numbering.assign(collection, prop, owner if is_child else {}, parent_key, reserved)

    def _create_first(self, draft: Draft, data: dict[str, Any]) -> None:
        """To-one targets whose key this row will hold: made before the row itself."""
        for relation, children in draft.nested:
            if relation.parent_gives_key:
                continue
            row = self.create(children[0])
            data |= {here: row.data.get(there) for here, there in relation.pairs}
        for relation, keys in draft.binds:
            if relation.mode == "keys" and not relation.parent_gives_key and keys:
                target = self._store.get(self._service.name, relation.target.name, keys[0])
                if target is not None:
                    data |= {here: target.data.get(there) for here, there in relation.pairs}

    def _create_below(self, draft: Draft, row: Row) -> None:
        for relation, children in draft.nested:
            if relation.parent_gives_key:
                own = set(relation.target.keys) - {there for _, there in relation.pairs}
                reserved = {str(child.values.get(name)) for child in children for name in own}
                for child in children:
                    self.create_child(child, row, relation, reserved)

    def inherited(self, row: Row, relation: Relation) -> dict[str, Any]:
        """What a row below `relation` takes from its parent."""
        return {there: row.data.get(here) for here, there in relation.pairs}

    def create_child(self, draft: Draft, row: Row, relation: Relation, reserved: Values[str] = ()) -> Row:
        """A row below an existing one, by nesting or by POST to a navigation path."""
        parent_key = row.key if relation.mode == "contained" else None
        child = self.create(draft, self.inherited(row, relation), parent_key, reserved)
        if relation.mode == "links":
            self._store.link(self._service.name, row, relation.name, relation.target.name, child.key)
        return child

    def _link(self, row: Row, relation: Relation, keys: list[str]) -> None:
        if relation.mode == "keys" and not relation.many:
            return  # the foreign key was set in the row
        for key in keys:
            target = self._store.get(self._service.name, relation.target.name, key)
            if target is None:
                raise NotFound(f"{relation.name}: the entity to refer to does not exist")
            if relation.mode == "keys":
                self._store.update(self._service.name, target, {**target.data, **self.inherited(row, relation)})
            else:
                self._store.link(self._service.name, row, relation.name, relation.target.name, key)

    # update and delete

    def update(self, row: Row, draft: Draft, replace_all: bool) -> Row:
        """PATCH/MERGE merges, PUT replaces. Raises BadRequest when a key would change."""
        keys = draft.collection.keys
        changed = [name for name in keys if name in draft.values and draft.values[name] != row.data.get(name)]
        if changed:
            raise BadRequest(f"key {changed[0]} cannot be changed", code="KeyChange", target=f"/{changed[0]}")
        base = {**self._defaults(draft), **{name: row.data.get(name) for name in keys}} if replace_all else row.data
        data = {**base, **merge_complex(base, draft.values)}
        for relation, references in draft.binds:
            if relation.mode == "links" and not relation.many:
                self._store.unlink(self._service.name, row, relation.name)
            if relation.mode == "keys" and not relation.many and references:
                target = self._store.get(self._service.name, relation.target.name, references[0])
                data |= {here: target.data.get(there) for here, there in relation.pairs} if target else {}
            self._link(row, relation, references)
        return self._store.update(self._service.name, row, data)

    def delete(self, row: Row, collection: Collection) -> None:
        """The row, its contained rows, and what its associations delete in cascade."""
        for name, nav in self._service.navigations(row.type).items():
            relation = self._service.relation(collection, row.type, name)
            if relation is None or not (relation.mode == "contained" or nav.on_delete == "Cascade"):
                continue
            if relation.parent_gives_key and relation.target.name != collection.name:
                for child in self._rows.select(self._rows.selection(row, relation)):
                    self.delete(child, relation.target)
        self._store.delete(self._service.name, row)

    def exists(self, collection: Collection, key: str) -> bool:
        return bool(self._rows.select(Selection(collection.name, keys=(key,))))


def merge_complex(base: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """A partial update inside complex values keeps what was not sent (OData 4.01 section 11.4.3)."""
    return {
        name: {**base[name], **merge_complex(base[name], value)}
        if isinstance(value, dict) and isinstance(base.get(name), dict)
        else value
        for name, value in sent.items()
    }


def shape_of(draft: Draft) -> Query:
    """The expansion that shows in an answer what a deep insert created."""
    query = Query()
    for relation, children in draft.nested:
        below = Query()
        for child in children:
            below.expand |= shape_of(child).expand
        query.expand[relation.name] = below
    return query
