"""The body of a write, member by member: every finding with its JSON pointer, in document order (R04-R24, R29-R43).

``presence`` says what is missing; here is what stands there.
"""

from typing import Any

from odata.findings import Fault, Report, did_you_mean, escape
from odata.plans import NavigationPlan, Plans, PropertyPlan, TypePlan
from odata.primitives import json_kind
from odata.references import check_bind, check_reference, reference_of
from odata.type_names import named_type
from wire.endpoint import Cardinality

# Steps of a pointer; a nest of some twenty levels.
TOO_DEEP = 60
_V2_CONTROL = frozenset({"__metadata", "__deferred", "__count", "__next"})


class PayloadWalker:
    """Walks one body. ``key`` holds the key of the addressed entity: repeating it unchanged in an update is an echo."""

    def __init__(self, plans: Plans, report: Report, key: dict[str, Any] | None = None) -> None:
        self._plans, self._report, self._key = plans, report, key or {}
        self._model = plans.model
        # OData 3.0 has both forms of JSON: the verbose one of 2.0, and the light one whose controls are odata.*.
        self._json_light = plans.model.contract.version == "3.0"

    def walk(self, body: dict[str, Any], plan: TypePlan, at: str = "/payload") -> None:
        """Check an object against a type. What lies too deep is left to ``presence``, which refuses it."""
        if at.count("/") > TOO_DEEP:
            return
        actual = self._actual_plan(body, plan, at)
        for name, value in body.items():
            here = f"{at}/{escape(name)}"
            if (prop := actual.properties.get(name)) is not None:
                self.property(prop, value, here, top=at == "/payload")
            elif (nav := actual.navigations.get(name)) is not None:
                self._navigation(nav, value, here)
            else:
                self._other(actual, name, value, here)

    def _actual_plan(self, body: dict[str, Any], plan: TypePlan, at: str) -> TypePlan:
        """The plan of the type that the object names for itself (R43)."""
        said = named_type(self._model, body)
        declared = plan.type
        if said is None:
            if declared.abstract and self._plans.mode == "create":
                where = "@odata.type" if self._model.v4 else "__metadata/type"
                message = f"{declared.name} is abstract: name a derived type"
                self._report.add("R43", f"{at}/{where}", message, None, declared.derived)
            return plan
        pointer, named, name = f"{at}/{said.where}", said.value, said.name
        actual = self._plans.of(name, plan.at_set)
        if actual is None or not self._model.derives(name, declared.name):
            known = (declared.name, *declared.derived)
            message = f"{named} is not {declared.name} nor derived from it"
            self._report.add("R43", pointer, message, named, known, did_you_mean(name, known))
            return plan
        if actual.type.abstract and self._plans.mode == "create":
            self._report.add("R43", pointer, f"{name} is abstract: name a derived type", named, actual.type.derived)
        return actual

    def property(self, plan: PropertyPlan, value: Any, here: str, top: bool = False) -> None:
        """Check the value of a structural property or parameter."""
        prop = plan.property
        if plan.denied is not None:
            # A body read from the service and sent back repeats the key: it changes nothing.
            echo = top and prop.name in self._key and self._key[prop.name] == value
            # In an update of 4.01 the key tells which nested entity is meant.
            nested_update = not top and plan.identifies and self._plans.mode == "update"
            if not echo and not nested_update:
                self._report.add_fault(plan.denied, here, value)
                return
            if echo:
                return
        if prop.collection:
            self._collection(plan, value, here)
        elif value is None:
            if not prop.nullable or plan.identifies:
                self._report.add("R08", here, f"{prop.name} is not nullable: give a value or leave it out")
        else:
            self._single(plan, value, here)

    def _collection(self, plan: PropertyPlan, value: Any, here: str) -> None:
        prop = plan.property
        if not self._model.v4 and isinstance(value, dict) and set(value) == {"results"}:
            value, here = value["results"], f"{here}/results"
        if not isinstance(value, list):
            self._report.add("R31", here, f"{prop.name} is a collection: an array, this is {json_kind(value)}", value)
            return
        if prop.min_items is not None and len(value) < prop.min_items:
            self._report.add("R29", here, f"{prop.name} takes at least {prop.min_items} entries", len(value))
        if prop.max_items is not None and len(value) > prop.max_items:
            self._report.add("R29", here, f"{prop.name} takes at most {prop.max_items} entries", len(value))
        for index, item in enumerate(value):
            if item is not None:
                self._single(plan, item, f"{here}/{index}")
            elif not prop.nullable:
                self._report.add("R08", f"{here}/{index}", f"items of {prop.name} are not nullable")

    def _single(self, plan: PropertyPlan, value: Any, here: str) -> None:
        if plan.check is not None:
            fault = plan.check(value)
            if fault is not None:
                self._report.add_fault(fault, here, value)
            return
        inner = self._plans.of(plan.complex_type or "", None)
        if not isinstance(value, dict):
            message = f"{plan.property.name} is {plan.complex_type}: an object, this is {json_kind(value)}"
            self._report.add("R32", here, message, value, inner.writable() if inner else ())
        elif inner is not None:
            self.walk(value, inner, here)

    def _navigation(self, plan: NavigationPlan, value: Any, here: str) -> None:
        if isinstance(value, dict) and set(value) == {"__deferred"} and not self._model.v4:
            return
        if plan.navigation.cardinality is Cardinality.MANY:
            self._to_many(plan, value, here)
        else:
            self._to_one(plan, value, here)

    def _to_many(self, plan: NavigationPlan, value: Any, here: str) -> None:
        name = plan.navigation.name
        if not self._model.v4 and isinstance(value, dict) and set(value) == {"results"}:
            value, here = value["results"], f"{here}/results"
        if not isinstance(value, list):
            wrapper = "" if self._model.v4 else ' or {"results": [...]}'
            message = f"{name} leads to many: an array{wrapper}, this is {json_kind(value)}"
            self._report.add("R33", here, message, value)
            return
        if plan.denied is not None and value:
            self._report.add_fault(plan.denied, here, None)
            return
        for index, item in enumerate(value):
            if isinstance(item, dict):
                self._nested(plan, item, f"{here}/{index}")
            else:
                self._report.add("R33", f"{here}/{index}", f"an entry of {name} is an object", item)

    def _to_one(self, plan: NavigationPlan, value: Any, here: str) -> None:
        nav = plan.navigation
        if value is None:
            if self._model.v4 and not nav.nullable:
                self._report.add("R35", here, f"{nav.name} must have a target")
            return
        wrapped = isinstance(value, dict) and set(value) == {"results"} and isinstance(value["results"], list)
        if not isinstance(value, dict) or (wrapped and not self._model.v4):
            self._report.add(
                "R34", here, f"{nav.name} leads to one entity: an object, this is {json_kind(value)}", value
            )
        else:
            self._nested(plan, value, here)

    def _nested(self, plan: NavigationPlan, value: dict[str, Any], here: str) -> None:
        reference = reference_of(value, self._model.v4)
        if reference is not None:
            check_reference(self._model, plan, reference, here, self._report)
            return
        if plan.denied is not None:
            self._report.add_fault(plan.denied, here, None)
            return
        inner = self._plans.of(plan.navigation.target_type, plan.target_set)
        if inner is not None:
            self.walk(value, inner, here)

    def _other(self, plan: TypePlan, name: str, value: Any, here: str) -> None:
        """A member that is neither property nor navigation: control information, a dynamic property, or unknown."""
        base, _, control = name.partition("@")
        if control == "odata.bind" and base:
            self._bind(plan, base, value, here)
        elif name.startswith("odata.") and self._json_light:
            return
        elif (self._model.v4 or self._json_light) and control:
            if base and base not in plan.properties and base not in plan.navigations and not plan.open:
                self._unknown(plan, base, value, here)
        elif (self._model.v4 or name not in _V2_CONTROL) and not plan.open:
            self._unknown(plan, name, value, here)

    def _bind(self, plan: TypePlan, base: str, value: Any, here: str) -> None:
        if not self._model.v4 and not self._json_light:
            self._report.add(
                "R40", here, f'OData 2.0 has no @odata.bind: write "{base}": {{"__metadata": {{"uri": ...}}}}', value
            )
        elif (nav := plan.navigations.get(base)) is not None:
            check_bind(self._model, nav, value, here, self._report)
        elif base in plan.properties:
            self._report.add("R39", here, f"{base} is no navigation property", value, tuple(plan.navigations))
        else:
            fault = Fault("R39", f"{plan.type.name} has no navigation property {base}", tuple(plan.navigations))
            self._report.add_fault(fault._replace(suggestion=did_you_mean(base, plan.navigations)), here, value)

    def _unknown(self, plan: TypePlan, name: str, value: Any, here: str) -> None:
        owner = self._model.owner_of(name, plan.type.name)
        hint = f"; {owner} has it: add @odata.type #{owner}" if owner and self._model.v4 else ""
        known = plan.writable()
        message = f"{plan.type.name} has no property {name}{hint}"
        self._report.add("R04", here, message, value, known, did_you_mean(name, self._model.members(plan.type.name)))
