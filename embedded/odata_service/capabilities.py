"""What metadata says about writing: sets (Insertable, ...), properties (computed, creatable, ...), required ones."""

from __future__ import annotations

from typing import Any, Literal

from embedded.odata_service.csdl_model import EntitySet, Property
from embedded.odata_service.schema import Collection, Relation, Service

CAPABILITIES = "Org.OData.Capabilities.V1"
CORE = "Org.OData.Core.V1"
FIELD_CONTROL = "com.sap.vocabularies.Common.v1.FieldControl"

_RESTRICTIONS = {
    "insert": ("InsertRestrictions", "Insertable", "creatable"),
    "update": ("UpdateRestrictions", "Updatable", "updatable"),
    "delete": ("DeleteRestrictions", "Deletable", "deletable"),
}
Verb = Literal["insert", "update", "delete"]


def _path_names(value: Any) -> set[str]:
    """Names from a collection of property paths."""
    names: set[str] = set()
    for item in value or []:
        if isinstance(item, dict):
            names.update(str(text) for key, text in item.items() if key.endswith("Path"))
        else:
            names.add(str(item))
    return names


def restrictions(entity_set: EntitySet | None, verb: Verb) -> dict[str, Any]:
    """The Capabilities record of the set for the verb, or an empty one."""
    found = entity_set.annotations.get(f"{CAPABILITIES}.{_RESTRICTIONS[verb][0]}") if entity_set else None
    return found if isinstance(found, dict) else {}


def denial(service: Service, collection: Collection, verb: Verb) -> str | None:
    """The statement of the metadata that denies the verb on the whole set, or None."""
    entity_set = collection.entity_set
    if collection.kind == "singleton" and verb != "update":
        return "a singleton can be neither created nor deleted"
    if entity_set is None:
        return None
    term, flag, sap_name = _RESTRICTIONS[verb]
    struct = service.document.types.get(collection.type)
    for attributes in (entity_set.sap, struct.sap if struct else {}):
        if attributes.get(sap_name) == "false":
            return f'sap:{sap_name}="false"'
    if restrictions(entity_set, verb).get(flag) is False:
        return f"Capabilities.{term}/{flag} is false"
    return None


def navigation_insert_permission(relation: Relation) -> bool | None:
    """What NavigationRestrictions say on POST to this navigation path; None when nothing. Deep inserts are not meant."""
    entity_set = relation.source.entity_set
    record = entity_set.annotations.get(f"{CAPABILITIES}.NavigationRestrictions") if entity_set else None
    for entry in (record or {}).get("RestrictedProperties") or []:
        path = entry.get("NavigationProperty") or {}
        name = path.get("$NavigationPropertyPath") if isinstance(path, dict) else path
        insert = entry.get("InsertRestrictions")
        if name == relation.name and isinstance(insert, dict) and isinstance(insert.get("Insertable"), bool):
            return bool(insert["Insertable"])
    return None


def deep_insert_denied(relation: Relation) -> bool:
    """True when the source set names the navigation as not insertable."""
    record = restrictions(relation.source.entity_set, "insert")
    return relation.name in _path_names(record.get("NonInsertableNavigationProperties"))


def _read_only(prop: Property) -> str | None:
    if prop.annotations.get(f"{CORE}.Computed") is True:
        return "Core.Computed"
    permissions = prop.annotations.get(f"{CORE}.Permissions")
    if isinstance(permissions, dict) and str(permissions.get("$EnumMember", "")).endswith("/Read"):
        return "Core.Permissions is Read"
    return None


def property_denial(prop: Property, entity_set: EntitySet | None, verb: Verb) -> str | None:
    """The statement that forbids sending the property with the verb, or None."""
    if (found := _read_only(prop)) is not None:
        return found
    if prop.sap.get(_RESTRICTIONS[verb][2]) == "false":
        return f'sap:{_RESTRICTIONS[verb][2]}="false"'
    if verb == "update" and prop.annotations.get(f"{CORE}.Immutable") is True:
        return "Core.Immutable"
    listed = "NonInsertableProperties" if verb == "insert" else "NonUpdatableProperties"
    if prop.name in _path_names(restrictions(entity_set, verb).get(listed)):
        return f"Capabilities {listed}"
    return None


def required_properties(service: Service, collection: Collection, type_name: str) -> dict[str, str]:
    """Property -> statement that demands it on create: RequiredProperties and FieldControl Mandatory."""
    record = restrictions(collection.entity_set, "insert")
    found = {name: "InsertRestrictions.RequiredProperties" for name in _path_names(record.get("RequiredProperties"))}
    for name, prop in service.properties(type_name).items():
        control = prop.annotations.get(FIELD_CONTROL)
        member = str(control.get("$EnumMember", "")) if isinstance(control, dict) else str(control)
        if member.endswith("/Mandatory") or member == "7":
            found[name] = "Common.FieldControl Mandatory"
    return found
