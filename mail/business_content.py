"""A call in business words: labels instead of property names, code texts beside codes, items as tables, old beside new.

Pure: a call and its contract in, lines and tables out. What the approver reads is made here and nowhere else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from wire.approval import Line, Table
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, NavigationProperty, Property, StructuredType

V2_DATE = re.compile(r"/Date\((-?\d+)(?:[+-]\d+)?\)/")
WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
VERBS = {
    "POST": "Create",
    "PATCH": "Change",
    "PUT": "Replace",
    "DELETE": "Delete",
    "ACTION": "Carry out",
    "GET": "Read",
}


@dataclass(frozen=True)
class CallDescription:
    """What a mail says of a call."""

    title: str
    lines: tuple[Line, ...]
    tables: tuple[Table, ...]


def describe_call(
    call: ProposedCall, contract: EndpointContract, old: Mapping[str, Any] | None = None
) -> CallDescription:
    """The call in words. ``old`` holds the entity as it stands before a change."""
    kind = contract.type(contract.entity_type)
    payload = dict(call.payload or {})
    fields = _parameters(call, contract) or kind
    lines = [*_key_lines(call, kind), *_lines(payload, fields, old if call.method in ("PATCH", "PUT") else None)]
    tables = list(_tables(payload, kind, contract, ()))
    return CallDescription(title=_title(call, contract, lines, tables), lines=tuple(lines), tables=tuple(tables))


def label_of(name: str, label: str = "") -> str:
    """The label, or else the name split into words."""
    return label or WORDS.sub(" ", name).strip().replace("  ", " ")


def show_value(value: Any, spec: Property | None, record: Mapping[str, Any] | None = None) -> str:
    """A JSON value for people: dates as dates, a code with its text, an amount with its unit."""
    if value is None or value == "":
        return "(empty)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = _date(value, spec) or str(value)
    if spec is not None:
        codes = [*(spec.code_list.codes if spec.code_list else ()), *spec.allowed]
        named = next((c.text for c in codes if c.code == value and c.text and c.text != c.code), "")
        unit = record.get(spec.unit_property) if record and spec.unit_property else None
        text += f" ({named})" if named else ""
        text += f" {unit}" if unit else ""
    return text


def _date(value: Any, spec: Property | None) -> str:
    match = V2_DATE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return ""
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(match[1]))
    whole_day = instant.time() == datetime.min.time() and (spec is None or spec.type != "Edm.DateTimeOffset")
    return instant.date().isoformat() if whole_day else instant.strftime("%Y-%m-%d %H:%M:%S UTC")


def _parameters(call: ProposedCall, contract: EndpointContract) -> StructuredType | None:
    """The parameters of an operation in the shape of a type, so that one function renders both."""
    if call.method != "ACTION":
        return None
    name = call.path[-1] if call.path else call.endpoint
    found = next((o for o in contract.operations if name in (o.name, o.qualified_name)), None)
    return StructuredType(name=name, kind="complex", properties=found.parameters) if found else None


def _key_lines(call: ProposedCall, kind: StructuredType | None) -> Iterator[Line]:
    for name, value in (call.key or {}).items():
        spec = kind.property(name) if kind else None
        yield Line(label=label_of(name, spec.label if spec else ""), value=show_value(value, spec))


def _lines(record: Mapping[str, Any], kind: StructuredType | None, old: Mapping[str, Any] | None) -> Iterator[Line]:
    for name, value in record.items():
        spec = kind.property(name) if kind else None
        if isinstance(value, list) or name.startswith("@") or (isinstance(value, dict) and spec is None):
            continue
        label = label_of(name, spec.label if spec else "")
        if isinstance(value, dict):
            inner = ", ".join(f"{label_of(k)}: {show_value(v, None)}" for k, v in value.items())
            yield Line(label=label, value=inner)
            continue
        before = show_value(old.get(name), spec, old) if old is not None and name in old else None
        yield Line(label=label, value=show_value(value, spec, record), old=before)


def _tables(
    record: Mapping[str, Any], kind: StructuredType | None, contract: EndpointContract, above: Sequence[str]
) -> Iterator[Table]:
    """One table per navigation, depth first; rows of deeper levels name the row they belong to."""
    for name, value in record.items():
        navigation = kind.navigation(name) if kind else None
        rows = _rows(value)
        if navigation is None and not (rows and all(isinstance(r, dict) for r in rows)):
            continue
        target = contract.type(navigation.target_type) if navigation else None
        yield _table(name, navigation, rows, target, above)
        for number, row in enumerate(rows, start=1):
            yield from _tables(row, target, contract, (*above, f"{_nav_label(name, navigation)} {number}"))


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        value = value["results"]
    rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    return [row for row in rows if isinstance(row, dict)]


def _nav_label(name: str, navigation: NavigationProperty | None) -> str:
    plain = re.sub(r"^_|^to_", "", name)
    return label_of(plain, navigation.label if navigation else "")


def _table(
    name: str,
    navigation: NavigationProperty | None,
    rows: Sequence[Mapping[str, Any]],
    target: StructuredType | None,
    above: Sequence[str],
) -> Table:
    columns = [c for c in dict.fromkeys(k for row in rows for k in row) if not c.startswith("@")]
    columns = [c for c in columns if not any(isinstance(row.get(c), list | dict) for row in rows)]
    specs = {c: target.property(c) if target else None for c in columns}
    return Table(
        title=" / ".join([*above, _nav_label(name, navigation)]),
        columns=("#", *(label_of(c, spec.label if spec else "") for c, spec in specs.items())),
        rows=tuple(
            (str(number), *(show_value(row.get(c), spec, row) if c in row else "" for c, spec in specs.items()))
            for number, row in enumerate(rows, start=1)
        ),
    )


def _title(call: ProposedCall, contract: EndpointContract, lines: Sequence[Line], tables: Sequence[Table]) -> str:
    subject = label_of(re.sub(r"^(A_|C_|I_)", "", call.path[-1] if call.path else call.endpoint), contract.label)
    facts = [f"{line.label} {line.value}" for line in lines[:2]]
    if tables:
        count = len(tables[0].rows)
        facts.append(f"{count} {'line' if count == 1 else 'lines'}")
    return f"{VERBS[call.method]} {subject}" + (f": {', '.join(facts)}" if facts else "")
