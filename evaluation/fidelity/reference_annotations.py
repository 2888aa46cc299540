"""What properties and parameters say of themselves beyond facets: writing, companions, validation, codes, value helps."""

from collections.abc import Iterator
from typing import Any

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.said import (
    Said,
    constant_text,
    is_record,
    members_of,
    number,
    path_text,
    paths_of,
    records_of,
)

Pairs = Iterator[tuple[str, str]]
_UNITS = ("Measures.ISOCurrency", "Measures.Unit", "Measures.UNECEUnit")


def member_annotations(said: Said, generated: str, table: FactTable) -> None:
    """All facts of one property or parameter. ``generated``: its StoreGeneratedPattern."""
    prefix = (said.path,)
    table.add_all("annotations", prefix, _tags(said, generated))
    table.add_all("annotations", prefix, _writing(said, generated))
    table.add_all("annotations", prefix, _companions(said))
    table.add_all("annotations", prefix, _validation(said))
    _codes(said, table)
    _value_lists(said, table)


def _tags(said: Said, generated: str) -> Pairs:
    tags = {
        "computed": said.true("Core.Computed") or generated in ("Identity", "Computed"),
        "computedDefault": said.true("Core.ComputedDefaultValue"),
        "optional": bool(said.every("Core.OptionalParameter")),
        "immutable": said.true("Core.Immutable"),
        "mandatory": bool(members_of(said.value("Common.FieldControl")) & {"Mandatory", "7"}),
        "requiredInFilter": said.sap_flag("required-in-filter") is True,
    }
    yield from ((name, "true") for name, value in tags.items() if value)
    yield from ((name, "false") for name in ("filterable", "sortable") if said.sap_flag(name) is False)
    control = said.sap.get("field-control") or said.dynamic("Common.FieldControl")
    if control:
        yield "dynamicControl", control


def _writing(said: Said, generated: str) -> Pairs:
    common = _common_permission(said, generated)
    for name in ("creatable", "updatable"):
        found = common
        if name == "updatable" and said.true("Core.Immutable") and (found is None or found[0] == "Verified"):
            found = ("Denied", "Core.Immutable")
        stated = said.sap_flag(name)
        if found is None and stated is not None:
            found = ("Verified" if stated else "Denied", f"sap:{name}")
        if found is not None:
            yield name, found[0]
            yield f"{name}Source", found[1]


def _common_permission(said: Said, generated: str) -> tuple[str, str] | None:
    if said.true("Core.Computed"):
        return "Denied", "Core.Computed"
    if generated in ("Identity", "Computed"):
        return "Denied", "StoreGeneratedPattern"
    if members_of(said.value("Common.FieldControl")) & {"ReadOnly", "Inapplicable", "Hidden", "0", "1"}:
        return "Denied", "Common.FieldControl"
    permissions = members_of(said.value("Core.Permissions"))
    if permissions:
        return ("Verified" if permissions & {"Write", "ReadWrite", "2", "3"} else "Denied"), "Core.Permissions"
    return None


def _companions(said: Said) -> Pairs:
    shape = said.sap.get("display-format", "")
    if not shape:
        shape = "UpperCase" if said.true("Common.IsUpperCase") else shape
    if not shape and said.true("Common.IsDigitSequence"):
        shape = "DigitSequence"
    found = {
        "textProperty": said.sap.get("text") or said.dynamic("Common.Text"),
        "unitProperty": said.sap.get("unit") or next((said.dynamic(unit) for unit in _UNITS if said.dynamic(unit)), ""),
        "fixedUnit": next((said.text(unit) for unit in _UNITS if said.text(unit)), ""),
        "displayFormat": shape,
        "semantics": said.sap.get("semantics", ""),
    }
    yield from ((name, value) for name, value in found.items() if value)


def _validation(said: Said) -> Pairs:
    """Minima and maxima may be open ones, which an annotation on the annotation says."""
    for name in ("Minimum", "Maximum"):
        for _, value in said.every(f"Validation.{name}")[:1]:
            text = constant_text(value)
            if text:
                yield name.lower(), number(text)
        if said.inner(f"Validation.{name}", "Validation.Exclusive") is True:
            yield f"exclusive{name}", "true"
    if said.text("Validation.Pattern"):
        yield "pattern", said.text("Validation.Pattern")
    for term, name in (("MultipleOf", "multipleOf"), ("MinItems", "minItems"), ("MaxItems", "maxItems")):
        text = constant_text(said.value(f"Validation.{term}"))
        if text:
            yield name, number(text)


def _codes(said: Said, table: FactTable) -> None:
    position = 0
    for record in records_of(said.value("Validation.AllowedValues")):
        value = record.get("Value")
        code = constant_text(value)
        if not code and value != "":
            continue
        inner = Said("", {key[1:]: item for key, item in record.items() if key.startswith("@")})
        text = next(
            (inner.text(t) for t in ("Core.Description", "Common.Label", "Core.SymbolicName") if inner.text(t)), ""
        )
        table.add("annotations", said.path, "allowed", str(position), code, text)
        position += 1


def _value_lists(said: Said, table: FactTable) -> None:
    lists = [*said.every("Common.ValueList"), *said.every("Common.ValueListMapping")]
    references = list(paths_of(said.value("Common.ValueListReferences")))
    kind = "fixed-values" if said.true("Common.ValueListWithFixedValues") else said.sap.get("value-list", "")
    if kind == "true" or (not kind and (lists or references)):
        kind = "standard"
    if kind:
        table.add("value_lists", said.path, "kind", kind)
    for uri in references:
        table.add("value_lists", said.path, "reference", uri)
    for number_, (qualifier, value) in enumerate(lists):
        if is_record(value):
            _value_list(said.path, str(number_), qualifier, value, table)


def _value_list(path: str, number_: str, qualifier: str, record: Any, table: FactTable) -> None:
    table.add("value_lists", path, number_, "qualifier", qualifier)
    for member, what in (
        ("Label", "label"),
        ("CollectionPath", "collectionPath"),
        ("CollectionRoot", "collectionRoot"),
    ):
        if isinstance(record.get(member), str) and record[member]:
            table.add("value_lists", path, number_, what, record[member])
    for position, part in enumerate(records_of(record.get("Parameters"))):
        kind = str(part.get("$Type", "")).rpartition(".")[2].removeprefix("ValueListParameter")
        ends = (path_text(part.get("LocalDataProperty")), path_text(part.get("ValueListProperty")))
        constant = constant_text(part.get("Constant"))
        table.add("value_lists", path, number_, "parameter", str(position), kind, *ends, constant)
