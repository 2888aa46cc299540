"""An EndpointContract with look-ups: types, members, navigations and sets by name. Built once per compiled validator."""

from dataclasses import dataclass
from functools import cached_property

from wire.endpoint import (
    EndpointContract,
    EnumType,
    NavigationProperty,
    Operation,
    Property,
    Restrictions,
    StructuredType,
    TypeDefinition,
)


@dataclass(frozen=True)
class Model:
    """Look-ups over one contract. Names are case-sensitive, as in OData."""

    contract: EndpointContract

    @cached_property
    def v4(self) -> bool:
        """True for OData 4.0 and later."""
        return self.contract.version.startswith("4")

    @cached_property
    def types(self) -> dict[str, StructuredType]:
        """Structured types by qualified name."""
        return {t.name: t for t in self.contract.types}

    @cached_property
    def enums(self) -> dict[str, EnumType]:
        """Enumerations by qualified name."""
        return {e.name: e for e in self.contract.enums}

    @cached_property
    def definitions(self) -> dict[str, TypeDefinition]:
        """Type definitions by qualified name."""
        return {d.name: d for d in self.contract.type_definitions}

    @cached_property
    def sets(self) -> dict[str, str]:
        """EntitySet or Singleton -> entity type."""
        return dict(self.contract.sets)

    @cached_property
    def target_sets(self) -> dict[str, str]:
        """``Set/Nav`` -> the set in which the navigation ends."""
        return dict(self.contract.target_sets)

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Schema alias -> namespace."""
        return dict(self.contract.aliases)

    def canonical(self, name: str) -> str:
        """A qualified name with its namespace in place of a schema alias (CSDL 4.01 section 5.1.2)."""
        prefix, _, simple = name.rpartition(".")
        return f"{self.aliases[prefix]}.{simple}" if prefix in self.aliases else name

    @cached_property
    def set_restrictions(self) -> dict[str, Restrictions]:
        """Restrictions of sets that the endpoint's navigations end in, for the contract's verb."""
        return dict(self.contract.set_restrictions)

    @cached_property
    def properties(self) -> dict[str, dict[str, Property]]:
        """Structural properties by type and name."""
        return {t.name: {p.name: p for p in t.properties} for t in self.contract.types}

    @cached_property
    def navigations(self) -> dict[str, dict[str, NavigationProperty]]:
        """Navigation properties by type and name."""
        return {t.name: {n.name: n for n in t.navigations} for t in self.contract.types}

    @cached_property
    def bound_operations(self) -> tuple[Operation, ...]:
        """Operations bound to any type that a path can reach."""
        every = (*self.contract.operations, *self.contract.path_operations)
        return tuple(op for op in every if op.bound_to is not None)

    @cached_property
    def dated(self) -> dict[str, frozenset[str]]:
        """Members by type whose V2 wire form may differ from what was proposed: dates, and what may hold dates."""
        return {
            t.name: frozenset(
                [
                    p.name
                    for p in t.properties
                    if p.type in ("Edm.DateTime", "Edm.DateTimeOffset") or p.type in self.types
                ]
                + [n.name for n in t.navigations]
            )
            for t in self.contract.types
        }

    def derives(self, name: str, base: str) -> bool:
        """Whether ``name`` is ``base`` or derives from it."""
        seen: set[str] = set()
        current: str | None = name
        while current is not None and current not in seen:
            if current == base:
                return True
            seen.add(current)
            found = self.types.get(current)
            current = found.base if found else None
        declared = self.types.get(base)
        return declared is not None and name in declared.derived

    def is_open(self, name: str) -> bool:
        """Whether the type or one of its bases is open."""
        seen: set[str] = set()
        current: str | None = name
        while current is not None and current not in seen:
            seen.add(current)
            found = self.types.get(current)
            if found is None:
                return False
            if found.open:
                return True
            current = found.base
        return False

    def members(self, name: str) -> list[str]:
        """Names of all members of a type."""
        return [*self.properties.get(name, {}), *self.navigations.get(name, {})]

    def owner_of(self, member: str, base: str) -> str:
        """A type derived from ``base`` that declares ``member``, or an empty string."""
        for derived in self.types[base].derived if base in self.types else ():
            if member in self.properties.get(derived, {}) or member in self.navigations.get(derived, {}):
                return derived
        return ""

    def underlying(self, prop: Property) -> Property:
        """The property with its type definition resolved: the primitive, and facets where it has none of its own."""
        definition = self.definitions.get(prop.type)
        if definition is None:
            return prop
        return prop.model_copy(
            update={
                "type": definition.underlying,
                "max_length": definition.max_length if prop.max_length is None else prop.max_length,
                "precision": definition.precision if prop.precision is None else prop.precision,
                "scale": definition.scale if prop.scale is None else prop.scale,
                "allowed": prop.allowed or definition.allowed,
            }
        )

    def target_set(self, at_set: str | None, navigation: NavigationProperty) -> str | None:
        """The set that a navigation ends in, seen from a set (or from nowhere)."""
        if at_set is not None and (found := self.target_sets.get(f"{at_set}/{navigation.name}")):
            return found
        return navigation.target_set
