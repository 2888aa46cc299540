"""$compute and $apply: the names that they introduce, and faults of names and expressions in them (R46, R48, R50).

Sources: OData URL Conventions 4.01, 5.1.3; OData Extension for Data Aggregation 4.0, 3 and 7.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from odata.filter_parser import FilterParser, Names
from odata.filter_paths import PathFault, resolve_path
from odata.filter_text import FilterSyntaxError
from odata.findings import Fault, did_you_mean
from odata.model import Model
from odata.select_expand import split_top

_AS = re.compile(r"(.+?)\s+as\s+([A-Za-z_]\w*)", re.DOTALL)
_CALL = re.compile(r"([A-Za-z_][\w.]*)\((.*)\)", re.DOTALL)
_WITH = re.compile(r"(.+?)\s+with\s+([\w.]+)(?:\s+from\s+.+)?", re.DOTALL)
_METHODS = ("sum", "min", "max", "average", "countdistinct")
_RANKED = ("topcount", "topsum", "toppercent", "bottomcount", "bottomsum", "bottompercent")
_PASSED = (
    "top",
    "skip",
    "search",
    "expand",
    "identity",
    "nest",
    "join",
    "outerjoin",
    "ancestors",
    "descendants",
    "traverse",
)
_KNOWN = ("filter", "groupby", "aggregate", "compute", "orderby", "concat", *_RANKED, *_PASSED)
_ALIAS = re.compile(r"\bas\s+([A-Za-z_]\w*)")


class Scope(NamedTuple):
    """Where expressions stand: the type, and names beside its members."""

    model: Model
    root: str
    names: Names


def introduced(options: dict[str, str]) -> frozenset[str]:
    """Names that $compute and $apply of a query add to those of the type."""
    texts = (options.get("$compute", ""), options.get("$apply", ""))
    return frozenset(name for text in texts for name in _ALIAS.findall(text))


def compute_faults(scope: Scope, text: str) -> Iterator[Fault]:
    """Faults of a $compute: ``expression as Name``, separated by commas."""
    for item in split_top(text, ","):
        match = _AS.fullmatch(item)
        if match is None:
            yield Fault("R50", f"{item!r}: a computed property is written: expression as Name")
        else:
            yield from _expression(scope, match[1])


def apply_faults(scope: Scope, text: str) -> Iterator[Fault]:
    """Faults of an $apply: transformations, separated by slashes."""
    for item in split_top(text, "/"):
        match = _CALL.fullmatch(item)
        if match is None:
            if item != "identity":
                yield Fault("R50", f"{item!r} is no transformation: write name(...)", _KNOWN)
            continue
        yield from _transformation(scope, match[1], match[2].strip())


def _transformation(scope: Scope, name: str, inner: str) -> Iterator[Fault]:
    if name == "filter":
        yield from _expression(scope, inner, "R46")
    elif name == "groupby":
        yield from _groupby(scope, inner)
    elif name == "aggregate":
        for item in split_top(inner, ","):
            yield from _aggregate(scope, item)
    elif name == "compute":
        yield from compute_faults(scope, inner)
    elif name == "orderby":
        for item in split_top(inner, ","):
            yield from _expression(scope, re.sub(r"\s+(asc|desc)$", "", item))
    elif name == "concat":
        for item in split_top(inner, ","):
            yield from apply_faults(scope, item)
    elif name in _RANKED:
        for item in split_top(inner, ","):
            yield from _expression(scope, item)
    elif name not in _PASSED and "." not in name:
        yield Fault("R50", f"{name} is no transformation of $apply", _KNOWN, did_you_mean(name, _KNOWN))


def _groupby(scope: Scope, inner: str) -> Iterator[Fault]:
    parts = split_top(inner, ",")
    if not parts[0].startswith("(") or not parts[0].endswith(")"):
        yield Fault("R50", "groupby takes a list of properties in parentheses: groupby((Name))")
        return
    for item in split_top(parts[0][1:-1], ","):
        rollup = _CALL.fullmatch(item)
        for path in split_top(rollup[2], ",") if rollup is not None and rollup[1] == "rollup" else [item]:
            if path != "$all":
                yield from _path(scope, path)
    for rest in parts[1:]:
        yield from apply_faults(scope, rest)


def _aggregate(scope: Scope, item: str) -> Iterator[Fault]:
    named = _AS.fullmatch(item)
    text = named[1] if named is not None else item
    method = _WITH.fullmatch(text)
    if method is not None:
        if named is None:
            yield Fault("R50", f"{item!r}: an aggregate needs a name: {item} as Name")
        if method[2] not in _METHODS and "." not in method[2]:
            yield Fault("R50", f"{method[2]} is no method", _METHODS, did_you_mean(method[2], _METHODS))
        yield from _expression(scope, method[1])
    elif (text == "$count" or text.endswith("/$count")) and named is None:
        yield Fault("R50", "a count needs a name: $count as Name")
    # All else is a custom aggregate, which only annotations of the service know.


def _path(scope: Scope, path: str) -> Iterator[Fault]:
    segments = path.split("/")
    if segments[0] in scope.names.computed:
        return
    try:
        resolve_path(scope.model, scope.root, segments)
    except PathFault as fault:
        yield Fault("R48", fault.message, fault.allowed, fault.suggestion)


def _expression(scope: Scope, text: str, rule: str = "R48") -> Iterator[Fault]:
    try:
        yield from FilterParser(scope.model, scope.root, text, rule, scope.names).parse().faults
    except FilterSyntaxError as error:
        yield Fault(rule, f"not an expression: {error}")
