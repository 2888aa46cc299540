"""Restrictions of a set and operations of a contract, read from the triples of one service."""

from typing import Literal, cast

from graph.contract_types import permission, read_parameter
from graph.facts import Facts
from graph.iris import last_name
from graph.vocabulary import OD
from wire.endpoint import Operation, Permission, Restrictions, Verb

_STATEMENTS = {
    Verb.READ: (OD.readable, OD.readableSource),
    Verb.CREATE: (OD.creatable, OD.creatableSource),
    Verb.UPDATE: (OD.updatable, OD.updatableSource),
    Verb.DELETE: (OD.deletable, OD.deletableSource),
}


def read_restrictions(facts: Facts, iri: str, verb: Verb) -> Restrictions:
    """All restrictions of a set; ``allowed`` is about this verb."""
    statement = _STATEMENTS.get(verb)
    method = facts.one(iri, OD.updateMethod)
    return Restrictions(
        addressable=facts.flag(iri, OD.addressable, True),
        allowed=permission(facts, iri, statement[0]) if statement else Permission.UNDECLARED,
        update_method=cast(Literal["PATCH", "MERGE", "PUT"], method) if method else None,
        non_insertable=tuple(facts.all(iri, OD.nonInsertable)),
        non_updatable=tuple(facts.all(iri, OD.nonUpdatable)),
        non_insertable_navigations=tuple(facts.all(iri, OD.nonInsertableNavigation)),
        required_filters=tuple(facts.all(iri, OD.requiredFilter)),
        non_filterable=tuple(facts.all(iri, OD.nonFilterable)),
        non_sortable=tuple(facts.all(iri, OD.nonSortable)),
        non_expandable=tuple(facts.all(iri, OD.nonExpandable)),
        filter_expressions=tuple(
            (facts.text(node, OD.path), facts.text(node, OD.filterRestriction))
            for node in facts.all(iri, OD.restrictedFilter)
        ),
        requires_filter=facts.flag(iri, OD.requiresFilter),
        filterable=facts.flag(iri, OD.filterable, True),
        sortable=facts.flag(iri, OD.sortable, True),
        searchable=facts.flag(iri, OD.searchable, True),
        top=facts.flag(iri, OD.topSupported, True),
        skip=facts.flag(iri, OD.skipSupported, True),
        count=facts.flag(iri, OD.countable, True),
        draft=facts.flag(iri, OD.draft),
        concurrency=facts.flag(iri, OD.optimisticConcurrency),
        repeatability=facts.flag(iri, OD.repeatability),
        sources=tuple(
            (known.value, facts.text(iri, source))
            for known, (_, source) in _STATEMENTS.items()
            if facts.one(iri, source)
        ),
    )


def type_name(facts: Facts, iri: str | None) -> str | None:
    """Qualified name of a type by its IRI, declared in the document or not."""
    return (facts.one(iri, OD.qualifiedName) or last_name(iri)) if iri else None


def read_operation(facts: Facts, iri: str, name: str, version: str) -> Operation:
    """One overload of an Action or Function, under the name by which it is called."""
    bound_to = facts.one(iri, OD.boundTo)
    kind = cast(Literal["Action", "Function"], facts.text(iri, OD.kind))
    return _operation(facts, iri, version).model_copy(
        update={
            "name": name,
            "qualified_name": facts.text(iri, OD.qualifiedName),
            "kind": kind,
            "bound_to": type_name(facts, bound_to),
            "bound_collection": facts.flag(iri, OD.boundCollection),
        }
    )


def read_function_import(facts: Facts, iri: str, version: str) -> Operation:
    """A V2/V3 FunctionImport: parameters and return type stand on the import itself."""
    return _operation(facts, iri, version)


def _operation(facts: Facts, iri: str, version: str) -> Operation:
    returned = facts.one(iri, OD.returns)
    name = facts.text(iri, OD.name)
    container = facts.text(iri, OD.container)
    return Operation(
        name=name,
        qualified_name=f"{container}/{name}" if container else name,
        kind="FunctionImport",
        http_method=cast(Literal["GET", "POST"], facts.text(iri, OD.httpMethod) or "GET"),
        label=facts.label(iri),
        parameters=tuple(
            read_parameter(facts, node, version) for node in facts.ordered(iri, OD.parameter, OD.position)
        ),
        return_type=facts.one(returned, OD.edmType) if returned else None,
        return_collection=facts.flag(returned, OD.collection) if returned else False,
        return_set=facts.one(iri, OD.entitySet) or facts.one(iri, OD.entitySetPath),
    )
