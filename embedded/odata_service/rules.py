"""What metadata does not hold: code lists and required-on-create, read from CSV; value-list pointers from annotations."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from embedded.odata_service.errors import InputFileError
from embedded.odata_service.schema import Service

_CODE_COLUMNS = ("service_file", "entity_type", "property", "code", "text")
_REQUIRED_COLUMNS = ("service_file", "entity_set", "property", "why", "unless")
VALUE_LIST = "com.sap.vocabularies.Common.v1.ValueList"


@dataclass(frozen=True, slots=True)
class RequiredRule:
    """`unless`: alternatives, each a tuple of conditions; see `lifted`."""

    property: str
    why: str
    unless: tuple[tuple[str, ...], ...]

    def lifted(self, record: Mapping[str, Any]) -> bool:
        """True when an alternative holds in the record: `P` sent and not empty, `!P` not, `P=v` has this value."""
        return any(all(_holds(condition, record) for condition in conditions) for conditions in self.unless)


@dataclass(slots=True)
class Rules:
    """`codes`: (service, type local name, property) -> code -> text. `required`: (service, entity set) -> rules."""

    codes: dict[tuple[str, str, str], dict[str, str]] = field(default_factory=dict)
    required: dict[tuple[str, str], list[RequiredRule]] = field(default_factory=dict)

    def codes_for(self, service: str, type_name: str, prop: str) -> dict[str, str]:
        return self.codes.get((service, type_name.rpartition(".")[2], prop), {})


def is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _holds(condition: str, record: Mapping[str, Any]) -> bool:
    if condition.startswith("!"):
        return is_empty(record.get(condition[1:]))
    name, equals, wanted = condition.partition("=")
    if equals:
        return str(record.get(name)) == wanted
    return not is_empty(record.get(name))


def parse_unless(text: str) -> tuple[tuple[str, ...], ...]:
    """Blank-separated alternatives of `&`-joined conditions."""
    return tuple(tuple(part for part in alternative.split("&") if part) for alternative in text.split())


def stem(file_name: str) -> str:
    """`API_X.edmx` -> `API_X`; a name without extension stays."""
    for suffix in (".edmx", ".xml"):
        file_name = file_name.removesuffix(suffix)
    return file_name


def _records(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise InputFileError(f"{path.name}, line 1: column {missing[0]!r} is missing")
            for record in reader:
                if any(record[name] is None for name in columns[:4]):
                    raise InputFileError(f"{path.name}, line {reader.line_num}: too few columns")
                yield {name: (record[name] or "") for name in columns}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputFileError(f"{path.name}: cannot be read ({error})") from error


def load_rules(codes: Iterable[Path], required: Iterable[Path]) -> Rules:
    """Raises InputFileError naming file and line."""
    rules = Rules()
    for path in codes:
        for record in _records(path, _CODE_COLUMNS):
            key = (stem(record["service_file"]), record["entity_type"], record["property"])
            rules.codes.setdefault(key, {})[record["code"]] = record["text"]
    for path in required:
        for record in _records(path, _REQUIRED_COLUMNS):
            rule = RequiredRule(record["property"], record["why"], parse_unless(record["unless"]))
            rules.required.setdefault((stem(record["service_file"]), record["entity_set"]), []).append(rule)
    return rules


@dataclass(frozen=True, slots=True)
class ValueListRow:
    """One row that a value-list entity set should hold."""

    collection: str
    record: dict[str, str]


def _list_targets(value_list: Mapping[str, Any], prop: str) -> tuple[str, str | None]:
    """(property holding the code, property holding its text) in the value-list entity set."""
    code_property, text_property = "", None
    for parameter in value_list.get("Parameters") or []:
        local = parameter.get("LocalDataProperty")
        local_name = local.get("$PropertyPath") if isinstance(local, dict) else local
        if local_name == prop:
            code_property = str(parameter.get("ValueListProperty") or "")
        elif str(parameter.get("$Type") or "").endswith("ValueListParameterDisplayOnly") and text_property is None:
            text_property = str(parameter.get("ValueListProperty") or "")
    return code_property, text_property


def value_list_rows(service: Service, rules: Rules) -> list[ValueListRow]:
    """Rows for value-list entity sets of the service, from the codes of the properties that point to them."""
    found: list[ValueListRow] = []
    for (service_name, type_local, prop), codes in rules.codes.items():
        if service_name != service.name:
            continue
        for name in service.document.types:
            if name.rpartition(".")[2] != type_local:
                continue
            declared = service.properties(name).get(prop)
            value_list = (declared.annotations if declared else {}).get(VALUE_LIST)
            if isinstance(value_list, dict):
                found += _rows_of_list(service, value_list, prop, codes)
    return found


def _rows_of_list(
    service: Service, value_list: Mapping[str, Any], prop: str, codes: Mapping[str, str]
) -> list[ValueListRow]:
    collection = service.collections.get(str(value_list.get("CollectionPath") or ""))
    code_property, text_property = _list_targets(value_list, prop)
    if collection is None or collection.keys != (code_property,):
        return []
    has_text = text_property in service.properties(collection.type)
    return [
        ValueListRow(collection.name, {code_property: code} | ({str(text_property): text} if has_text else {}))
        for code, text in codes.items()
    ]
