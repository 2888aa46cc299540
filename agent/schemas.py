"""JSON Schemas for the two stages, in the strict subset that constrained decoders share.

Every object lists all its properties as required and allows no others; what is optional is nullable; texts have a length.
``thought`` comes first: under a grammar the order of properties is the order of thinking.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from agent.planning.text import label_words, name_words, same_word, tokenize
from wire.context import EndpointView, FieldView, NestedView
from wire.endpoint import Cardinality, Verb

THOUGHT_LENGTH = 400
TEXT_LENGTH = 1200
_PLAIN_LENGTH = 255
_MOST_FIELDS = 40
_MOST_CODES = 200
_MOST_ROWS = 50
_INTEGERS = frozenset({"Edm.Int16", "Edm.Int32", "Edm.Byte", "Edm.SByte"})
_NUMBERS = frozenset({"Edm.Decimal", "Edm.Double", "Edm.Single", "Edm.Int64"})
_DATES = frozenset({"Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset"})


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


def fill_schema(view: EndpointView, goal: str) -> dict[str, Any]:
    """Stage two: the values of the chosen call. Keys stand apart from the fields that are written."""
    members: dict[str, Any] = {"thought": {"type": "string", "maxLength": THOUGHT_LENGTH}}
    keys = key_fields(view)
    if keys:
        members["key"] = _object({f.name: _field(f, optional=view.verb is Verb.READ) for f in keys})
    if view.verb is Verb.READ and view.kind in ("EntitySet", "Singleton"):
        members["filter"] = _object({f.name: _field(f, optional=True) for f in shown_fields(view, goal) if not f.key})
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
    members = {f.name: _field(f, optional=all_optional or not f.required) for f in fields if f.writable}
    for view in nested:
        row = _record(relevant(view.fields, goal), view.nested, goal, all_optional=False)
        if view.cardinality is Cardinality.MANY:
            members[view.name] = {"type": "array", "items": row, "maxItems": _MOST_ROWS}
        else:
            members[view.name] = {"anyOf": [row, {"type": "null"}]}
    return _object(members)


def _field(field: FieldView, *, optional: bool) -> dict[str, Any]:
    if field.fields:
        inner = _object({f.name: _field(f, optional=not f.required) for f in field.fields if f.writable})
        return {"anyOf": [inner, {"type": "null"}]} if optional else inner
    schema = _scalar(field)
    if field.collection:
        return {"type": "array", "items": schema, "maxItems": _MOST_ROWS}
    if not optional:
        return schema
    if "enum" in schema:
        return {"type": ["string", "null"], "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def _scalar(field: FieldView) -> dict[str, Any]:
    if field.codes and not field.codes_cut and len(field.codes) <= _MOST_CODES and field.type == "Edm.String":
        return {"type": "string", "enum": [c.code for c in field.codes]}
    if field.type == "Edm.Boolean":
        return {"type": "boolean"}
    if field.type in _INTEGERS:
        return {"type": "integer"}
    if field.type in _NUMBERS:
        return {"type": "number"}
    if field.type in _DATES:
        return {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "maxLength": 10}
    if field.type == "Edm.Guid":
        return {"type": "string", "maxLength": 36}
    return {"type": "string", "maxLength": min(field.max_length or _PLAIN_LENGTH, TEXT_LENGTH)}


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
