"""A call in business words: labels instead of property names, code texts beside codes, items as tables, old beside new.

Pure: a call and its contract in, lines and tables out. What the approver reads is made here and nowhere else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mail.call_title import Title, make_title
from mail.call_totals import amount_of, amount_of_rows, total_of
from mail.phrases import Phrases
from mail.shown_values import show_value
from wire.approval import Line, Table
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, NavigationProperty, Property, StructuredType

WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


@dataclass(frozen=True)
class _Row:
    """A row with its number (``2``, or ``2.1`` below the second row of the table above) and what the rows above it hold."""

    number: str
    record: Mapping[str, Any]
    above: Mapping[str, Any]

    @property
    def with_units(self) -> Mapping[str, Any]:
        """An item need not repeat the currency of its order."""
        return {**self.above, **self.record}


_MUCH = re.compile(r"amount|price|value|total|quantity|limit", re.IGNORECASE)
_TELLING = (
    re.compile(
        r"(?:party|customer|supplier|vendor|partner|creditor|debtor|employee)(?:Name)?$|name\d?$", re.IGNORECASE
    ),
    re.compile(r"material|product|article|text|title|description|reference|amount|quantity", re.IGNORECASE),
)


@dataclass(frozen=True)
class CallDescription:
    """What a mail says of a call."""

    title: Title
    lines: tuple[Line, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class _Words:
    """What values are shown by. ``units`` holds the entity as it stands: a change need not repeat the currency."""

    contract: EndpointContract
    phrases: Phrases
    units: Mapping[str, Any] = field(default_factory=dict)


def describe_call(
    call: ProposedCall, contract: EndpointContract, old: Mapping[str, Any] | None = None, language: str = "en"
) -> CallDescription:
    """The call in words. ``old`` holds the entity as it stands before a change or a deletion."""
    kind = contract.type(contract.entity_type)
    payload = dict(call.payload or {})
    fields = _parameters(call, contract) or _addressed(call, contract, kind)
    changed = old if call.method in ("PATCH", "PUT") and not call.path else None
    words = _Words(contract, Phrases(language), changed or {})
    keys, content = list(_key_lines(call, kind, words)), list(_lines(payload, fields, words, changed))
    tables = tuple(_tables([_Row("", payload, {})], fields, words, ()))
    amount = amount_of(payload, fields, words.phrases) or _amount_below(payload, fields, words)
    names = [name for name, value in payload.items() if not _is_table(name, value, fields)]
    telling = [line for _, line in sorted(zip(names, content, strict=True), key=lambda pair: _rank(*pair))]
    title = make_title(call, _object(call, contract, kind), keys, telling, tables, amount, words.phrases)
    return CallDescription(title, (*keys, *content, *_lost(call, kind, words, old)), tables)


def _addressed(call: ProposedCall, contract: EndpointContract, kind: StructuredType | None) -> StructuredType | None:
    """The type at the end of the path, None where the path leaves what is known."""
    for name in call.path or ():
        navigation = kind.navigation(name) if kind else None
        kind = contract.type(navigation.target_type if navigation else name)
    return kind


def _lost(
    call: ProposedCall, kind: StructuredType | None, words: _Words, old: Mapping[str, Any] | None
) -> Iterator[Line]:
    """What a deletion takes away, and what a replacement resets because it does not name it."""
    if old is None or call.path or call.method not in ("DELETE", "PUT"):
        return
    named = {*(call.key or {}), *(call.payload or {})}
    gone = {n: v for n, v in old.items() if n not in named and v not in (None, "") and not n.startswith(("@", "__"))}
    after = f"({words.phrases('deleted' if call.method == 'DELETE' else 'reset')})"
    for line in _lines({n: v for n, v in gone.items() if kind and kind.property(n)}, kind, words, None):
        yield Line(label=line.label, value=after, old=line.value)


def _rank(name: str, line: Line) -> int:
    """With whom and with what tells more of a call than under which code; of a change, how much."""
    patterns = _TELLING if line.old is None else (_MUCH, *_TELLING)
    return next((place for place, pattern in enumerate(patterns) if pattern.search(name)), len(patterns))


def label_of(name: str, label: str = "") -> str:
    """The label, or else the name split into words."""
    return label or WORDS.sub(" ", name).strip().replace("  ", " ")


def _parameters(call: ProposedCall, contract: EndpointContract) -> StructuredType | None:
    """The parameters of an operation in the shape of a type, so that one function renders both."""
    if call.method != "ACTION":
        return None
    name = call.path[-1] if call.path else call.endpoint
    found = next((o for o in contract.operations if name in (o.name, o.qualified_name)), None)
    return StructuredType(name=name, kind="complex", properties=found.parameters) if found else None


def _key_lines(call: ProposedCall, kind: StructuredType | None, words: _Words) -> Iterator[Line]:
    for name, value in (call.key or {}).items():
        shown = show_value(value, kind.property(name) if kind else None, None, words.phrases)
        yield Line(label=_label(name, kind), value=shown)


def _label(name: str, kind: StructuredType | None) -> str:
    """The label of a member, with the member's own name where others of the type carry the same label."""
    spec = kind.property(name) if kind else None
    label = label_of(name, spec.label if spec else "")
    twins = [p for p in kind.properties if label_of(p.name, p.label) == label] if kind else []
    return f"{label} [{name}]" if len(twins) > 1 or (spec is None and twins) or name[:1] in "@_" else label


def _show(value: Any, spec: Property | None, words: _Words, record: Mapping[str, Any]) -> str:
    """A value of any shape on one line: complex values as their labelled members, collections as a list."""
    if isinstance(value, dict) and value:
        inner = words.contract.type(spec.type) if spec else None
        members = ((_label(k, inner), inner.property(k) if inner else None, v) for k, v in value.items())
        return ", ".join(f"{label}: {_bracketed(v, member, words, value)}" for label, member, v in members)
    if isinstance(value, list) and value:
        return "; ".join(_bracketed(item, spec, words, record) for item in value)
    return show_value(value, spec, record, words.phrases)


def _bracketed(value: Any, spec: Property | None, words: _Words, record: Mapping[str, Any]) -> str:
    shown = _show(value, spec, words, record)
    return f"({shown})" if isinstance(value, dict | list) and value else shown


def _lines(
    record: Mapping[str, Any], kind: StructuredType | None, words: _Words, old: Mapping[str, Any] | None
) -> Iterator[Line]:
    with_units = {**words.units, **record}
    for name, value in record.items():
        if _is_table(name, value, kind):
            continue
        spec = kind.property(name) if kind else None
        before = _show(old.get(name), spec, words, old) if old is not None and name in old else None
        yield Line(label=_label(name, kind), value=_show(value, spec, words, with_units), old=before)


def _is_table(name: str, value: Any, kind: StructuredType | None) -> bool:
    """Nested entities, and lists of objects that metadata does not know, are tables; everything else is a line or a cell."""
    if kind is not None and kind.property(name) is not None:
        return False
    if kind is not None and kind.navigation(name) is not None:
        return isinstance(value, dict | list)
    return bool(_rows(value)) and isinstance(value, list | dict)


def _tables(above: Sequence[_Row], kind: StructuredType | None, words: _Words, path: Sequence[str]) -> Iterator[Table]:
    """One table per navigation, the one of a level before those below it; rows are numbered through all levels."""
    names = dict.fromkeys(n for row in above for n, value in row.record.items() if _is_table(n, value, kind))
    for name in names:
        navigation = kind.navigation(name) if kind else None
        target = words.contract.type(navigation.target_type) if navigation else None
        holders = [row for row in above if _is_table(name, row.record.get(name), kind)]
        rows = [
            _Row(f"{holder.number}.{place}" if holder.number else str(place), row, holder.with_units)
            for holder in holders
            for place, row in enumerate(_rows(holder.record[name]), start=1)
        ]
        titled = [*path, _navigation_label(name, navigation)]
        yield _table(" / ".join(titled), rows, target, words)
        yield from _tables(rows, target, words, titled)


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get("results"), list) and len(value) == 1:
        value = value["results"]
    rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    # A list with other things than objects in it is no table: it is shown as a value.
    return list(rows) if all(isinstance(row, dict) for row in rows) else []


def _navigation_label(name: str, navigation: NavigationProperty | None) -> str:
    plain = re.sub(r"^_|^to_", "", name)
    return label_of(plain, navigation.label if navigation else "")


def _table(title: str, rows: Sequence[_Row], target: StructuredType | None, words: _Words) -> Table:
    names = dict.fromkeys(k for row in rows for k, v in row.record.items() if not _is_table(k, v, target))
    specs = {name: target.property(name) if target else None for name in names}
    totals = [total_of(name, spec, [row.with_units for row in rows], words.phrases) for name, spec in specs.items()]
    return Table(
        title=title,
        columns=("#", *(_label(name, target) for name in specs)),
        rows=tuple(
            (row.number, *(_cell(row, name, spec, target, words) for name, spec in specs.items())) for row in rows
        ),
        totals=("", *totals) if any(totals) else (),
    )


def _cell(row: _Row, name: str, spec: Property | None, target: StructuredType | None, words: _Words) -> str:
    value = row.record.get(name)
    if name not in row.record or _is_table(name, value, target):
        return ""
    return _show(value, spec, words, row.with_units)


def _amount_below(payload: Mapping[str, Any], kind: StructuredType | None, words: _Words) -> str:
    """What the rows of the first table come to."""
    for name, value in payload.items():
        navigation = kind.navigation(name) if kind else None
        if navigation is not None and _is_table(name, value, kind):
            rows = [{**payload, **row} for row in _rows(value)]
            return amount_of_rows(rows, words.contract.type(navigation.target_type), words.phrases)
    return ""


def _object(call: ProposedCall, contract: EndpointContract, kind: StructuredType | None) -> str:
    """What the call is about: the label of the set or of its type, else the name in words."""
    if call.path:
        return label_of(re.sub(r"^_|^to_", "", call.path[-1].rpartition(".")[2]))
    label = contract.label or (kind.label if kind and call.method != "ACTION" else "")
    return label_of(re.sub(r"^(A_|C_|I_)|(?<=[a-z])Set$", "", call.endpoint), label)
