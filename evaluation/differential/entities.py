"""Valid entities: the least that a create takes, and all that it takes, with what may be nested in it."""

from dataclasses import dataclass
from typing import Any

from evaluation.differential.http_form import predicate
from evaluation.differential.values import NoValue, value_of
from odata.inheritance import Link, link_to_child
from odata.model import Model
from odata.plans import NavigationPlan, Plans, PropertyPlan, TypePlan
from odata.requirements import requirements
from wire.endpoint import Cardinality

_NOTHING: frozenset[str] = frozenset()
_NO_LINK = Link(_NOTHING, (), _NOTHING)
_NESTED = 2
STORED, CREATED, INNER = 7, 3, 5


@dataclass(frozen=True)
class Entities:
    """Makes bodies for one contract. ``plans`` say what may be written (their mode is that of the body)."""

    model: Model
    plans: Plans

    def key(self, type_name: str, number: int = STORED) -> dict[str, Any]:
        """The key of a stored entity. Raises NoValue."""
        declared = self.model.types[type_name]
        if any("/" in name for name in declared.keys):
            raise NoValue("a key in a complex property")
        return {name: value_of(self.model, self.model.properties[type_name][name], number) for name in declared.keys}

    def least(self, plan: TypePlan, number: int = CREATED, link: Link = _NO_LINK, depth: int = 0) -> dict[str, Any]:
        """Keys, and what the type or its annotations require. Raises NoValue."""
        if depth > 3:
            raise NoValue("requires itself")
        needed = {need.name for need in requirements(self.model, plan, "create")}
        keys = {n for n in plan.type.keys if n in plan.properties and plan.properties[n].denied is None} - link.supplied
        body: dict[str, Any] = {}
        for name, prop in plan.properties.items():
            if name in (needed | keys) - link.supplied:
                body[name] = self.value(prop, number, depth)
        for name, nav in plan.navigations.items():
            if self._must_have(nav) and name not in link.back:
                body.update(self._reference(nav, name))
        return self.typed(plan, body)

    def whole(self, plan: TypePlan, number: int = CREATED, nested: bool = True) -> dict[str, Any]:
        """Every property that may be written, references to one and nested entities to many. Raises NoValue."""
        body = self.least(plan, number)
        for name, prop in plan.properties.items():
            if prop.denied is None and name not in body and prop.property.type != "Edm.Stream":
                try:
                    body[name] = self.value(prop, number)
                except NoValue:
                    continue
        if nested:
            self._add_navigations(plan, body)
        return body

    def _add_navigations(self, plan: TypePlan, body: dict[str, Any]) -> None:
        many = [n for n in plan.navigations.values() if n.navigation.cardinality is Cardinality.MANY]
        one = [n for n in plan.navigations.values() if n.navigation.cardinality is not Cardinality.MANY]
        for nav in [n for n in many if n.denied is None][:_NESTED]:
            try:
                body[nav.navigation.name] = [self._child(plan, nav, body)]
            except NoValue:
                continue
        for nav in one[:_NESTED]:
            name = nav.navigation.name
            if nav.navigation.constraints or any(key.startswith(name) for key in body):
                continue
            try:
                body.update(self._reference(nav, name))
            except NoValue:
                continue

    def _child(self, plan: TypePlan, nav: NavigationPlan, parent: dict[str, Any]) -> dict[str, Any]:
        """A nested entity. In V4 it repeats the keys that it has from its parent; left out, they are a neighbour."""
        inner = self.plans.of(nav.navigation.target_type, nav.target_set)
        if inner is None or inner.type.has_stream:
            raise NoValue("no such type")
        link = link_to_child(self.model, plan.type, nav.navigation)
        body = self.least(inner, INNER, link, 1)
        for dependent, principal in link.pairs if self.model.v4 else ():
            mine = inner.properties.get(dependent)
            if principal in parent and mine is not None and mine.denied is None and dependent in inner.type.keys:
                body[dependent] = parent[principal]
        for name, prop in list(inner.properties.items())[:12]:
            if prop.denied is None and name not in body and name not in link.supplied and name not in inner.type.keys:
                try:
                    body[name] = self.value(prop, INNER)
                except NoValue:
                    continue
        return body

    def _must_have(self, nav: NavigationPlan) -> bool:
        item = nav.navigation
        single = item.cardinality is not Cardinality.MANY
        return self.model.v4 and single and not item.nullable and not item.constraints

    def _reference(self, nav: NavigationPlan, name: str) -> dict[str, Any]:
        if nav.target_set is None or nav.navigation.contained:
            raise NoValue("nothing to refer to")
        target = nav.navigation.target_type
        address = f"{nav.target_set}{predicate(self.model, target, self.key(target))}"
        if self.model.v4:
            return {f"{name}@odata.bind": address}
        return {name: {"__metadata": {"uri": address}}}

    def typed(self, plan: TypePlan, body: dict[str, Any]) -> dict[str, Any]:
        """The body, naming its type where the declared one is abstract."""
        if not plan.type.abstract:
            return body
        concrete = next((n for n in plan.type.derived if not self.model.types[n].abstract), None)
        if concrete is None:
            raise NoValue("abstract")
        inner = self.plans.of(concrete, plan.at_set)
        rest = self.least(inner) if inner is not None else {}
        return {"@odata.type": f"#{concrete}", **rest, **body} if self.model.v4 else {**rest, **body}

    def value(self, plan: PropertyPlan, number: int, depth: int = 0) -> Any:
        """A value of the property, complex ones with all their members as far as two levels go."""
        if plan.complex_type is None:
            return value_of(self.model, plan.property, number)
        inner = self.plans.of(plan.complex_type, None)
        if inner is None or depth > 2:
            raise NoValue("no such type")
        body = self.typed(inner, {}) if inner.type.abstract else {}
        for name, prop in inner.properties.items():
            if prop.denied is None and name not in body:
                try:
                    body[name] = self.value(prop, number, depth + 1)
                except NoValue:
                    if not prop.property.nullable:
                        raise
        return [body] if plan.property.collection else body
