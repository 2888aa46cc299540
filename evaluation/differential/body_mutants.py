"""Mutants of a body, and its neighbours: one of each kind at the top and one of each below it."""

from collections.abc import Iterator
from typing import Any

from evaluation.differential.bad_values import values_for
from evaluation.differential.samples import Draft, Place, pointer_of, removed, replaced
from evaluation.differential.values import NoValue, value_of
from odata.inheritance import link_to_child
from odata.model import Model
from odata.plans import NavigationPlan, Plans, PropertyPlan, TypePlan
from odata.requirements import requirements
from wire.call import ProposedCall
from wire.endpoint import Cardinality, Property


class BodyMutants:
    """``drafts`` are all; the matrix keeps the first of each rule, depth and reason."""

    def __init__(self, model: Model, plans: Plans, call: ProposedCall, root: TypePlan) -> None:
        self._model, self._plans, self._call, self._root = model, plans, call, root

    def drafts(self) -> Iterator[Draft]:
        """Every draft, in document order."""
        yield from self._object(self._call.payload or {}, self._root, ())

    def _draft(self, rule: str, place: Place, value: Any, why: str, good: bool = False) -> Draft:
        body = replaced(self._call.payload or {}, place, value)
        call = self._call.model_copy(update={"payload": body})
        return Draft("neighbour" if good else "mutant", rule, pointer_of(place), call, why)

    def _without(self, rule: str, place: Place, why: str) -> Draft:
        call = self._call.model_copy(update={"payload": removed(self._call.payload, place)})
        return Draft("mutant", rule, pointer_of(place), call, why)

    def _object(self, body: dict[str, Any], plan: TypePlan, at: Place) -> Iterator[Draft]:
        plan = self._named(body, plan)
        yield from self._members(body, plan, at)
        for name, value in body.items():
            here = (*at, name)
            if (prop := plan.properties.get(name)) is not None:
                yield from self._property(prop, value, here)
            elif (nav := plan.navigations.get(name)) is not None:
                yield from self._navigation(plan, nav, body, value, here)
            elif name.endswith("@odata.bind"):
                yield from self._bind(plan, name, value, at)

    def _named(self, body: dict[str, Any], plan: TypePlan) -> TypePlan:
        named = str(body.get("@odata.type", "")).removeprefix("#")
        return (self._plans.of(named, plan.at_set) if named else None) or plan

    def _members(self, body: dict[str, Any], plan: TypePlan, at: Place) -> Iterator[Draft]:
        """What is unknown, missing, or may not be sent."""
        where = (*at, "NoSuchMember")
        if plan.open:
            yield self._draft("R05", where, "free", "an undeclared property of an open type", good=True)
        else:
            yield self._draft("R04", where, 1, "an undeclared property")
        if not at:
            echo = "@odata.etag" if self._model.v4 else "__metadata"
            value = 'W/"1"' if self._model.v4 else {"type": plan.type.name}
            yield self._draft("R58", (echo,), value, "control information of a read", good=True)
        if self._model.v4 and not at:
            yield self._draft("R43", (*at, "@odata.type"), "#No.SuchType", "an unknown type")
        for need in requirements(self._model, plan, self._plans.mode) if not at else ():
            if need.name in body:
                yield self._without(need.rule, (*at, need.name), "left out")
        for name, prop in plan.properties.items():
            if prop.denied is not None and name not in body:
                value = self._sent(prop.property)
                yield self._draft(prop.denied.rule, (*at, name), value, f"sent all the same ({self._source(prop)})")

    def _sent(self, prop: Property) -> Any:
        try:
            return value_of(self._model, prop, 9)
        except NoValue:
            return "x"

    def _source(self, plan: PropertyPlan) -> str:
        prop = plan.property
        if prop.computed:
            return "computed"
        return "immutable" if prop.immutable else "key" if prop.key else "annotated"

    def _property(self, plan: PropertyPlan, value: Any, here: Place) -> Iterator[Draft]:
        prop = plan.property
        if prop.collection:
            yield self._draft("R31", here, "x", "no array")
            if plan.check is not None:
                for bad in values_for(self._model, prop):
                    yield self._draft(bad.rule, (*here, 0), bad.value, bad.why, bad.good)
            return
        if not prop.nullable:
            yield self._draft("R08", here, None, "null")
        elif not prop.required and not prop.key:
            yield self._draft("R08", here, None, "null where null may stand", good=True)
        if plan.complex_type is not None:
            yield self._draft("R32", here, "x", "no object")
            inner = self._plans.of(plan.complex_type, None)
            if inner is not None and isinstance(value, dict):
                yield from self._object(value, inner, here)
            return
        for bad in values_for(self._model, prop):
            if bad.good and (prop.key or prop.name in self._foreign()):
                continue
            yield self._draft(bad.rule, here, bad.value, bad.why, bad.good)

    def _foreign(self) -> set[str]:
        """Foreign keys: another value would refer to what is not there."""
        return {c.dependent for t in self._model.contract.types for n in t.navigations for c in n.constraints} | {
            name for t in self._model.contract.types for name in t.keys
        }

    def _navigation(
        self, owner: TypePlan, plan: NavigationPlan, body: dict[str, Any], value: Any, here: Place
    ) -> Iterator[Draft]:
        nav = plan.navigation
        if nav.cardinality is not Cardinality.MANY:
            yield self._draft("R34", here, [value], "an array for one entity")
            return
        yield self._draft("R33", here, value[0], "an object for many entities")
        yield self._draft("R33", here, {"results": value}, "the wrapper of version 2", good=not self._model.v4)
        inner = self._plans.of(nav.target_type, plan.target_set)
        if inner is None:
            return
        yield from self._contradiction(owner, plan, inner, body, here)
        yield from self._object(value[0], inner, (*here, 0))

    def _contradiction(
        self, owner: TypePlan, plan: NavigationPlan, inner: TypePlan, body: dict[str, Any], here: Place
    ) -> Iterator[Draft]:
        link = link_to_child(self._model, owner.type, plan.navigation)
        for dependent, principal in link.pairs:
            if isinstance(body.get(principal), str) and body[principal]:
                other = body[principal][:-1] + "Z"
                yield self._draft("R37", (*here, 0, dependent), other, "not the key above")
                if inner.properties[dependent].denied is None:
                    same, place = body[principal], (*here, 0, dependent)
                    yield self._draft("R37", place, same, "the parent's key again", good=True)
                    if self._model.v4 and dependent in body[str(here[-1])][0]:
                        call = self._call.model_copy(update={"payload": removed(self._call.payload, place)})
                        yield Draft("neighbour", "R06", "", call, "the key comes from the parent")
                return

    def _bind(self, plan: TypePlan, name: str, value: Any, at: Place) -> Iterator[Draft]:
        base = name.removesuffix("@odata.bind")
        here = (*at, name)
        yield self._draft("R39", here, [value], "an array for one entity")
        yield self._draft("R39", here, "NoSuchSet(1)", "another set")
        renamed = removed(self._call.payload or {}, here)
        if base in plan.navigations and not plan.navigations[base].navigation.nullable:
            missing = self._call.model_copy(update={"payload": renamed})
            yield Draft("mutant", "R35", pointer_of((*at, base)), missing, "no target")
        several = self._call.model_copy(update={"payload": replaced(renamed, (*at, base), [{}])})
        yield Draft("mutant", "R34", pointer_of((*at, base)), several, "an array for one entity")
        wrong = base[:1].swapcase() + base[1:]
        body = replaced(renamed, (*at, f"{wrong}@odata.bind"), value)
        call = self._call.model_copy(update={"payload": body})
        if wrong != base and not plan.open:
            yield Draft("mutant", "R39", pointer_of((*at, f"{wrong}@odata.bind")), call, "another case")
        v2 = replaced(renamed, (*at, base), {"__metadata": {"uri": value}})
        yield Draft(
            "mutant", "R40", pointer_of((*at, base)), self._call.model_copy(update={"payload": v2}), "version 2's form"
        )
