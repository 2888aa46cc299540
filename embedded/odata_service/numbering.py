"""Keys that a create leaves out: number ranges, item numbers, GUIDs, `false`. Ranges survive restarts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from collections.abc import Collection as Values
from datetime import datetime
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.csdl_model import Property
from embedded.odata_service.errors import BadRequest, Conflict
from embedded.odata_service.related import Rows, key_selection
from embedded.odata_service.schema import Collection
from embedded.odata_service.store import Selection

ITEM_STEP = 10
_RANGE_DIGITS = 10


def range_start(collection: str, max_length: int | None) -> int:
    """First number of a range: two digits of its own for each collection, then zeros and a one.

    Ranges differ between collections so that a number of one document never passes for one of another.
    """
    digits = min(max_length or _RANGE_DIGITS, _RANGE_DIGITS)
    if digits < 4:
        return 1
    return (10 + zlib.crc32(collection.encode()) % 90) * int(10 ** (digits - 2)) + 1


class Numbering:
    """Gives keys of one service. `clock` and `new_guid` are arguments so that tests can fix them."""

    def __init__(self, rows: Rows, clock: Callable[[], datetime], new_guid: Callable[[], str]) -> None:
        self._rows = rows
        self._clock = clock
        self._new_guid = new_guid

    def assign(
        self,
        collection: Collection,
        prop: Property,
        owner: dict[str, Any],
        parent_key: str | None,
        reserved: Values[str] = (),
    ) -> Any:
        """Value for a key property. `owner` are the key values that a parent document gives, `reserved` item
        numbers that rows sent beside this one bring along. Raises BadRequest for types no range exists for.
        """
        type_name = self._rows.service.underlying(prop.type.name)
        if type_name == "Edm.Guid":
            return self._new_guid()
        if type_name == "Edm.Boolean":
            return False
        is_item = bool(owner) or parent_key is not None
        if type_name == "Edm.String":
            if is_item:
                return self._next_item(collection, prop, owner, parent_key, reserved)
            if prop.facets.max_length == 4 and prop.name.endswith("Year"):
                return str(self._clock().year)
            return self._next_number(collection, prop)
        if type_name in edm.INTEGER_RANGES:
            return self._next_integer(collection, prop, owner, parent_key)
        raise BadRequest(f"key {prop.name} ({type_name}) has no number range: send it", target=prop.name)

    def _siblings(self, collection: Collection, owner: dict[str, Any], parent_key: str | None) -> Selection:
        if parent_key is not None:
            return Selection(collection.name, prefix=parent_key)
        return key_selection(collection, dict(owner)) if owner else Selection(collection.name)

    def _next_item(
        self,
        collection: Collection,
        prop: Property,
        owner: dict[str, Any],
        parent_key: str | None,
        reserved: Values[str],
    ) -> str:
        rows = self._rows.select(self._siblings(collection, owner, parent_key))
        taken = {str(row.data.get(prop.name)) for row in rows} | set(reserved)
        numbers = [int(text) for text in taken if text.isdigit()]
        highest = max(numbers, default=0)
        longest = prop.facets.max_length or _RANGE_DIGITS
        for candidate in (str((highest // ITEM_STEP + 1) * ITEM_STEP), str(highest + 1)):
            if len(candidate) <= longest:
                return candidate
        raise Conflict(f"no item number is left for {prop.name} in {collection.name}")

    def _next_number(self, collection: Collection, prop: Property) -> str:
        service, store = self._rows.service.name, self._rows.store
        last = store.last_number(service, collection.name, prop.name)
        number = int(last) + 1 if last else range_start(collection.name, prop.facets.max_length)
        while self._rows.count(key_selection(collection, {prop.name: str(number)})):
            number += 1
        if prop.facets.max_length is not None and len(str(number)) > prop.facets.max_length:
            raise Conflict(f"the number range of {collection.name}/{prop.name} is used up")
        store.set_last_number(service, collection.name, prop.name, str(number))
        return str(number)

    def _next_integer(
        self, collection: Collection, prop: Property, owner: dict[str, Any], parent_key: str | None
    ) -> int:
        rows = self._rows.select(self._siblings(collection, owner, parent_key))
        last = self._rows.store.last_number(self._rows.service.name, collection.name, prop.name)
        number = max([*(int(row.data.get(prop.name) or 0) for row in rows), 0 if owner else int(last or 0)]) + 1
        self._rows.store.set_last_number(self._rows.service.name, collection.name, prop.name, str(number))
        return edm.check_integer(number, self._rows.service.underlying(prop.type.name))
