"""Member paths in query options: ``author/name``, ``Friends/$count``, type casts, lambda variables."""

from typing import NamedTuple

from odata.findings import did_you_mean
from odata.model import Model
from wire.endpoint import Cardinality, NavigationProperty, Property

# Anything may be compared with a value of these.
_ANY = frozenset({"Edm.Untyped", "Edm.PrimitiveType"})


class Operand(NamedTuple):
    """What an expression evaluates to. ``type`` None: unknown, compared with nothing; ``structured``: the type of members.

    ``path``: the member path that it was read from, empty for anything else.
    """

    type: str | None
    structured: str | None = None
    collection: bool = False
    literal: str = ""
    path: str = ""


class PathFault(Exception):
    """A path that does not resolve. ``rule`` is None when the caller's rule applies."""

    def __init__(self, message: str, allowed: tuple[str, ...] = (), suggestion: str = "") -> None:
        super().__init__(message)
        self.message, self.allowed, self.suggestion = message, allowed, suggestion


class Step(NamedTuple):
    """One resolved member on a path."""

    property: Property | None
    navigation: NavigationProperty | None


def resolve_path(model: Model, start: str, segments: list[str]) -> tuple[Operand, list[Step]]:
    """Follow a path from a structured type. Raises PathFault; ``$count`` ends a path over a collection."""
    current: Operand = Operand(None, start)
    steps: list[Step] = []
    for index, segment in enumerate(segments):
        if segment == "$count":
            if not current.collection:
                raise PathFault(f"$count stands behind a collection, {'/'.join(segments[:index]) or 'this'} is none")
            return Operand("Edm.Int64"), steps
        if current.collection:
            before = "/".join(segments[:index])
            raise PathFault(f"{before} is a collection: use {before}/any(x:x/{segment} ...)")
        if "." in segment:
            current = Operand(None, _cast(model, current.structured, segment))
            continue
        step = _member(model, current.structured, segment, segments[:index])
        steps.append(step)
        current = _operand(model, step)
    return current, steps


def _cast(model: Model, declared: str | None, name: str) -> str:
    name = model.canonical(name)
    if (
        declared is None
        or name not in model.types
        or not (model.derives(name, declared) or model.derives(declared, name))
    ):
        raise PathFault(
            f"{name} is no type derived from {declared}",
            model.types[declared].derived if declared in model.types else (),
        )
    return name


def _member(model: Model, owner: str | None, name: str, before: list[str]) -> Step:
    if owner is None:
        raise PathFault(f"{'/'.join(before) or 'a primitive value'} has no members")
    prop = model.properties.get(owner, {}).get(name)
    nav = model.navigations.get(owner, {}).get(name)
    if prop is None and nav is None and owner in model.types and not model.is_open(owner):
        known = model.members(owner)
        raise PathFault(f"{owner} has no property {name}", tuple(known), did_you_mean(name, known))
    return Step(prop, nav)


def _operand(model: Model, step: Step) -> Operand:
    if step.property is not None:
        prop = model.underlying(step.property)
        if prop.type in model.types:
            return Operand(None, prop.type, prop.collection)
        known = not prop.collection and prop.type not in _ANY
        return Operand(prop.type if known else None, None, prop.collection, "")
    if step.navigation is not None:
        many = step.navigation.cardinality is Cardinality.MANY
        return Operand(None, step.navigation.target_type, many)
    return Operand(None, None)


def element_type(step: Step) -> str | None:
    """The type of the items of a collection property, for a lambda variable."""
    return step.property.type if step.property is not None else None
