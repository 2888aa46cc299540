"""Request bodies -> `Draft`: every name, shape, type and facet checked, all findings reported at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from embedded.odata_service import capabilities
from embedded.odata_service.csdl_model import Property
from embedded.odata_service.errors import BadRequest, Detail
from embedded.odata_service.rules import Rules, is_empty
from embedded.odata_service.schema import Collection, Relation, Service
from embedded.odata_service.values import check_facets, enum_value, from_json, storable

Mode = Literal["create", "update"]
Resolve = Callable[[str, Relation], str]
"""Entity reference (URL) and relation -> storage key of an existing row of the relation's target."""


@dataclass(slots=True)
class Draft:
    """A checked record. `nested` are rows to create below a relation, `binds` keys of rows to refer to."""

    collection: Collection
    type: str
    pointer: str
    values: dict[str, Any] = field(default_factory=dict)
    nested: list[tuple[Relation, list[Draft]]] = field(default_factory=list)
    binds: list[tuple[Relation, list[str]]] = field(default_factory=list)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"member {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON value")


def parse_body(body: bytes) -> dict[str, Any]:
    """JSON object with exact decimals. Raises BadRequest."""
    try:
        parsed = json.loads(body, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
        if b"\\ud" in body.lower():
            json.dumps(parsed, ensure_ascii=False, default=str).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body is no JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise BadRequest("the body must be a JSON object")
    return parsed


class PayloadReader:
    """Reads one body of one service; `findings` collects what is wrong, `finish` raises."""

    def __init__(self, service: Service, rules: Rules, mode: Mode, ieee754: bool, resolve: Resolve) -> None:
        self._service = service
        self._rules = rules
        self._mode: Mode = mode
        self._ieee754 = ieee754
        self._resolve = resolve
        self.findings: list[Detail] = []

    def finish(self) -> None:
        """Raises BadRequest with every finding, the first one as the message."""
        if self.findings:
            first = self.findings[0]
            raise BadRequest(first.message, code=first.code, target=first.target, details=tuple(self.findings))

    def _fault(self, code: str, pointer: str, message: str) -> None:
        self.findings.append(Detail(code, message, pointer))

    def entity(self, body: Mapping[str, Any], collection: Collection, type_name: str, pointer: str = "") -> Draft:
        """The draft of one record; `parent_keys` etc. are checked later, when the parent's keys are known."""
        draft = Draft(collection, self._actual_type(body, type_name, pointer), pointer)
        properties = self._service.properties(draft.type)
        navigations = self._service.navigations(draft.type)
        for name, value in body.items():
            here = f"{pointer}/{name}"
            if name == "__metadata" and not self._service.v4:
                continue
            if "@" in name and self._service.v4:
                self._control(draft, name, value, here)
            elif name in properties:
                self._property(draft, properties[name], value, here)
            elif name in navigations:
                self._navigation(draft, name, value, here)
            elif self._service.document.is_open(draft.type):
                draft.values[name] = storable(value)
            else:
                self._unknown(draft.type, name, here)
        return draft

    def _unknown(self, type_name: str, name: str, pointer: str) -> None:
        self._fault("UnknownProperty", pointer, f"{type_name.rpartition('.')[2]} has no property {name!r}")

    def _actual_type(self, body: Mapping[str, Any], declared: str, pointer: str) -> str:
        stated = body.get("@odata.type") if self._service.v4 else None
        if stated is None:
            struct = self._service.document.types.get(declared)
            if struct is not None and struct.abstract and self._mode == "create":
                self._fault("AbstractType", pointer, f"{declared} is abstract: name a derived type in @odata.type")
            return declared
        named = self._service.document.resolve(str(stated).rpartition("#")[2])
        if not self._service.document.is_a(named, declared):
            self._fault("WrongType", f"{pointer}/@odata.type", f"{named} does not derive from {declared}")
            return declared
        return named

    def _control(self, draft: Draft, name: str, value: Any, pointer: str) -> None:
        nav, _, term = name.partition("@")
        if term != "odata.bind":
            return  # other control information is ignored, so that a read can be sent back
        relation = self._service.relation(draft.collection, draft.type, nav)
        if relation is None:
            self._fault("UnknownProperty", pointer, f"{draft.type.rpartition('.')[2]} has no navigation {nav!r}")
            return
        if relation.many != isinstance(value, list):
            self._fault("WrongShape", pointer, "an array of references" if relation.many else "one reference as text")
            return
        self._bind(draft, relation, value if relation.many else [value], pointer)

    def _bind(self, draft: Draft, relation: Relation, references: list[Any], pointer: str) -> None:
        keys = []
        for reference in references:
            try:
                keys.append(self._resolve(str(reference), relation))
            except ValueError as error:
                self._fault("InvalidReference", pointer, str(error))
        draft.binds.append((relation, keys))

    def _property(self, draft: Draft, prop: Property, value: Any, pointer: str) -> None:
        verb: Literal["insert", "update"] = "insert" if self._mode == "create" else "update"
        denied = capabilities.property_denial(prop, draft.collection.entity_set, verb)
        is_key = prop.name in draft.collection.keys
        if denied and not (is_key and self._mode == "create"):
            self._fault("ReadOnlyProperty", pointer, f"{prop.name} cannot be {verb}ed: {denied}")
            return
        before = len(self.findings)
        draft.values[prop.name] = self.property_value(prop, value, pointer)
        codes = self._rules.codes_for(self._service.name, draft.type, prop.name)
        if codes and len(self.findings) == before and not is_empty(value) and str(value) not in codes:
            self._fault("InvalidCode", pointer, f"{value!r} is no code of {prop.name}: {', '.join(codes)}")

    def property_value(self, prop: Property, value: Any, pointer: str) -> Any:
        """Canonical value; findings are noted and give None."""
        if value is None:
            if not prop.nullable and not prop.type.collection:
                self._fault("NullNotAllowed", pointer, f"{prop.name} must not be null")
            return [] if prop.type.collection else None
        if not prop.type.collection:
            return self._single(prop, value, pointer)
        if not self._service.v4 and isinstance(value, dict):
            value = value.get("results")
        if not isinstance(value, list):
            self._fault("WrongShape", pointer, f"{prop.name} is a collection: send a JSON array")
            return []
        return [self._single(prop, item, f"{pointer}/{index}") for index, item in enumerate(value)]

    def _single(self, prop: Property, value: Any, pointer: str) -> Any:
        type_name = self._service.underlying(prop.type.name)
        if self._service.is_structured(type_name):
            return self._complex(type_name, value, pointer)
        try:
            if type_name in self._service.document.enums:
                return enum_value(value, self._service.document.enums[type_name])
            canonical = from_json(value, type_name, self._service.v4, self._ieee754)
            definition = self._service.document.type_definitions.get(prop.type.name)
            for facets in (prop.facets, *([definition.facets] if definition else [])):
                check_facets(canonical, type_name, facets, self._service.v4)
        except ValueError as error:
            self._fault("InvalidValue", pointer, f"{prop.name}: {error}")
            return None
        return canonical

    def _complex(self, declared: str, value: Any, pointer: str) -> Any:
        if not isinstance(value, dict):
            self._fault("WrongShape", pointer, f"a JSON object of type {declared} is expected")
            return None
        type_name = self._actual_type(value, declared, pointer)
        properties = self._service.properties(type_name)
        found: dict[str, Any] = {"@type": type_name} if type_name != declared else {}
        for name, item in value.items():
            if name == "__metadata" or "@" in name:
                continue
            if name in properties:
                found[name] = self.property_value(properties[name], item, f"{pointer}/{name}")
            elif self._service.document.is_open(type_name):
                found[name] = storable(item)
            else:
                self._unknown(type_name, name, f"{pointer}/{name}")
        return found

    def _navigation(self, draft: Draft, name: str, value: Any, pointer: str) -> None:
        relation = self._service.relation(draft.collection, draft.type, name)
        if relation is None or (isinstance(value, dict) and "__deferred" in value):
            return
        if relation.many:
            self._to_many(draft, relation, value, pointer)
        elif isinstance(value, dict):
            self._to_one(draft, relation, value, pointer)
        elif value is not None:
            self._fault("WrongShape", pointer, f"{name} leads to one entity: send a JSON object")

    def _to_one(self, draft: Draft, relation: Relation, value: dict[str, Any], pointer: str) -> None:
        reference = value.get("@id") if self._service.v4 else (value.get("__metadata") or {}).get("uri")
        if reference and set(value) <= {"@id", "__metadata"}:
            self._bind(draft, relation, [reference], pointer)
            return
        self._nested(draft, relation, [(value, pointer)])

    def _to_many(self, draft: Draft, relation: Relation, value: Any, pointer: str) -> None:
        rows, where = value, pointer
        if not self._service.v4 and isinstance(value, dict) and "results" in value:
            rows, where = value["results"], f"{pointer}/results"
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            form = "a JSON array" if self._service.v4 else 'a JSON array or {"results": [...]}'
            self._fault("WrongShape", where, f"{relation.name} leads to many entities: send {form} of objects")
            return
        if rows:
            self._nested(draft, relation, [(row, f"{where}/{index}") for index, row in enumerate(rows)])

    def _nested(self, draft: Draft, relation: Relation, rows: list[tuple[dict[str, Any], str]]) -> None:
        pointer = rows[0][1]
        if self._mode != "create":
            self._fault("NestedUpdate", pointer, f"{relation.name}: nested entities can be sent on create only")
            return
        if capabilities.deep_insert_denied(relation):
            self._fault("DeepInsertDenied", pointer, f"{relation.name} does not allow a deep insert")
            return
        drafts = [self.entity(row, relation.target, relation.target.type, where) for row, where in rows]
        draft.nested.append((relation, drafts))
