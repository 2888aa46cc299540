"""Rows of one service, followed through relations."""

from __future__ import annotations

from embedded.odata_service.schema import Collection, Relation, Service
from embedded.odata_service.store import Row, Selection, Store


class Rows:
    """Store access bound to one service; the only place that turns a Relation into a Selection."""

    def __init__(self, service: Service, store: Store) -> None:
        self.service = service
        self.store = store

    def select(self, selection: Selection | None, limit: int | None = None, offset: int = 0) -> list[Row]:
        return self.store.select(self.service.name, selection, limit, offset) if selection is not None else []

    def count(self, selection: Selection | None) -> int:
        return self.store.count(self.service.name, selection) if selection is not None else 0

    def selection(self, row: Row, relation: Relation) -> Selection | None:
        """Where the target rows lie; None when a null foreign key says that there are none."""
        if relation.mode == "contained":
            return Selection(relation.target.name, prefix=row.key)
        if relation.mode == "links":
            return Selection(relation.target.name, keys=self.store.linked_keys(self.service.name, row, relation.name))
        equal = {there: row.data.get(here) for here, there in relation.pairs}
        if any(value is None for value in equal.values()):
            return None
        return key_selection(relation.target, equal)

    def related(self, row: Row, collection: Collection, nav: str) -> list[Row]:
        relation = self.service.relation(collection, row.type, nav)
        return self.select(self.selection(row, relation)) if relation is not None else []

    def singleton(self, collection: Collection) -> Row:
        """The singleton's row, made empty at its first use."""
        found = self.store.select(self.service.name, Selection(collection.name))
        if found:
            return found[0]
        with self.store.transaction():
            return self.store.insert(self.service.name, collection.name, "", collection.type, {})


def key_selection(collection: Collection, equal: dict[str, object]) -> Selection:
    """Equalities as a key or key prefix where they cover it (indexed), else as equal properties."""
    from_keys = [equal[name] for name in collection.keys if name in equal]
    leading = [name for name in collection.keys[: len(from_keys)] if name in equal]
    covered = bool(leading) and len(leading) == len(equal) and all(isinstance(value, str) for value in from_keys)
    if covered and len(leading) == len(collection.keys):
        return Selection(collection.name, keys=("\x1f".join(str(value) for value in from_keys),))
    if covered:
        return Selection(collection.name, prefix="\x1f".join(str(value) for value in from_keys))
    return Selection(collection.name, equal=equal)
