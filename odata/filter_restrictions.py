"""How often and by which comparisons a filter may use a property: ``sap:filter-restriction``, ``FilterExpressionRestrictions``.

Sources: SAP Annotations for OData 2.0, filter-restriction; Org.OData.Capabilities.V1 FilterExpressionRestrictionType.
"""

from collections import Counter
from collections.abc import Iterator

from odata.filter_parser import Parsed
from odata.findings import Fault
from odata.model import Model
from wire.endpoint import Restrictions

_KINDS = {"SingleValue": "single-value", "MultiValue": "multi-value", "SingleRange": "interval"}
_LOW, _HIGH = frozenset({"ge", "gt"}), frozenset({"le", "lt"})
_WORDS = {
    "single-value": "once, with eq",
    "multi-value": "with eq only, several joined by or",
    "interval": "as one interval: one ge and one le, or one eq",
}


def restriction_faults(model: Model, root: str, parsed: Parsed, limits: Restrictions) -> Iterator[Fault]:
    """R47 for each property that the filter uses otherwise than it may."""
    kinds = {path: _KINDS.get(kind, "") for path, kind in limits.filter_expressions}
    declared = model.properties.get(root, {})
    for path, uses in Counter(path for path, _ in parsed.paths).items():
        own = declared[path].filter_restriction if path in declared else ""
        kind = own or kinds.get(path, "")
        operators = [operator for at, operator in parsed.comparisons if at == path]
        if kind in _WORDS and not _fits(kind, operators, uses):
            yield Fault("R47", f"a filter may use {path} {_WORDS[kind]}")


def _fits(kind: str, operators: list[str], uses: int) -> bool:
    if len(operators) != uses:
        # Beside comparisons there are functions or lists of values, which are no single value and no interval.
        return kind == "multi-value" and not operators
    if kind == "single-value":
        return operators == ["eq"]
    if kind == "multi-value":
        return set(operators) == {"eq"}
    low, high = (sum(operator in side for operator in operators) for side in (_LOW, _HIGH))
    return operators == ["eq"] or (low <= 1 and high <= 1 and low + high == len(operators))
