"""What sets and containers say of themselves: capabilities, and SAP's older words for them."""

from collections.abc import Iterator
from typing import Any

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.said import Said, members_of, paths_of, records_of

Pairs = Iterator[tuple[str, str]]
_VERBS = (
    ("creatable", "InsertRestrictions", "Insertable"),
    ("updatable", "UpdateRestrictions", "Updatable"),
    ("deletable", "DeleteRestrictions", "Deletable"),
    ("readable", "ReadRestrictions", "Readable"),
)
_LISTS = (
    ("requiredOnCreate", "InsertRestrictions", "RequiredProperties"),
    ("nonInsertable", "InsertRestrictions", "NonInsertableProperties"),
    ("nonInsertableNavigation", "InsertRestrictions", "NonInsertableNavigationProperties"),
    ("nonUpdatable", "UpdateRestrictions", "NonUpdatableProperties"),
    ("nonUpdatableNavigation", "UpdateRestrictions", "NonUpdatableNavigationProperties"),
    ("requiredFilter", "FilterRestrictions", "RequiredProperties"),
    ("nonFilterable", "FilterRestrictions", "NonFilterableProperties"),
    ("nonSortable", "SortRestrictions", "NonSortableProperties"),
    ("nonExpandable", "ExpandRestrictions", "NonExpandableProperties"),
)


def set_annotations(said: Said, container: Said, table: FactTable) -> None:
    """All facts of one EntitySet or Singleton; what its container says holds where it says nothing itself."""
    for pairs in (_verbs(said), _lists(said), _queries(said), _paging(said, container), _modes(said, container)):
        table.add_all("annotations", (said.path,), pairs)
    for record in records_of(said.record("Capabilities.NavigationRestrictions").get("RestrictedProperties")):
        path = next(paths_of(record.get("NavigationProperty")), "")
        deep = next(iter(records_of(record.get("DeepInsertSupport"))), {}).get("Supported")
        if path and isinstance(deep, bool):
            table.add("annotations", said.path, "deepInsertOf", path, "Verified" if deep else "Denied")


def _verbs(said: Said) -> Pairs:
    for name, term, member in _VERBS:
        stated = _constant(said.record(f"Capabilities.{term}").get(member))
        source = f"Capabilities.{term}"
        if stated is None:
            stated, source = said.sap_flag(name), f"sap:{name}"
        if stated is not None:
            yield name, "Verified" if stated else "Denied"
            yield f"{name}Source", source
    if said.sap_flag("addressable") is False:
        yield "addressable", "false"


def _constant(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _lists(said: Said) -> Pairs:
    for name, term, member in _LISTS:
        yield from ((name, path) for path in paths_of(said.record(f"Capabilities.{term}").get(member)))
    methods = members_of(said.record("Capabilities.UpdateRestrictions").get("UpdateMethod"))
    yield from (("updateMethod", method) for method in ("PATCH", "PUT") if method in methods)


def _queries(said: Said) -> Pairs:
    query, sort = said.record("Capabilities.FilterRestrictions"), said.record("Capabilities.SortRestrictions")
    if _constant(query.get("RequiresFilter")) or said.sap_flag("requires-filter"):
        yield "requiresFilter", "true"
    if _constant(query.get("Filterable")) is False:
        yield "filterable", "false"
    if _constant(sort.get("Sortable")) is False:
        yield "sortable", "false"


def _paging(said: Said, container: Said) -> Pairs:
    pageable = said.sap_flag("pageable")
    found = {
        "topSupported": _first(_tag(said, container, "TopSupported"), said.sap_flag("topable"), pageable),
        "skipSupported": _first(_tag(said, container, "SkipSupported"), pageable),
        "countable": _first(
            _constant(said.record("Capabilities.CountRestrictions").get("Countable")), said.sap_flag("countable")
        ),
        "searchable": _first(
            _constant(said.record("Capabilities.SearchRestrictions").get("Searchable")), said.sap_flag("searchable")
        ),
    }
    yield from ((name, "true" if value else "false") for name, value in found.items() if value is not None)


def _first(*values: bool | None) -> bool | None:
    return next((value for value in values if value is not None), None)


def _tag(said: Said, container: Said, name: str) -> bool | None:
    own = _constant(said.value(f"Capabilities.{name}"))
    return own if own is not None else _constant(container.value(f"Capabilities.{name}"))


def _modes(said: Said, container: Said) -> Pairs:
    if said.every("Common.DraftRoot") or said.every("Common.DraftNode"):
        yield "draft", "true"
    if said.every("Core.OptimisticConcurrency"):
        yield "optimisticConcurrency", "true"
    if said.true("Repeatability.Supported") or container.true("Repeatability.Supported"):
        yield "repeatability", "true"
    deep = _first(
        *(_constant(where.record("Capabilities.DeepInsertSupport").get("Supported")) for where in (said, container))
    )
    if deep is not None:
        yield "deepInsert", "Verified" if deep else "Denied"
        yield "deepInsertSource", "Capabilities.DeepInsertSupport"
