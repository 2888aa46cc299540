"""What validation needs to know of a type for one kind of write, looked up once and kept (pure).

A plan answers per member: which check, whether it may be written, where a navigation leads.
"""

from dataclasses import dataclass, field
from typing import Literal

from odata.facets import compile_check
from odata.findings import Fault
from odata.model import Model
from odata.primitives import Check
from wire.endpoint import NavigationProperty, Permission, Property, Restrictions, StructuredType

Mode = Literal["create", "update", "replace", "parameters"]


@dataclass(frozen=True)
class PropertyPlan:
    """``check`` is None for a complex value; ``denied`` says why the property cannot be written, if so.

    ``identifies``: it is a key of its entity type.
    """

    property: Property
    check: Check | None
    complex_type: str | None
    denied: Fault | None
    identifies: bool = False


@dataclass(frozen=True)
class NavigationPlan:
    """``denied`` says why entities cannot be nested here, if so."""

    navigation: NavigationProperty
    target_set: str | None
    denied: Fault | None


@dataclass(frozen=True)
class TypePlan:
    """One structured type seen from one set (or from none)."""

    type: StructuredType
    at_set: str | None
    open: bool
    draft: bool = False
    properties: dict[str, PropertyPlan] = field(default_factory=dict)
    navigations: dict[str, NavigationPlan] = field(default_factory=dict)

    def writable(self) -> tuple[str, ...]:
        """Names that may stand in a body, for messages."""
        names = [n for n, p in self.properties.items() if p.denied is None]
        return (*names, *(n for n, p in self.navigations.items() if p.denied is None))


class Plans:
    """Plans by type and set, made when first asked for."""

    def __init__(self, model: Model, mode: Mode) -> None:
        self.model, self.mode = model, mode
        self._made: dict[tuple[str, str | None], TypePlan] = {}
        self._checks: dict[tuple[str, str], Check] = {}

    def of(self, type_name: str, at_set: str | None) -> TypePlan | None:
        """The plan of a type as it stands in a set; None when the contract does not hold the type."""
        key = (type_name, at_set)
        if key not in self._made:
            declared = self.model.types.get(type_name)
            if declared is None:
                return None
            self._made[key] = self._make(declared, at_set)
        return self._made[key]

    def _make(self, declared: StructuredType, at_set: str | None) -> TypePlan:
        limits = self.restrictions_of(at_set)
        properties = {p.name: self._property(declared, p, limits) for p in declared.properties}
        navigations = {n.name: self._navigation(n, at_set, limits) for n in declared.navigations}
        return TypePlan(declared, at_set, self.model.is_open(declared.name), limits.draft, properties, navigations)

    def restrictions_of(self, at_set: str | None) -> Restrictions:
        """Restrictions of a set; those of the endpoint itself stand apart in the contract."""
        if at_set == self.model.contract.endpoint:
            return self.model.contract.restrictions
        return self.model.set_restrictions.get(at_set or "", _NO_RESTRICTIONS)

    def parameter(self, parameter: Property) -> PropertyPlan:
        """The plan of a parameter: checked as a property that may always be set."""
        complex_type = parameter.type if parameter.type in self.model.types else None
        return PropertyPlan(
            parameter, None if complex_type else compile_check(parameter, self.model), complex_type, None
        )

    def _property(self, owner: StructuredType, prop: Property, limits: Restrictions) -> PropertyPlan:
        complex_type = prop.type if prop.type in self.model.types else None
        check = None if complex_type else self._check(owner, prop)
        identifies = owner.kind == "entity" and prop.name in owner.keys
        return PropertyPlan(prop, check, complex_type, self._denied(owner, prop, limits), identifies)

    def _check(self, owner: StructuredType, prop: Property) -> Check:
        key = (owner.name, prop.name)
        if key not in self._checks:
            self._checks[key] = compile_check(prop, self.model)
        return self._checks[key]

    def _denied(self, owner: StructuredType, prop: Property, limits: Restrictions) -> Fault | None:
        if self.mode == "parameters":
            return None
        if self.mode == "create":
            if prop.computed:
                return Fault("R10", f"{prop.name} is computed by the service: leave it out")
            if prop.creatable is Permission.DENIED or prop.name in limits.non_insertable:
                return Fault("R10", f"{prop.name} cannot be set on create: leave it out")
            return None
        if prop.key or prop.name in owner.keys:
            return Fault("R11", f"{prop.name} is a key and cannot be changed")
        if prop.computed or prop.immutable:
            why = "computed by the service" if prop.computed else "fixed at creation"
            return Fault("R11", f"{prop.name} is {why}: leave it out")
        if prop.updatable is Permission.DENIED or prop.name in limits.non_updatable:
            return Fault("R11", f"{prop.name} cannot be changed: leave it out")
        return None

    def _navigation(self, nav: NavigationProperty, at_set: str | None, limits: Restrictions) -> NavigationPlan:
        target_set = self.model.target_set(at_set, nav)
        denied: Fault | None = None
        if self.mode == "create":
            if nav.deep_insert is Permission.DENIED or nav.name in limits.non_insertable_navigations:
                denied = Fault("R36", f"{nav.name} cannot be nested here: create its entities in a call of their own")
        elif self.model.contract.version != "4.01":
            version = self.model.contract.version
            denied = Fault("R36", f"{nav.name} cannot be nested in an update (OData {version}): write it by itself")
        return NavigationPlan(nav, target_set, denied)


_NO_RESTRICTIONS = Restrictions()
