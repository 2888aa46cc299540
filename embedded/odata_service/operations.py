"""Operations: V2 function imports, V4 actions and functions. Parameters are checked, effects recorded.

What an operation of a real system does is not in its metadata. Here an operation with effect finds the row that its
key-named parameters (or its binding) name, refuses when there is none, moves the row's version on and writes a line
into the action log; the answer has the declared form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.csdl_model import OperationImport, Parameter, Property, ReturnType
from embedded.odata_service.errors import BadRequest, Detail, NotFound
from embedded.odata_service.payload import PayloadReader
from embedded.odata_service.related import Rows, key_selection
from embedded.odata_service.resource import Resource
from embedded.odata_service.schema import Collection
from embedded.odata_service.seeds import loose_record
from embedded.odata_service.store import Row
from embedded.odata_service.values import check_facets, enum_value, literal_as


@dataclass(frozen=True, slots=True)
class Call:
    """A checked call: `row` is the entity it works on, if it names one."""

    name: str
    parameters: dict[str, Any]
    returns: ReturnType | None
    row: Row | None
    collection: Collection | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rows` for entity results, `value` for the rest; both None = no content."""

    call: Call
    rows: list[Row] | None = None
    value: Any = None


class Operations:
    """Calls of one service."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._service = rows.service

    def parameters(self, resource: Resource) -> list[Parameter]:
        if resource.operation is not None:
            return resource.operation.parameters[1:] if resource.operation.is_bound else resource.operation.parameters
        return resource.operation_import.parameters if resource.operation_import else []

    def from_literals(self, resource: Resource, sent: Mapping[str, str]) -> dict[str, Any]:
        """Canonical parameters from URL literals. Raises BadRequest with all findings."""
        declared = {parameter.name: parameter for parameter in self.parameters(resource)}
        findings = _name_findings(declared, sent)
        found: dict[str, Any] = {}
        for name in declared:
            if name not in sent:
                continue
            try:
                found[name] = self._literal(declared[name], sent[name])
            except ValueError as error:
                findings.append(Detail("InvalidParameter", f"parameter {name}: {error}", f"/{name}"))
        _raise(findings)
        return found

    def _literal(self, parameter: Parameter, text: str) -> Any:
        type_name = self._service.underlying(parameter.type.name)
        enum = self._service.document.enums.get(type_name)
        if enum is not None:
            return enum_value(text.partition("'")[2].rstrip("'") if "'" in text else text, enum)
        if parameter.type.collection or self._service.is_structured(type_name):
            return text
        value = literal_as(text, type_name, self._service.v4)
        if value is None and not parameter.nullable:
            raise ValueError("null is not allowed")
        if value is not None:
            check_facets(value, type_name, parameter.facets, self._service.v4, check_precision=False)
        return value

    def from_body(self, resource: Resource, body: Mapping[str, Any], reader: PayloadReader) -> dict[str, Any]:
        """Canonical parameters of a V4 action from its JSON body. Raises BadRequest with all findings."""
        declared = {parameter.name: parameter for parameter in self.parameters(resource)}
        sent = {name: value for name, value in body.items() if not name.startswith("@")}
        findings = _name_findings(declared, sent)
        found = {}
        for name, value in sent.items():
            if name in declared and not self._is_entity(declared[name]):
                parameter = declared[name]
                as_property = Property(name, parameter.type, parameter.nullable, parameter.facets)
                found[name] = reader.property_value(as_property, value, f"/{name}")
        _raise([*findings, *reader.findings])
        return found

    def _is_entity(self, parameter: Parameter) -> bool:
        struct = self._service.document.types.get(parameter.type.name)
        return struct is not None and struct.kind == "EntityType"

    def prepare(self, resource: Resource, name: str, parameters: dict[str, Any], has_effect: bool) -> Call:
        """Finds the row. Raises NotFound when the call has an effect and its row does not exist."""
        returns = resource.operation.returns if resource.operation else None
        if resource.operation is None and resource.operation_import is not None:
            returns = resource.operation_import.returns
        if resource.operation is not None and resource.operation.is_bound:
            if resource.single and resource.row is None:
                raise NotFound(resource.missing or "the entity does not exist")
            return Call(name, parameters, returns, resource.row, resource.collection)
        candidates = self._named_collections(resource.operation_import, parameters)
        for collection in candidates:
            found = self._rows.select(key_selection(collection, {key: parameters[key] for key in collection.keys}))
            if found:
                return Call(name, parameters, returns, found[0], collection)
        if candidates and has_effect:
            shown = ", ".join(f"{key}={parameters[key]}" for key in candidates[0].keys)
            raise NotFound(f"{name}: {candidates[0].name} with {shown} does not exist", code="RowNotFound")
        return Call(name, parameters, returns, None, None)

    def _named_collections(self, imported: OperationImport | None, parameters: Mapping[str, Any]) -> list[Collection]:
        """Where the row can be that the parameters name: collections whose whole key stands among them.

        `sap:action-for` and EntitySet decide alone where they fit; otherwise the longest keys come first.
        """
        named = [
            found
            for found in self._service.collections.values()
            if found.keys and all(parameters.get(key) is not None for key in found.keys)
        ]
        if imported is not None:
            action_for = self._service.document.resolve(imported.sap.get("action-for", ""))
            for found in named:
                if found.type == action_for or found.name == imported.entity_set:
                    return [found]
        return sorted(named, key=lambda found: -len(found.keys))

    def perform(self, call: Call, has_effect: bool, at: str) -> Outcome:
        """Effect and result of a prepared call, inside the caller's transaction."""
        row = call.row
        if has_effect:
            if row is not None:
                row = self._rows.store.update(self._service.name, row, row.data)
            self._rows.store.log_action(at, self._service.name, call.name, row, call.parameters)
        if call.returns is None:
            return Outcome(call)
        type_ref = call.returns.type
        struct = self._service.document.types.get(type_ref.name)
        if struct is not None and struct.kind == "EntityType":
            return Outcome(call, self._entity_rows(call, row, type_ref.name))
        assigned = self._rows.store.take_assigned(self._service.name, call.name) if has_effect else {}
        value = self._value(type_ref.name, assigned, {**(row.data if row else {}), **call.parameters})
        return Outcome(call, value=[value] if type_ref.collection else value)

    def _entity_rows(self, call: Call, row: Row | None, type_name: str) -> list[Row]:
        if row is not None and self._service.document.is_a(row.type, type_name):
            return [row]
        if row is None or call.collection is None:
            return []
        for name, nav in self._service.navigations(row.type).items():
            if nav.type.name == type_name:
                return self._rows.related(row, call.collection, name)
        return []

    def _value(self, type_name: str, assigned: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
        if not self._service.is_structured(type_name):
            underlying = self._service.underlying(type_name)
            return True if underlying == "Edm.Boolean" else edm.initial_value(underlying)
        properties = self._service.properties(type_name)
        found = {
            name: known.get(name) for name in properties if not self._service.is_structured(properties[name].type.name)
        }
        return found | loose_record(self._service, type_name, assigned)


def _name_findings(declared: Mapping[str, Parameter], sent: Mapping[str, Any]) -> list[Detail]:
    unknown = [
        Detail("UnknownParameter", f"parameter {name} is not declared: {', '.join(declared) or 'none is'}", f"/{name}")
        for name in sent
        if name not in declared
    ]
    missing = [
        Detail("MissingParameter", f"parameter {name} is missing", f"/{name}")
        for name, parameter in declared.items()
        if name not in sent and not parameter.nullable
    ]
    return unknown + missing


def _raise(findings: list[Detail]) -> None:
    if findings:
        first = findings[0]
        raise BadRequest(first.message, code=first.code, target=first.target, details=tuple(findings))
