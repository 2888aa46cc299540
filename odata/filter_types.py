"""Which operands may meet in an expression (numeric promotion; no other implicit conversion)."""

from odata.filter_paths import Operand
from odata.model import Model
from odata.url_literals import NUMERIC

_MOMENTS = frozenset({"Edm.Date", "Edm.DateTimeOffset"})
# What a duration can be added to or taken from.
_MOVED = frozenset({"Edm.Date", "Edm.DateTimeOffset", "Edm.Duration", "Edm.TimeOfDay"})
_ADDABLE = NUMERIC | {"Edm.Date", "Edm.DateTimeOffset", "Edm.Duration", "Edm.TimeOfDay"}


def type_word(operand: Operand) -> str:
    """The operand in words."""
    if operand.literal:
        return f"{operand.literal} ({operand.type})"
    return operand.type or operand.structured or "this"


def is_boolean(operand: Operand) -> bool:
    """Whether the operand can be a condition."""
    if operand.type is None:
        return operand.structured is None and not operand.collection
    return operand.type in ("Edm.Boolean", "null")


def arithmetic_problem(left: Operand, word: str, right: Operand, v4: bool) -> str:
    """Why two operands cannot be calculated with, or an empty string (URL Conventions 4.01, 5.1.1.2)."""
    for side in (left, right):
        if side.structured is not None or side.collection:
            return f"{word} wants numbers, {type_word(side)} is none"
        if side.type is not None and side.type not in (_ADDABLE if v4 else NUMERIC) and side.type != "null":
            return f"{word} wants numbers, {type_word(side)} is none"
    kinds = {side.type for side in (left, right)} - {None, "null"}
    if kinds <= NUMERIC or len(kinds) < 1 or None in (left.type, right.type):
        return ""
    if "null" in (left.type, right.type):
        return "" if word in ("add", "sub") or kinds == {"Edm.Duration"} else _mixed(left, word, right)
    if word in ("add", "sub"):
        moved, by = (right, left) if word == "add" and left.type == "Edm.Duration" else (left, right)
        fits = by.type == "Edm.Duration" and moved.type in _MOVED
        return "" if fits or (word == "sub" and left.type == right.type) else _mixed(left, word, right)
    scaled = (left, right) if word != "mul" or left.type == "Edm.Duration" else (right, left)
    fits = word != "mod" and scaled[0].type == "Edm.Duration" and scaled[1].type in NUMERIC
    return "" if fits else _mixed(left, word, right)


def _mixed(left: Operand, word: str, right: Operand) -> str:
    return f"{word} does not take {type_word(left)} and {type_word(right)}"


def calculated(left: Operand, word: str, right: Operand) -> Operand:
    """The result of arithmetic: the difference of two moments is a duration, a moment moved by one stays a moment."""
    if word == "sub" and left.type == right.type and left.type in _MOMENTS:
        return Operand("Edm.Duration")
    if "Edm.Duration" in (left.type, right.type):
        moved = [side.type for side in (left, right) if side.type in _MOVED and side.type != "Edm.Duration"]
        return Operand(moved[0] if moved else "Edm.Duration")
    known = [side.type for side in (left, right) if side.type not in (None, "null")]
    if len(known) == 2 and known[0] != known[1]:
        # Promoted to whatever holds both; any number may be compared with it.
        return Operand("Edm.Double")
    return Operand(known[0] if known else None)


def comparable(model: Model, left: Operand, right: Operand) -> str:
    """Why two operands cannot be compared, or an empty string."""
    if "null" in (left.type, right.type) or left.type is None or right.type is None:
        for side, other in ((left, right), (right, left)):
            if side.structured and other.type not in (None, "null"):
                return f"{side.structured} is no primitive value: compare one of its properties"
        pair = left.structured, right.structured
        if pair[0] and pair[1] and not (model.derives(pair[0], pair[1]) or model.derives(pair[1], pair[0])):
            return f"{pair[0]} cannot be compared with {pair[1]}"
        return ""
    if left.type == right.type or (left.type in NUMERIC and right.type in NUMERIC):
        return ""
    if _is_geo(left.type) and _is_geo(right.type):
        return ""
    if model.contract.version == "4.01" and _by_string(model, left, right):
        return ""
    declared, other = (right, left) if left.literal else (left, right)
    hint = f": write {_example(declared.type, model.v4)}" if other.literal else ""
    return f"{type_word(declared)} cannot be compared with {type_word(other)}{hint}"


def _is_geo(type_name: str) -> bool:
    return type_name.startswith(("Edm.Geography", "Edm.Geometry"))


def _by_string(model: Model, left: Operand, right: Operand) -> bool:
    return any(
        a.type == "Edm.String"
        and a.literal
        and b.type is not None
        and (b.type in model.enums or b.type == "Edm.Duration")
        for a, b in ((left, right), (right, left))
    )


def _example(type_name: str | None, v4: bool) -> str:
    if type_name is None or not type_name.startswith("Edm."):
        return f"{type_name}'Member'"
    examples = _V4_EXAMPLES if v4 else _V2_EXAMPLES
    return examples.get(type_name, "a number without quotes")


_COMMON = {"Edm.String": "a string in quotes", "Edm.Boolean": "true or false"}
_V4_EXAMPLES = {
    **_COMMON,
    "Edm.Date": "2026-01-31",
    "Edm.DateTimeOffset": "2026-01-31T00:00:00Z",
    "Edm.TimeOfDay": "12:30:00",
    "Edm.Guid": "a Guid without quotes",
    "Edm.Duration": "duration'PT1H'",
}
_V2_EXAMPLES = {
    **_COMMON,
    "Edm.DateTime": "datetime'2026-01-31T00:00:00'",
    "Edm.DateTimeOffset": "datetimeoffset'2026-01-31T00:00:00Z'",
    "Edm.Time": "time'PT12H30M'",
    "Edm.Guid": "guid'...'",
}
