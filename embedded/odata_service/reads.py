"""GET: filter, order, count, page, expand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cmp_to_key
from typing import Any

from embedded.odata_service.errors import BadRequest
from embedded.odata_service.filter_eval import Evaluator, Scope
from embedded.odata_service.filter_parser import Call, Literal, Node, Path
from embedded.odata_service.query import Query
from embedded.odata_service.related import Rows, key_selection
from embedded.odata_service.render import Renderer
from embedded.odata_service.schema import Collection
from embedded.odata_service.store import Row, Selection


@dataclass(frozen=True, slots=True)
class Page:
    """`total` is the count before paging; `next_skip` the offset of the next page, if there is one."""

    rows: list[Row]
    total: int
    next_skip: int | None


class Reader:
    """Reads of one service. `page_size` 0 = no server paging."""

    def __init__(self, rows: Rows, clock: Callable[[], datetime], page_size: int = 0) -> None:
        self._rows = rows
        self._service = rows.service
        self._evaluator = Evaluator(rows.service, rows, clock)
        self._page_size = page_size

    def check(self, query: Query, type_name: str) -> None:
        """Every name in the options exists on the type. Raises BadRequest naming the option."""
        try:
            if query.filter is not None and self._evaluator.check(query.filter, type_name) not in ("Edm.Boolean", ""):
                raise ValueError("the expression is no condition")
        except ValueError as error:
            raise BadRequest(f"$filter: {error}", target="$filter") from error
        try:
            for node, _ in query.orderby:
                self._evaluator.check(node, type_name)
        except ValueError as error:
            raise BadRequest(f"$orderby: {error}", target="$orderby") from error
        navigations = self._service.navigations(type_name)
        for path in query.select or []:
            self._check_select(path, type_name)
        for name, below in query.expand.items():
            if name not in navigations:
                raise BadRequest(
                    f"$expand: {type_name.rpartition('.')[2]} has no navigation {name!r}", target="$expand"
                )
            self.check(below, navigations[name].type.name)

    def _check_select(self, path: tuple[str, ...], type_name: str) -> None:
        try:
            for length in range(1, len(path) + 1):
                self._evaluator.path_type(path[:length], type_name, {})
        except ValueError as error:
            raise BadRequest(f"$select: {error}", target="$select") from error

    def page(
        self, collection: Collection, selection: Selection | None, type_name: str, query: Query, paged: bool = True
    ) -> Page:
        """The rows that the options leave, in order; `paged` false for expanded rows, which come whole."""
        plain = query.filter is None and not query.orderby and not query.search and type_name == collection.type
        if plain:  # the store can count and cut
            total = self._rows.count(selection)
            start, end, next_skip = self._window(query, total, paged)
            return Page(self._rows.select(selection, end - start, start), total, next_skip)
        rows = self._filtered(collection, selection, type_name, query)
        for node, descending in reversed(query.orderby):
            try:
                rows.sort(key=cmp_to_key(self._comparison(node, collection)), reverse=descending)
            except (ValueError, TypeError) as error:
                raise BadRequest(f"$orderby: {error}", target="$orderby") from error
        start, end, next_skip = self._window(query, len(rows), paged)
        return Page(rows[start:end], len(rows), next_skip)

    def _window(self, query: Query, total: int, paged: bool) -> tuple[int, int, int | None]:
        """(first row, end, where the next page starts) of `total` ordered rows."""
        start = min(total, query.skip + query.skiptoken)
        stop = total if query.top is None else min(total, query.skip + query.top)
        end = max(start, min(stop, start + self._page_size) if self._page_size and paged else stop)
        return start, end, end - query.skip if end < stop else None

    def _filtered(self, collection: Collection, selection: Selection | None, type_name: str, query: Query) -> list[Row]:
        if selection == Selection(collection.name) and query.filter is not None:
            selection = _pushed_down(collection, query.filter) or selection
        rows = self._rows.select(selection)
        if type_name != collection.type:
            rows = [row for row in rows if self._service.document.is_a(row.type, type_name)]
        if query.search:
            words = query.search.strip('"').lower()
            rows = [row for row in rows if any(words in str(value).lower() for value in row.data.values())]
        if query.filter is None:
            return rows
        condition = query.filter
        try:
            return [row for row in rows if self._evaluator.matches(condition, row, collection)]
        except ValueError as error:
            raise BadRequest(f"$filter: {error}", target="$filter") from error

    def _comparison(self, node: Node, collection: Collection) -> Callable[[Row, Row], int]:
        def value(row: Row) -> Any:
            return self._evaluator.value(node, Scope(row.data, row, collection, row.type, {}))

        def compare(one: Row, other: Row) -> int:
            first, second = value(one), value(other)
            if first is None or second is None:  # null sorts before every value
                return (first is not None) - (second is not None)
            return int(first > second) - int(first < second)

        return compare

    def entity(self, collection: Collection, row: Row, query: Query, renderer: Renderer) -> dict[str, Any]:
        """One rendered entity with its expansions."""
        expanded: dict[str, Any] = {}
        for name, below in query.expand.items():
            relation = self._service.relation(collection, row.type, name)
            if relation is None:
                continue
            selection = self._rows.selection(row, relation)
            if not relation.many:
                found = self._rows.select(selection)
                expanded[name] = self.entity(relation.target, found[0], below, renderer) if found else None
                continue
            page = self.page(relation.target, selection, relation.target.type, below, paged=False)
            items = [self.entity(relation.target, item, below, renderer) for item in page.rows]
            if below.count:
                expanded[f"{name}@odata.count"] = page.total
            expanded[name] = items if self._service.v4 else {"results": items}
        return renderer.entity(collection, row, query, expanded)


def _equalities(node: Node) -> dict[str, Any]:
    """`a eq 'x' and b eq 'y'` parts of a condition (strings only: those compare in SQL as they do here)."""
    if not isinstance(node, Call):
        return {}
    if node.name == "and":
        return {name: value for argument in node.arguments for name, value in _equalities(argument).items()}
    if node.name != "eq":
        return {}
    path, literal = node.arguments
    if isinstance(path, Literal):
        path, literal = literal, path
    if (
        isinstance(path, Path)
        and len(path.parts) == 1
        and isinstance(literal, Literal)
        and literal.type == "Edm.String"
    ):
        return {path.parts[0]: literal.value}
    return {}


def _pushed_down(collection: Collection, condition: Node) -> Selection | None:
    """A narrower selection for the store; the condition is still evaluated on what it returns."""
    equal = _equalities(condition)
    keys = {name: equal[name] for name in collection.keys if name in equal}
    if keys:
        return key_selection(collection, keys)
    return Selection(collection.name, equal=equal) if equal else None
