"""The type that an object names for itself: ``@odata.type``, ``@type`` (4.01), ``odata.type`` (3.0), ``__metadata.type``."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from odata.model import Model

_V4 = ("@odata.type", "@type")


class NamedType(NamedTuple):
    """``where`` below the object, ``value`` as sent, ``name`` qualified with its namespace (empty: it names none)."""

    where: str
    value: Any
    name: str


def named_type(model: Model, body: Mapping[str, Any]) -> NamedType | None:
    """What the object says, or None when it says nothing. A URL before the ``#`` is passed over (JSON Format 4.6.3)."""
    if model.v4:
        where = "@odata.type" if "@odata.type" in body else "@type"
        value = body.get(where)
    else:
        where, metadata = "__metadata/type", body.get("__metadata")
        value = metadata.get("type") if isinstance(metadata, Mapping) else None
        if value is None and "odata.type" in body and model.contract.version == "3.0":
            where, value = "odata.type", body["odata.type"]
    if value is None:
        return None
    name = model.canonical(value.rpartition("#")[2]) if isinstance(value, str) else ""
    return NamedType(where, value, name)
