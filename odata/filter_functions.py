"""Canonical functions of $filter by version: what they take and what they return.

Sources: OData 2.0 URI Conventions 4.5; OData URL Conventions 4.01 section 5.1.1.5 to 5.1.1.13.
"""

from typing import NamedTuple

from odata.url_literals import NUMERIC

TEXT = frozenset({"Edm.String"})
NUMBER = NUMERIC
WHOLE = frozenset({"Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"})
ANY: frozenset[str] = frozenset()
_V2_DATES = frozenset({"Edm.DateTime", "Edm.DateTimeOffset"})
_V2_CLOCKS = _V2_DATES | {"Edm.Time"}
_DATES = frozenset({"Edm.Date", "Edm.DateTimeOffset"})
_CLOCKS = frozenset({"Edm.TimeOfDay", "Edm.DateTimeOffset"})
_OFFSET = frozenset({"Edm.DateTimeOffset"})
_DURATION = frozenset({"Edm.Duration"})


class Signature(NamedTuple):
    """Accepted types per argument (empty set: any), how many may be left out at the end, and the result."""

    arguments: tuple[frozenset[str], ...]
    returns: str | None
    optional: int = 0


_STRINGS: dict[str, Signature] = {
    "startswith": Signature((TEXT, TEXT), "Edm.Boolean"),
    "endswith": Signature((TEXT, TEXT), "Edm.Boolean"),
    "length": Signature((TEXT,), "Edm.Int32"),
    "indexof": Signature((TEXT, TEXT), "Edm.Int32"),
    "substring": Signature((TEXT, WHOLE, WHOLE), "Edm.String", 1),
    "tolower": Signature((TEXT,), "Edm.String"),
    "toupper": Signature((TEXT,), "Edm.String"),
    "trim": Signature((TEXT,), "Edm.String"),
    "concat": Signature((TEXT, TEXT), "Edm.String"),
    "round": Signature((NUMBER,), "Edm.Double"),
    "floor": Signature((NUMBER,), "Edm.Double"),
    "ceiling": Signature((NUMBER,), "Edm.Double"),
}


def _parts(dates: frozenset[str], clocks: frozenset[str]) -> dict[str, Signature]:
    days = {name: Signature((dates,), "Edm.Int32") for name in ("year", "month", "day")}
    return days | {name: Signature((clocks,), "Edm.Int32") for name in ("hour", "minute", "second")}


FUNCTIONS_V2: dict[str, Signature] = {
    **_STRINGS,
    **_parts(_V2_DATES, _V2_CLOCKS),
    "substringof": Signature((TEXT, TEXT), "Edm.Boolean"),
    "replace": Signature((TEXT, TEXT, TEXT), "Edm.String"),
}

FUNCTIONS_V4: dict[str, Signature] = {
    **_STRINGS,
    **_parts(_DATES, _CLOCKS),
    # Strings or collections since 4.01; the parser leaves collections without a type.
    "contains": Signature((TEXT, TEXT), "Edm.Boolean"),
    "fractionalseconds": Signature((_CLOCKS,), "Edm.Decimal"),
    "totalseconds": Signature((_DURATION,), "Edm.Decimal"),
    "totaloffsetminutes": Signature((_OFFSET,), "Edm.Int32"),
    "date": Signature((_OFFSET,), "Edm.Date"),
    "time": Signature((_OFFSET,), "Edm.TimeOfDay"),
    "now": Signature((), "Edm.DateTimeOffset"),
    "mindatetime": Signature((), "Edm.DateTimeOffset"),
    "maxdatetime": Signature((), "Edm.DateTimeOffset"),
    "matchesPattern": Signature((TEXT, TEXT), "Edm.Boolean"),
    "hassubset": Signature((ANY, ANY), "Edm.Boolean"),
    "hassubsequence": Signature((ANY, ANY), "Edm.Boolean"),
    "geo.distance": Signature((ANY, ANY), "Edm.Double"),
    "geo.length": Signature((ANY,), "Edm.Double"),
    "geo.intersects": Signature((ANY, ANY), "Edm.Boolean"),
}

# Since 4.01 these take collections as well as strings (URL Conventions 4.01, 5.1.1.5 and 5.1.1.6).
OF_COLLECTIONS = frozenset({"concat", "contains", "endswith", "indexof", "length", "startswith", "substring"})

# What the other version calls it, for "did you mean".
COUNTERPART = {"substringof": "contains(property,'text')", "contains": "substringof('text',property)"}
