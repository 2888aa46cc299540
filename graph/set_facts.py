"""What metadata states about an EntitySet, Singleton or navigation as a whole: the Capabilities, and SAP's older words."""

from collections.abc import Iterable, Mapping

from graph.iris import member_iri
from graph.nquads import GraphWriter
from graph.statements import (
    CAPABILITIES,
    COMMON,
    CORE,
    Statements,
    as_bool,
    enum_members,
    flag_statement,
    records,
    texts,
)
from graph.vocabulary import OD
from odata.csdl_annotations import REPEATABILITY
from odata.csdl_model import Value

# verb -> (sap attribute, Capabilities term, member, predicate, predicate of the source)
_VERBS = (
    ("creatable", "InsertRestrictions", "Insertable", OD.creatable, OD.creatableSource),
    ("updatable", "UpdateRestrictions", "Updatable", OD.updatable, OD.updatableSource),
    ("deletable", "DeleteRestrictions", "Deletable", OD.deletable, OD.deletableSource),
    ("readable", "ReadRestrictions", "Readable", OD.readable, OD.readableSource),
)


def write_restrictions(writer: GraphWriter, iri: str, stated: Statements, container: Statements) -> None:
    """All restrictions of the set ``iri``; statements on the container hold where the set says nothing."""
    for sap_name, term, member, predicate, source_predicate in _VERBS:
        record = stated.record(f"{CAPABILITIES}.{term}")
        value = as_bool(record.get(member))
        source = f"Capabilities.{term}"
        if value is None:
            value, source = flag_statement(stated.sap, sap_name), f"sap:{sap_name}"
        if value is not None:
            writer.iri(iri, predicate, OD.Verified if value else OD.Denied)
            writer.text(iri, source_predicate, source)
    if flag_statement(stated.sap, "addressable") is False:
        writer.boolean(iri, OD.addressable, False)
    _write_insert(writer, iri, stated)
    _write_update(writer, iri, stated)
    _write_query(writer, iri, stated)
    _write_paging(writer, iri, stated, container)
    _write_modes(writer, iri, stated, container)


def _write_all(writer: GraphWriter, iri: str, predicate: str, values: Iterable[str]) -> None:
    for value in values:
        writer.text(iri, predicate, value)


def _write_insert(writer: GraphWriter, iri: str, stated: Statements) -> None:
    insert = stated.record(f"{CAPABILITIES}.InsertRestrictions")
    _write_all(writer, iri, OD.requiredOnCreate, texts(insert.get("RequiredProperties")))
    _write_all(writer, iri, OD.nonInsertable, texts(insert.get("NonInsertableProperties")))
    _write_all(writer, iri, OD.nonInsertableNavigation, texts(insert.get("NonInsertableNavigationProperties")))


def _write_update(writer: GraphWriter, iri: str, stated: Statements) -> None:
    update = stated.record(f"{CAPABILITIES}.UpdateRestrictions")
    _write_all(writer, iri, OD.nonUpdatable, texts(update.get("NonUpdatableProperties")))
    _write_all(writer, iri, OD.nonUpdatableNavigation, texts(update.get("NonUpdatableNavigationProperties")))
    methods = enum_members(update.get("UpdateMethod"))
    _write_all(writer, iri, OD.updateMethod, (name for name in ("PATCH", "PUT") if name in methods))


def _write_query(writer: GraphWriter, iri: str, stated: Statements) -> None:
    query = stated.record(f"{CAPABILITIES}.FilterRestrictions")
    sort = stated.record(f"{CAPABILITIES}.SortRestrictions")
    expand = stated.record(f"{CAPABILITIES}.ExpandRestrictions")
    _write_all(writer, iri, OD.requiredFilter, texts(query.get("RequiredProperties")))
    _write_all(writer, iri, OD.nonFilterable, texts(query.get("NonFilterableProperties")))
    _write_all(writer, iri, OD.nonSortable, texts(sort.get("NonSortableProperties")))
    _write_all(writer, iri, OD.nonExpandable, texts(expand.get("NonExpandableProperties")))
    for number, rule in enumerate(records(query.get("FilterExpressionRestrictions"))):
        node = member_iri(iri, f"filter-restriction-{number}")
        writer.iri(iri, OD.restrictedFilter, node)
        writer.text(node, OD.path, next(texts(rule.values.get("Property")), ""))
        writer.text(node, OD.filterRestriction, next(texts(rule.values.get("AllowedExpressions")), ""))
    requires = as_bool(query.get("RequiresFilter")) or flag_statement(stated.sap, "requires-filter")
    writer.flag(iri, OD.requiresFilter, bool(requires))
    for predicate, record, member in (
        (OD.filterable, query, "Filterable"),
        (OD.sortable, sort, "Sortable"),
        (OD.expandable, expand, "Expandable"),
    ):
        if as_bool(record.get(member)) is False:
            writer.boolean(iri, predicate, False)


def _write_paging(writer: GraphWriter, iri: str, stated: Statements, container: Statements) -> None:
    count = stated.record(f"{CAPABILITIES}.CountRestrictions")
    pageable = flag_statement(stated.sap, "pageable")
    for predicate, value in (
        (
            OD.topSupported,
            _first(_tag(stated, container, "TopSupported"), flag_statement(stated.sap, "topable"), pageable),
        ),
        (OD.skipSupported, _first(_tag(stated, container, "SkipSupported"), pageable)),
        (OD.countable, _first(as_bool(count.get("Countable")), flag_statement(stated.sap, "countable"))),
        (OD.searchable, _searchable(stated)),
    ):
        if value is not None:
            writer.boolean(iri, predicate, value)


def _first(*values: bool | None) -> bool | None:
    return next((value for value in values if value is not None), None)


def _tag(stated: Statements, container: Statements, name: str) -> bool | None:
    term = f"{CAPABILITIES}.{name}"
    return _first(as_bool(stated.value(term)), as_bool(container.value(term)))


def _searchable(stated: Statements) -> bool | None:
    record: Mapping[str, Value] = stated.record(f"{CAPABILITIES}.SearchRestrictions")
    return _first(as_bool(record.get("Searchable")), flag_statement(stated.sap, "searchable"))


def _write_modes(writer: GraphWriter, iri: str, stated: Statements, container: Statements) -> None:
    draft = any(stated.all(f"{COMMON}.{term}") for term in ("DraftRoot", "DraftNode"))
    writer.flag(iri, OD.draft, draft)
    writer.flag(iri, OD.optimisticConcurrency, bool(stated.all(f"{CORE}.OptimisticConcurrency")))
    supported = f"{REPEATABILITY}.Supported"
    writer.flag(iri, OD.repeatability, stated.is_true(supported) or container.is_true(supported))
    deep = as_bool(stated.record(f"{CAPABILITIES}.DeepInsertSupport").get("Supported"))
    if deep is None:
        deep = as_bool(container.record(f"{CAPABILITIES}.DeepInsertSupport").get("Supported"))
    if deep is not None:
        writer.iri(iri, OD.deepInsert, OD.Verified if deep else OD.Denied)
        writer.text(iri, OD.deepInsertSource, "Capabilities.DeepInsertSupport")


def navigation_insert_statements(stated: Statements) -> dict[str, bool]:
    """Navigation path -> insertable, from ``NavigationRestrictions.RestrictedProperties``."""
    found: dict[str, bool] = {}
    for record in records(stated.record(f"{CAPABILITIES}.NavigationRestrictions").get("RestrictedProperties")):
        path = next(texts(record.values.get("NavigationProperty")), "")
        deep = next(records(record.values.get("DeepInsertSupport")), None)
        value = as_bool(deep.values.get("Supported")) if deep else None
        if path and value is not None:
            found[path] = value
    return found
