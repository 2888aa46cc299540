"""JSON Schemas for the two stages, in the strict subset that constrained decoders share.

They are made from uncut views, which say what the contract says: a server that honours them cannot write a name that the type
does not have, a code outside its list, a key that nobody has named, or a nest of the wrong form. Every object lists all its
properties as required and allows no others; what is optional is nullable; texts have a length. ``thought`` comes first: under a
grammar the order of properties is the order of thinking.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.planning.text import label_words, name_words, same_word, tokenize
from wire.context import EndpointView, FieldView, NestedView
from wire.endpoint import Cardinality, Verb

THOUGHT_LENGTH = 400
TEXT_LENGTH = 1200
_PLAIN_LENGTH = 255
_MOST_FIELDS = 40
_MOST_CODES = 250
"""Longer enumerations are refused by some servers; of a longer list those codes are offered that the goal speaks of."""
_MOST_ROWS = 50
_INTEGERS = {
    "Edm.Byte": (0, 255),
    "Edm.SByte": (-128, 127),
    "Edm.Int16": (-(2**15), 2**15 - 1),
    "Edm.Int32": (-(2**31), 2**31 - 1),
}
_NUMBERS = frozenset({"Edm.Decimal", "Edm.Double", "Edm.Single"})
_DATES = frozenset({"Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset"})
_DAY = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_GUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
_WORD = re.compile(r"[\w.\-/]+")
Known = Mapping[str, Any]
"""Field -> the value, or the values, that earlier answers hold for it."""


def choice_of(view: EndpointView) -> str:
    """How a candidate is named in the choice: ``SERVICE/Endpoint verb``."""
    return f"{view.service}/{view.endpoint} {view.verb.value}"


def choose_schema(views: Sequence[EndpointView]) -> dict[str, Any]:
    """Stage one: think, then pick one candidate, ``finish`` or ``ask``; ``text`` is the answer, question or reason."""
    choices = [*dict.fromkeys(choice_of(v) for v in views), "finish", "ask"]
    return _object(
        {
            "thought": {"type": "string", "maxLength": THOUGHT_LENGTH},
            "choice": {"type": "string", "enum": choices},
            "text": {"type": "string", "maxLength": TEXT_LENGTH},
        }
    )


def fill_schema(view: EndpointView, goal: str, known: Known | None = None) -> dict[str, Any]:
    """Stage two: the values of the chosen call. Keys stand apart from the fields that are written.

    With ``known``, a key is one of the values that earlier answers hold for it, or that the goal names.
    """
    members: dict[str, Any] = {"thought": {"type": "string", "maxLength": THOUGHT_LENGTH}}
    keys = key_fields(view)
    if keys:
        optional = view.verb is Verb.READ
        members["key"] = _object({f.name: _key(f, goal, known or {}, optional=optional) for f in keys})
    if view.verb is Verb.READ and view.kind in ("EntitySet", "Singleton"):
        shown = [f for f in shown_fields(view, goal) if not f.key]
        members["filter"] = _object({f.name: _field(f, goal, optional=True) for f in shown})
    elif view.verb is not Verb.DELETE:
        members["payload"] = _record(
            written_fields(view, goal), view.nested, goal, all_optional=view.verb is Verb.UPDATE
        )
    return _object(members)


def key_fields(view: EndpointView) -> list[FieldView]:
    """Fields that address the entity: of an update, delete, read, or bound operation."""
    if view.verb is Verb.CREATE or (view.verb is Verb.ACTION and not view.bound_path):
        return []
    by_name = {f.name: f for f in view.fields}
    return [by_name.get(k) or FieldView(name=k, label=k, type="Edm.String", key=True) for k in view.keys]


def written_fields(view: EndpointView, goal: str) -> list[FieldView]:
    """Fields of the payload: what may be written, without the keys of an addressed entity."""
    apart = {f.name for f in key_fields(view)}
    return [f for f in shown_fields(view, goal) if f.writable and f.name not in apart]


def shown_fields(view: EndpointView, goal: str) -> list[FieldView]:
    """The view's fields for a model: required ones, and of the others those nearest to the goal, in their order."""
    return relevant(view.fields, goal)


def relevant(fields: Sequence[FieldView], goal: str) -> list[FieldView]:
    """All required and key fields, and the optional ones that share a word with the goal, at most ``_MOST_FIELDS``."""
    words = [w for t in tokenize(goal) for w in t.words if not w.isdigit()]

    def nearness(field: FieldView) -> int:
        own = {*label_words(field.label), *name_words(field.name)}
        texts = {w for c in field.codes for w in label_words(c.text)} if field.codes else set()
        return 2 * sum(any(same_word(w, x) for x in words) for w in own) + sum(w in words for w in texts)

    needed = [f for f in fields if f.required or f.key]
    near = sorted((f for f in fields if not (f.required or f.key) and nearness(f)), key=lambda f: -nearness(f))
    few = list(fields) if len(fields) <= _MOST_FIELDS // 4 else [*needed, *near]
    kept = {f.name for f in few[:_MOST_FIELDS]} | {f.name for f in needed}
    return [f for f in fields if f.name in kept]


def _record(
    fields: Iterable[FieldView], nested: Sequence[NestedView], goal: str, *, all_optional: bool
) -> dict[str, Any]:
    members = {f.name: _field(f, goal, optional=all_optional or not f.required) for f in fields if f.writable}
    for view in nested:
        row = _record(relevant(view.fields, goal), view.nested, goal, all_optional=False)
        if view.cardinality is Cardinality.MANY:
            members[view.name] = {"type": "array", "items": row, "maxItems": _MOST_ROWS}
        else:
            members[view.name] = {"anyOf": [row, {"type": "null"}]}
    return _object(members)


def _field(field: FieldView, goal: str, *, optional: bool) -> dict[str, Any]:
    if field.fields:
        inner = _object({f.name: _field(f, goal, optional=not f.required) for f in field.fields if f.writable})
        return {"anyOf": [inner, {"type": "null"}]} if optional else inner
    schema = _scalar(field, goal)
    if field.collection:
        return {"type": "array", "items": schema, "maxItems": _MOST_ROWS}
    return _or_null(schema) if optional else schema


def _key(field: FieldView, goal: str, known: Known, *, optional: bool) -> dict[str, Any]:
    """One of the values that were read or named, where any were read; else what its type allows."""
    read = known.get(field.name)
    values = read if isinstance(read, list) else [] if read in (None, "") else [read]
    if not values or not (field.type == "Edm.String" or field.type in _INTEGERS):
        return _field(field, goal, optional=optional)
    named = [word for word in _WORD.findall(goal) if any(c.isdigit() for c in word)]
    longest = field.max_length or _PLAIN_LENGTH
    if field.type in _INTEGERS:
        texts = [str(v) for v in [*values, *named]]
        schema = {"type": "integer", "enum": list(dict.fromkeys(int(t) for t in texts if t.isdigit()))[:_MOST_CODES]}
    else:
        texts = [str(v) for v in [*values, *named] if len(str(v)) <= longest]
        schema = {"type": "string", "enum": list(dict.fromkeys(texts))[:_MOST_CODES]}
    if not schema["enum"]:
        return _field(field, goal, optional=optional)
    return _or_null(schema) if optional else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **choices}


def _scalar(field: FieldView, goal: str) -> dict[str, Any]:
    codes = _choices(field, goal)
    if codes and field.type in _INTEGERS and all(re.fullmatch(r"-?[0-9]+", code) for code in codes):
        return {"type": "integer", "enum": [int(code) for code in codes]}
    if codes and (field.type == "Edm.String" or not field.type.startswith("Edm.")):
        return {"type": "string", "enum": codes}
    if field.type == "Edm.Boolean":
        return {"type": "boolean"}
    if field.type in _INTEGERS:
        low, high = _INTEGERS[field.type]
        return {"type": "integer", "minimum": low, "maximum": high}
    if field.type == "Edm.Int64":
        return {"type": "integer"}
    if field.type in _NUMBERS:
        return {"type": "number"}
    if field.type in _DATES:
        return {"type": "string", "pattern": _DAY, "maxLength": 10}
    if field.type == "Edm.Guid":
        return {"type": "string", "pattern": _GUID, "maxLength": 36}
    return {"type": "string", "maxLength": min(field.max_length or _PLAIN_LENGTH, TEXT_LENGTH)}


def _choices(field: FieldView, goal: str) -> list[str]:
    """The codes that may be written; none where the list is not whole, or too long and the goal speaks of nothing in it."""
    if field.codes_cut:
        return []
    if len(field.codes) <= _MOST_CODES:
        return [c.code for c in field.codes]
    words = {word.casefold() for word in _WORD.findall(goal)}
    near = [c.code for c in field.codes if c.code.casefold() in words or words & set(label_words(c.text))]
    return near[:_MOST_CODES]


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
