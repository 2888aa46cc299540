"""What a create must carry: keys that the client assigns, non-nullable properties, required by annotation or by experts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from odata.model import Model
from odata.plans import Mode, PropertyPlan, TypePlan
from wire.endpoint import Permission

_LISTS = ("Capabilities.InsertRestrictions", "curated", "expert", "annotation")
# The service itself keeps these of a draft.
_DRAFT = frozenset({"IsActiveEntity", "HasActiveEntity", "HasDraftEntity", "DraftUUID"})


class Condition(NamedTuple):
    """One term of ``unless``: a property sent and not empty, not sent or empty, or equal to a value."""

    property: str
    present: bool
    equals: str | None = None


@dataclass(frozen=True)
class Required:
    """A member that must be there. ``unless`` holds alternatives, each a conjunction; ``only_key``: nothing but being a
    key makes it required."""

    name: str
    rule: str
    message: str
    unless: tuple[tuple[Condition, ...], ...] = ()
    codes: tuple[str, ...] = ()
    only_key: bool = False


def parse_unless(text: str) -> tuple[tuple[Condition, ...], ...]:
    """``A&!B C=1`` -> (A and not B) or (C equals 1)."""
    return tuple(tuple(_term(t) for t in part.split("&") if t) for part in text.split())


def _term(text: str) -> Condition:
    if "=" in text:
        name, _, value = text.partition("=")
        return Condition(name, True, value)
    return Condition(text.removeprefix("!"), not text.startswith("!"))


def applies(unless: tuple[tuple[Condition, ...], ...], body: Mapping[str, Any]) -> bool:
    """Whether one of the alternatives holds for the body."""
    return any(all(_holds(c, body) for c in conjunction) for conjunction in unless if conjunction)


def _holds(condition: Condition, body: Mapping[str, Any]) -> bool:
    value = body.get(condition.property)
    if condition.equals is not None:
        return str(value) == condition.equals
    return (value is not None and value != "" and value != []) is condition.present


def requirements(model: Model, plan: TypePlan, mode: Mode) -> tuple[Required, ...]:
    """The requirements of a type, in the order of its properties."""
    if mode not in ("create", "replace") and not (mode == "parameters" and plan.type.kind == "complex"):
        return ()
    listed = _has_list(plan)
    needs = [_requirement(plan, p, mode, listed) for p in plan.properties.values()]
    return tuple(n for n in needs if n is not None and not (plan.draft and n.name in _DRAFT))


def _has_list(plan: TypePlan) -> bool:
    """Whether annotations of the set or experts list what a create requires: that list is whole, Nullable adds nothing.

    SAP's V4 services declare every property non-nullable and fill what is left out with initial values. (A single
    Mandatory on a property is no list.)
    """
    return any(p.property.required_source.startswith(_LISTS) for p in plan.properties.values() if p.property.required)


def _requirement(plan: TypePlan, member: PropertyPlan, mode: Mode, listed: bool) -> Required | None:
    prop = member.property
    codes = tuple(c.code for c in prop.code_list.codes) if prop.code_list is not None else ()
    codes = codes or tuple(c.code for c in prop.allowed)
    if member.denied is not None:
        return None
    if mode == "replace":
        if prop.nullable or prop.default is not None or prop.collection or prop.computed:
            return None
        message = f"PUT replaces the whole entity and {prop.name} cannot become null: give it, or use PATCH"
        return Required(prop.name, "R56", message, (), codes)
    is_key = prop.key or prop.name in plan.type.keys
    if prop.required:
        rule = "R06" if is_key else "R07" if prop.required_source == "nullable" else "R09"
        source = f" ({prop.required_source})" if prop.required_source else ""
        message = f"{prop.name} is required on create{source}"
        only_key = prop.required_source in ("", "key")
        return Required(prop.name, rule, message, parse_unless(prop.required_unless), codes, only_key)
    if is_key or listed or prop.nullable or prop.collection:
        return None
    if (
        prop.default is not None
        or prop.computed
        or prop.computed_default
        or prop.creatable is Permission.DENIED
        or prop.type == "Edm.Stream"
    ):
        return None
    return Required(prop.name, "R07", f"{prop.name} is not nullable and has no default", (), codes)
