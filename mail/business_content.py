"""A call in business words: labels instead of property names, code texts beside codes, items as tables, old beside new.

Pure: a call and its contract in, lines and tables out. What the approver reads is made here and nowhere else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
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
    """The call in words. ``old`` holds the entity as it stands before a change or a deletion."""
    kind = contract.type(contract.entity_type)
    payload = dict(call.payload or {})
    fields = _parameters(call, contract) or _addressed(call, contract, kind)
    changed = old if call.method in ("PATCH", "PUT") and not call.path else None
    lines = [*_key_lines(call, kind), *_lines(payload, fields, contract, changed), *_lost(call, kind, contract, old)]
    tables = list(_tables(payload, fields, contract, ()))
    return CallDescription(title=_title(call, contract, lines, tables), lines=tuple(lines), tables=tuple(tables))


def _addressed(call: ProposedCall, contract: EndpointContract, kind: StructuredType | None) -> StructuredType | None:
    """The type at the end of the path, None where the path leaves what is known."""
    for name in call.path or ():
        navigation = kind.navigation(name) if kind else None
        kind = contract.type(navigation.target_type if navigation else name)
    return kind


def _lost(
    call: ProposedCall, kind: StructuredType | None, contract: EndpointContract, old: Mapping[str, Any] | None
) -> Iterator[Line]:
    """What a deletion takes away, and what a replacement resets because it does not name it."""
    if old is None or call.path or call.method not in ("DELETE", "PUT"):
        return
    named = {*(call.key or {}), *(call.payload or {})}
    gone = {n: v for n, v in old.items() if n not in named and v not in (None, "") and not n.startswith(("@", "__"))}
    after = "(deleted)" if call.method == "DELETE" else "(reset, not named by the replacement)"
    for line in _lines({n: v for n, v in gone.items() if kind and kind.property(n)}, kind, contract, None):
        yield Line(label=line.label, value=after, old=line.value)


def label_of(name: str, label: str = "") -> str:
    """The label, or else the name split into words."""
    return label or WORDS.sub(" ", name).strip().replace("  ", " ")


def show_value(value: Any, spec: Property | None, record: Mapping[str, Any] | None = None) -> str:
    """A JSON value for people: dates as dates, a code with its text, an amount with its unit."""
    if value is None:
        return "(no value)"
    if value in ("", [], {}):
        return "(empty)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = _date(value, spec) or _decimal(value, spec) or str(value)
    if spec is not None:
        codes = [*(spec.code_list.codes if spec.code_list else ()), *spec.allowed]
        named = next((c.text for c in codes if c.code == value and c.text and c.text != c.code), "")
        unit = record.get(spec.unit_property) if record and spec.unit_property else None
        text += f" ({named})" if named else ""
        text += f" {unit}" if unit else ""
    return text


def _decimal(value: Any, spec: Property | None) -> str:
    """A JSON number of a decimal property with the digits of its scale: 10043.6 euros are 10043.60."""
    if (
        spec is None
        or spec.type != "Edm.Decimal"
        or not isinstance(value, int | float)
        or not isinstance(spec.scale, int)
    ):
        return ""
    exact = Decimal(str(value))
    shown = f"{exact:.{spec.scale}f}"
    return shown if Decimal(shown) == exact else ""


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
        yield Line(label=_label(name, kind), value=show_value(value, kind.property(name) if kind else None))


def _label(name: str, kind: StructuredType | None) -> str:
    """The label of a member, with the member's own name where others of the type carry the same label."""
    spec = kind.property(name) if kind else None
    label = label_of(name, spec.label if spec else "")
    twins = [p for p in kind.properties if label_of(p.name, p.label) == label] if kind else []
    return f"{label} [{name}]" if len(twins) > 1 or (spec is None and twins) or name[:1] in "@_" else label


def _show(value: Any, spec: Property | None, contract: EndpointContract, record: Mapping[str, Any]) -> str:
    """A value of any shape on one line: complex values as their labelled members, collections as a list."""
    if isinstance(value, dict) and value:
        inner = contract.type(spec.type) if spec else None
        members = ((_label(k, inner), inner.property(k) if inner else None, v) for k, v in value.items())
        return ", ".join(f"{label}: {_bracketed(v, member, contract, value)}" for label, member, v in members)
    if isinstance(value, list) and value:
        return "; ".join(_bracketed(item, spec, contract, record) for item in value)
    return show_value(value, spec, record)


def _bracketed(value: Any, spec: Property | None, contract: EndpointContract, record: Mapping[str, Any]) -> str:
    shown = _show(value, spec, contract, record)
    return f"({shown})" if isinstance(value, dict | list) and value else shown


def _lines(
    record: Mapping[str, Any],
    kind: StructuredType | None,
    contract: EndpointContract,
    old: Mapping[str, Any] | None,
) -> Iterator[Line]:
    for name, value in record.items():
        if _is_table(name, value, kind):
            continue
        spec = kind.property(name) if kind else None
        before = _show(old.get(name), spec, contract, old) if old is not None and name in old else None
        yield Line(label=_label(name, kind), value=_show(value, spec, contract, record), old=before)


def _is_table(name: str, value: Any, kind: StructuredType | None) -> bool:
    """Nested entities, and lists of objects that metadata does not know, are tables; everything else is a line or a cell."""
    if kind is not None and kind.property(name) is not None:
        return False
    if kind is not None and kind.navigation(name) is not None:
        return isinstance(value, dict | list)
    return bool(_rows(value)) and isinstance(value, list | dict)


def _tables(
    record: Mapping[str, Any], kind: StructuredType | None, contract: EndpointContract, above: Sequence[str]
) -> Iterator[Table]:
    """One table per navigation, depth first; rows of deeper levels name the row they belong to."""
    for name, value in record.items():
        if not _is_table(name, value, kind):
            continue
        navigation = kind.navigation(name) if kind else None
        rows = _rows(value)
        target = contract.type(navigation.target_type) if navigation else None
        yield _table(name, navigation, rows, target, contract, above)
        for number, row in enumerate(rows, start=1):
            yield from _tables(row, target, contract, (*above, f"{_nav_label(name, navigation)} {number}"))


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get("results"), list) and len(value) == 1:
        value = value["results"]
    rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    # A list with other things than objects in it is no table: it is shown as a value.
    return list(rows) if all(isinstance(row, dict) for row in rows) else []


def _nav_label(name: str, navigation: NavigationProperty | None) -> str:
    plain = re.sub(r"^_|^to_", "", name)
    return label_of(plain, navigation.label if navigation else "")


def _table(
    name: str,
    navigation: NavigationProperty | None,
    rows: Sequence[Mapping[str, Any]],
    target: StructuredType | None,
    contract: EndpointContract,
    above: Sequence[str],
) -> Table:
    shown = [{k: v for k, v in row.items() if not _is_table(k, v, target)} for row in rows]
    specs = {c: target.property(c) if target else None for c in dict.fromkeys(k for row in shown for k in row)}
    return Table(
        title=" / ".join([*above, _nav_label(name, navigation)]),
        columns=("#", *(_label(c, target) for c in specs)),
        rows=tuple(
            (str(number), *(_show(row[c], spec, contract, row) if c in row else "" for c, spec in specs.items()))
            for number, row in enumerate(shown, start=1)
        ),
    )


def _title(call: ProposedCall, contract: EndpointContract, lines: Sequence[Line], tables: Sequence[Table]) -> str:
    subject = label_of(re.sub(r"^(A_|C_|I_)", "", call.path[-1] if call.path else call.endpoint), contract.label)
    facts = [f"{line.label} {line.value}" for line in lines[:2]]
    if tables:
        count = len(tables[0].rows)
        facts.append(f"{count} {'line' if count == 1 else 'lines'}")
    return f"{VERBS[call.method]} {subject}" + (f": {', '.join(facts)}" if facts else "")
