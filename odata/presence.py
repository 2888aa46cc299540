"""What a body lacks, what contradicts its parent, and what only data can decide (R06, R07, R09, R12, R27-R30, R35-R38).

Runs over bodies of any shape: what is no object where one belongs is passed over, ``payload`` reports it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from odata.findings import Report, escape
from odata.inheritance import Link, link_to_child
from odata.payload import TOO_DEEP
from odata.plans import Plans, TypePlan
from odata.references import split_reference
from odata.requirements import Required, applies, requirements
from odata.type_names import named_type
from odata.url_literals import format_literal
from wire.endpoint import Cardinality, Permission, Property

_EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True)
class _Advice:
    """What to note when a property is sent: (rule, message, codes already known)."""

    notes: tuple[tuple[str, str, frozenset[str]], ...]
    unit: str | None
    need: Required | None
    empty: tuple[Any, ...]


@dataclass(frozen=True)
class _Child:
    """``taken``: (property of the parent, key of the child), where the parent is the dependent."""

    type_name: str
    target_set: str | None
    link: Link
    taken: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Presence:
    """``filled``: properties of which nothing is asked but a value; ``noted``: all others that need a look when sent."""

    plan: TypePlan
    required: tuple[Required, ...]
    names: frozenset[str]
    advice: dict[str, _Advice]
    filled: tuple[str, ...]
    complexes: dict[str, str]
    children: dict[str, _Child]
    bound: dict[str, str]
    must_have: tuple[str, ...]
    satisfied_by: dict[str, frozenset[str]]
    noted: frozenset[str]


class PresenceCheck:
    """Compiled once per validator; ``visit`` runs per body."""

    def __init__(self, plans: Plans) -> None:
        self._plans, self._model = plans, plans.model
        self._creates = plans.mode in ("create", "replace", "parameters")
        root = self._model.properties.get(self._model.contract.entity_type or "", {})
        # Who listed what a document needs did so with its parts in mind: their unlisted keys come from number ranges.
        self._by_experts = any(p.required_source.startswith(("curated", "expert")) for p in root.values())
        # One of the service's annotated lists holds for its nested entities too: Nullable adds nothing there.
        self._by_list = any(p.required_source.startswith("Capabilities.InsertRestrictions") for p in root.values())
        self._controls = _TYPES_V4 if self._model.v4 else _TYPES_V2
        self._made: dict[int, _Presence] = {}

    def visit(
        self,
        body: Mapping[str, Any],
        plan: TypePlan,
        report: Report,
        at: str = "/payload",
        parent: Mapping[str, Any] = _EMPTY,
        link: Link | None = None,
    ) -> None:
        """Check an object and what is nested in it. ``parent`` and ``link`` tell what it takes from the one above."""
        actual = plan if self._controls.isdisjoint(body) else self._actual(body, plan)
        self._visit(body, self._facts(actual), report, at, parent, link)

    def _visit(
        self,
        body: Mapping[str, Any],
        facts: _Presence,
        report: Report,
        at: str,
        parent: Mapping[str, Any],
        link: Link | None,
    ) -> None:
        if self._creates and not facts.names <= body.keys():
            self._missing(body, facts, report, at, link)
        if link is not None and not link.supplied.isdisjoint(body):
            self._contradictions(body, parent, link, report, at)
        if facts.must_have:
            self._targets(body, facts, report, at, link)
        for name in facts.filled:
            if (value := body.get(name, _ABSENT)) is None or value == "":
                self._advise(name, value, facts.advice[name], body, report, at)
        if facts.noted.isdisjoint(body):
            return
        for name, value in body.items():
            if name not in facts.noted:
                continue
            if (advice := facts.advice.get(name)) is not None:
                self._advise(name, value, advice, body, report, at)
            elif (child := facts.children.get(name)) is not None:
                self._children(name, value, child, body, report, at)
            elif (navigation := facts.bound.get(name)) is not None:
                self._bound(value, facts.children[navigation], body, report, f"{at}/{escape(name)}")
            elif (inner := self._plans.of(facts.complexes[name], None)) is not None and at.count("/") <= TOO_DEEP:
                for item, here in objects(value, f"{at}/{escape(name)}"):
                    self.visit(item, inner, report, here)

    def _actual(self, body: Mapping[str, Any], plan: TypePlan) -> TypePlan:
        said = named_type(self._model, body)
        if said is None:
            return plan
        found = self._plans.of(said.name, plan.at_set)
        return found if found is not None and self._model.derives(found.type.name, plan.type.name) else plan

    def _children(self, name: str, value: Any, child: _Child, body: Mapping[str, Any], report: Report, at: str) -> None:
        inner = self._plans.of(child.type_name, child.target_set)
        if inner is None:
            return
        if at.count("/") > TOO_DEEP:
            report.add(
                "R36", f"{at}/{escape(name)}", "nested too deeply: write the inner entities in calls of their own"
            )
            return
        plain = self._facts(inner)
        for item, here in objects(value, f"{at}/{escape(name)}"):
            if len(item) == 1 and not _REFERENCES.isdisjoint(item):
                metadata = item.get("__metadata")
                if child.taken and isinstance(metadata, Mapping):
                    self._bound(metadata.get("uri"), child, body, report, f"{here}/__metadata/uri")
                continue
            facts = plain if self._controls.isdisjoint(item) else self._facts(self._actual(item, inner))
            self._visit(item, facts, report, here, body, child.link)
            for dependent, principal in child.taken:
                self._differs(item, principal, body.get(dependent), dependent, report, here)

    def _missing(self, body: Mapping[str, Any], facts: _Presence, report: Report, at: str, link: Link | None) -> None:
        for need in facts.required:
            if need.name in body or (link is not None and need.name in link.supplied):
                continue
            if any(_is_given(body, nav) for nav in facts.satisfied_by.get(need.name, ())):
                continue
            if need.unless and applies(need.unless, body):
                continue
            if need.only_key and need.rule == "R06" and link is not None and self._by_experts:
                report.defer("R06", f"{at}/{escape(need.name)}", f"{need.name} is left to the service's number range")
                continue
            if need.rule == "R07" and link is not None and self._by_list and _without_null(facts.plan):
                continue
            report.add(need.rule, f"{at}/{escape(need.name)}", need.message, None, need.codes)

    def _contradictions(
        self, body: Mapping[str, Any], parent: Mapping[str, Any], link: Link, report: Report, at: str
    ) -> None:
        for dependent, principal in link.pairs:
            mine, theirs = body.get(dependent), parent.get(principal)
            if mine is not None and theirs is not None and not _same_key(mine, theirs):
                message = f"{dependent} must agree with {principal} = {theirs} of the entity above, or be left out"
                report.add("R37", f"{at}/{escape(dependent)}", message, mine, (str(theirs),), str(theirs))

    def _differs(
        self, item: Mapping[str, Any], principal: str, mine: Any, dependent: str, report: Report, at: str
    ) -> None:
        """R37 the other way round: the nested entity has another key than the foreign key above it says."""
        theirs = item.get(principal)
        if mine is not None and theirs is not None and not _same_key(mine, theirs):
            message = f"{principal} must agree with {dependent} = {mine} of the entity above: send one of the two"
            report.add("R37", f"{at}/{escape(principal)}", message, theirs, (str(mine),), str(mine))

    def _bound(self, value: Any, child: _Child, body: Mapping[str, Any], report: Report, at: str) -> None:
        """R37 for a reference beside a foreign key, as far as its key has one part."""
        target = self._model.types.get(child.type_name)
        if not isinstance(value, str) or target is None or len(child.taken) != 1:
            return
        (dependent, principal), mine = child.taken[0], body.get(child.taken[0][0])
        _, predicate = split_reference(value)
        prop = self._model.properties[target.name].get(principal)
        if mine is None or predicate is None or prop is None or target.keys != (principal,):
            return
        try:
            wanted = format_literal(self._model.underlying(prop).type, mine, self._model.v4)
        except ValueError:
            return
        if not _same_key(predicate.removeprefix(f"{principal}="), wanted):
            message = f"the reference and {dependent} = {mine} name different entities: send one of the two"
            report.add("R37", at, message, value, (wanted,))

    def _targets(self, body: Mapping[str, Any], facts: _Presence, report: Report, at: str, link: Link | None) -> None:
        for name in facts.must_have:
            if _is_given(body, name) or (link is not None and name in link.back):
                continue
            report.add("R35", f"{at}/{escape(name)}", f"{name} must have a target: nest it or refer to one")

    def _advise(self, name: str, value: Any, advice: _Advice, body: Mapping[str, Any], report: Report, at: str) -> None:
        if value is None or value == "":
            need = advice.need
            if need is not None and value in advice.empty and not applies(need.unless, body):
                report.add(
                    "R09", f"{at}/{escape(name)}", f"{name} is required and must not be empty", value, need.codes
                )
            return
        for rule, message, known in advice.notes:
            if not isinstance(value, str) or value not in known:
                report.defer(rule, f"{at}/{escape(name)}", message, value, tuple(sorted(known)))
        if advice.unit is not None and advice.unit not in body and self._plans.mode == "create":
            report.defer("R30", f"{at}/{escape(advice.unit)}", f"{name} is sent without its unit {advice.unit}")

    def _facts(self, plan: TypePlan) -> _Presence:
        # Plans live as long as ``_plans``, so their identity is a key, and the cheapest one.
        found = self._made.get(id(plan))
        if found is None:
            found = self._made[id(plan)] = self._make(plan)
        return found

    def _make(self, plan: TypePlan) -> _Presence:
        needs = requirements(self._model, plan, self._plans.mode)
        by_name = {need.name: need for need in needs if need.rule == "R09" and self._plans.mode == "create"}
        advice = {
            n: a
            for n, p in plan.properties.items()
            if (a := self._advice_of(plan, p.property, by_name.get(n))) is not None
        }
        children: dict[str, _Child] = {}
        satisfied: dict[str, set[str]] = {}
        must_have: list[str] = []
        bound: dict[str, str] = {}
        for name, nav in plan.navigations.items():
            target = nav.navigation.target_type
            taken = tuple((c.dependent, c.principal) for c in nav.navigation.constraints)
            link = link_to_child(self._model, plan.type, nav.navigation)
            children[name] = _Child(target, nav.target_set, link, taken)
            if taken:
                bound[f"{name}@odata.bind"] = name
            for constraint in nav.navigation.constraints:
                satisfied.setdefault(constraint.dependent, set()).add(name)
            single = nav.navigation.cardinality is not Cardinality.MANY
            needed = single and self._model.v4 and not nav.navigation.nullable and not nav.navigation.constraints
            if self._plans.mode == "create" and needed:
                must_have.append(name)
        complexes = {n: p.complex_type for n, p in plan.properties.items() if p.complex_type is not None}
        names = frozenset(n.name for n in needs)
        by = {name: frozenset(navs) for name, navs in satisfied.items()}
        filled = tuple(n for n, a in advice.items() if not a.notes and a.unit is None)
        noted = frozenset((*advice, *children, *complexes, *bound)).difference(filled)
        return _Presence(plan, needs, names, advice, filled, complexes, children, bound, tuple(must_have), by, noted)

    def _advice_of(self, plan: TypePlan, prop: Property, need: Required | None) -> _Advice | None:
        notes: list[tuple[str, str, frozenset[str]]] = []
        if prop.dynamic_control is not None and self._plans.mode != "parameters":
            notes.append(("R12", f"whether {prop.name} may be set depends on {prop.dynamic_control}", frozenset()))
        codes = prop.code_list
        if codes is not None and not codes.fixed:
            known = frozenset(c.code for c in codes.codes)
            notes.append(("R27", f"not among the codes of {codes.source} that were read: check that it exists", known))
        elif codes is None and prop.value_list is not None:
            notes.append(("R27", f"{prop.value_list} was not read: check that the value exists", frozenset()))
        if prop.value_list_inputs:
            others = ", ".join(prop.value_list_inputs)
            notes.append(("R28", f"{prop.name} must fit {others}: check the combination", frozenset()))
        for nav in plan.navigations.values():
            if any(c.dependent == prop.name for c in nav.navigation.constraints) and not prop.key:
                notes.append(("R38", f"refers to {nav.navigation.target_type}: check that it exists", frozenset()))
                break
        unit = self._unit_of(plan, prop)
        # "" is the initial value of ABAP, and no value to who marks a field mandatory.
        blank = not self._model.v4 or "FieldControl" in prop.required_source
        empty = (None, "") if blank else (None,)
        return _Advice(tuple(notes), unit, need, empty) if notes or unit or need else None

    def _unit_of(self, plan: TypePlan, prop: Property) -> str | None:
        unit = plan.properties.get(prop.unit_property or "")
        if unit is None or unit.denied is not None or unit.property.creatable is Permission.DENIED:
            return None
        return None if unit.property.default is not None else unit.property.name


_ABSENT = object()
_TYPES_V4 = frozenset({"@odata.type", "@type"})
_TYPES_V2 = frozenset({"__metadata", "odata.type"})
_REFERENCES = frozenset({"@odata.id", "@id", "__metadata", "__deferred"})


def _same_key(mine: Any, theirs: Any) -> bool:
    """Whether two key values are the same; a Guid may be written in either case, in V2 URLs behind its prefix."""
    if mine == theirs:
        return True
    texts = isinstance(mine, str) and isinstance(theirs, str) and len(mine) == len(theirs) in (36, 42)
    return texts and mine.count("-") == 4 and mine.casefold() == theirs.casefold()


def _without_null(plan: TypePlan) -> bool:
    """Whether no text of the type can be null: the sign of a service whose database knows none, so that what is left out
    gets an initial value."""
    texts = [p.property for p in plan.properties.values() if p.property.type == "Edm.String" and not p.identifies]
    return len(texts) > 1 and not any(prop.nullable for prop in texts)


def _is_given(body: Mapping[str, Any], navigation: str) -> bool:
    return body.get(navigation) is not None or body.get(f"{navigation}@odata.bind") is not None


def objects(value: Any, here: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects in a value, an array of them or V2's wrapper of one, each with its pointer."""
    if isinstance(value, dict):
        inner = value.get("results")
        if len(value) == 1 and isinstance(inner, list):
            value, here = inner, f"{here}/results"
        else:
            yield value, here
            return
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield item, f"{here}/{index}"
