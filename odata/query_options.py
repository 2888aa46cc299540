"""The query options of a call against the contract, V2 and V4 (R45-R50)."""

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from odata.apply_compute import Scope, apply_faults, compute_faults, introduced
from odata.filter_parser import FilterParser, Names, Parsed
from odata.filter_restrictions import restriction_faults
from odata.filter_text import FilterSyntaxError
from odata.filter_types import is_boolean, type_word
from odata.findings import Fault, Report, did_you_mean
from odata.model import Model
from odata.search import search_problem
from odata.select_expand import Expanded, ExpandItem, check_expand, check_select, expand_items, split_top
from wire.endpoint import Restrictions

_V2 = ("$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$inlinecount", "$format", "$skiptoken")
_V4 = (
    "$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$count", "$search", "$format", "$skiptoken",
    "$deltatoken", "$apply", "$compute", "$index", "$schemaversion", "$id",
)  # fmt: skip
_NESTED = (
    "$filter",
    "$select",
    "$expand",
    "$orderby",
    "$top",
    "$skip",
    "$count",
    "$search",
    "$levels",
    "$compute",
    "$apply",
)
_MANY_ONLY = frozenset({"$filter", "$orderby", "$top", "$skip", "$count", "$search", "$apply"})
_WITH = {"$ref": ("$filter", "$search", "$orderby", "$skip", "$top", "$count"), "$count": ("$filter", "$search")}
_ON_COLLECTIONS = ("$filter", "$orderby", "$top", "$skip", "$count", "$inlinecount", "$search", "$skiptoken", "$apply")
_ON_WRITES = ("$select", "$expand", "$format", "$schemaversion", "$id")
_COUNTERPART = {"$inlinecount": "$count=true", "$count": "$inlinecount=allpages"}


class Target(NamedTuple):
    """What the options apply to; ``names`` are known beside the members of the type."""

    type_name: str | None
    at_set: str | None
    many: bool
    restrictions: Restrictions
    write: bool = False
    names: Names = Names()


def check_query(model: Model, query: dict[str, str], target: Target, report: Report) -> None:
    """All options of a call; findings point at ``/query/NAME``."""
    options = {_canonical(model, name): value for name, value in query.items()}
    names = Names(frozenset(n for n in query if n.startswith("@")), introduced(options))
    target = target._replace(names=names)
    for given, value in query.items():
        pointer, name = f"/query/{given}", _canonical(model, given)
        for fault in _applicable(model, name, target):
            report.add_fault(fault, pointer, value)
        if name in (_V4 if model.v4 else _V2):
            for fault in check_option(model, name, value, options, target):
                report.add_fault(fault, pointer, value)
    if target.many and not target.write:
        for fault in _required_filters(model, options.get("$filter"), target):
            report.add_fault(fault, "/query/$filter", options.get("$filter"))


def _canonical(model: Model, name: str) -> str:
    """Since 4.01 an option may stand without ``$`` and in any case (URL Conventions 4.01, 5.1)."""
    if model.contract.version != "4.01" or name.startswith("@"):
        return name
    found = f"${name.removeprefix('$').lower()}"
    return found if found in _V4 else name


def _applicable(model: Model, name: str, target: Target) -> Iterator[Fault]:
    """R49 and R50: is the option one of the version, and may it stand here?"""
    mine, other = (_V4, _V2) if model.v4 else (_V2, _V4)
    version = model.contract.version
    if not name.startswith("$"):
        bare = f"${name}"
        if bare in mine:
            yield Fault("R50", f"{name} is a custom option, which the service ignores: write {bare}", (), bare)
        return
    if name not in mine:
        if name in other:
            yield Fault("R49", f"{name} is no option of OData {version}", mine, _COUNTERPART.get(name, ""))
        else:
            yield Fault("R50", f"{name} is no system query option of OData {version}", mine, did_you_mean(name, mine))
    elif target.write and name not in _ON_WRITES:
        yield Fault("R50", f"{name} stands on reads of collections only")
    elif not target.many and name in _ON_COLLECTIONS:
        yield Fault("R50", f"{name} applies to collections, this call addresses one entity")


def check_option(model: Model, name: str, value: str, options: dict[str, str], target: Target) -> Iterator[Fault]:
    """The value of one option of the version."""
    root, limits = target.type_name, target.restrictions
    if name in ("$top", "$skip"):
        yield from _number(name, value, limits.top if name == "$top" else limits.skip)
    elif name == "$count":
        yield from _word(name, value, ("true", "false"), limits.count)
    elif name == "$inlinecount":
        yield from _word(name, value, ("allpages", "none"), limits.count)
    elif name == "$search":
        if not limits.searchable:
            yield Fault("R50", "this set cannot be searched")
        elif why := search_problem(value):
            yield Fault("R50", f"no search expression: {why}")
    elif root is None or root not in model.types:
        return
    elif name == "$filter":
        yield from _filter(model, root, value, limits, target.names)
    elif name == "$orderby":
        yield from _orderby(model, root, value, limits, target.names)
    elif name == "$select":
        yield from check_select(model, root, value, _expanded(options.get("$expand", "")), target.names.computed)
    elif name == "$compute":
        yield from compute_faults(Scope(model, root, target.names), value)
    elif name == "$apply":
        yield from apply_faults(Scope(model, root, target.names), value)
    elif name == "$expand":
        yield from check_expand(
            model, root, target.at_set, value, limits.non_expandable, partial(_nested_faults, model)
        )


def _expanded(text: str) -> tuple[str, ...]:
    items = expand_items(text) if text else []
    return () if isinstance(items, Fault) else tuple(item.path for item in items if isinstance(item, ExpandItem))


def _nested_faults(model: Model, item: Expanded, given: dict[str, str]) -> list[Fault]:
    """Faults of the options in the parentheses of an expanded item (URL Conventions 4.01, 5.1.3.1)."""
    options = {_canonical(model, name): value for name, value in given.items()}
    names = Names(None, introduced(options))
    target = Target(item.type_name, item.at_set, item.many, Restrictions(), names=names)
    allowed = _WITH.get(item.only, _NESTED)
    faults: list[Fault] = []
    for name, value in options.items():
        if name in _NESTED and name not in allowed:
            faults.append(Fault("R50", f"{name} cannot stand with {item.only}", allowed))
        elif name in _MANY_ONLY and not item.many:
            faults.append(Fault("R50", f"{name} applies to collections, this navigation leads to one entity"))
        elif name not in _NESTED:
            faults.append(Fault("R50", f"{name} cannot stand in $expand", _NESTED, did_you_mean(name, _NESTED)))
        elif name == "$levels":
            if value != "max" and not value.isdigit():
                faults.append(Fault("R50", "$levels is a number or max"))
        else:
            faults.extend(check_option(model, name, value, options, target))
    return faults


def _number(name: str, value: str, supported: bool) -> Iterator[Fault]:
    if not re.fullmatch(r"\d{1,18}", value):
        yield Fault("R50", f"{name} is a whole number, 0 or more")
    elif not supported:
        yield Fault("R50", f"this set does not support {name}")


def _word(name: str, value: str, allowed: tuple[str, ...], supported: bool) -> Iterator[Fault]:
    if value not in allowed:
        yield Fault("R50", f"{name} is {' or '.join(allowed)}", allowed)
    elif not supported and value != allowed[1]:
        yield Fault("R50", f"this set cannot be counted: leave {name} out")


def _filter(model: Model, root: str, text: str, limits: Restrictions, names: Names) -> Iterator[Fault]:
    if not limits.filterable:
        yield Fault("R46", "this set cannot be filtered")
    parsed = _parse(model, root, text, "R46", names)
    if isinstance(parsed, Fault):
        yield parsed
        return
    yield from parsed.faults
    if not parsed.faults and not is_boolean(parsed.operand):
        yield Fault("R46", f"a filter is a condition, {type_word(parsed.operand)} is none")
    for path, steps in parsed.paths:
        last = steps[-1].property if steps else None
        if path in limits.non_filterable or (last is not None and not last.filterable):
            yield Fault("R46", f"{path} cannot be filtered by")
    yield from restriction_faults(model, root, parsed, limits)


def _parse(model: Model, root: str, text: str, rule: str, names: Names) -> Parsed | Fault:
    if not text.strip():
        return Fault(rule, "the expression is empty")
    try:
        return FilterParser(model, root, text, rule, names).parse()
    except FilterSyntaxError as error:
        return Fault(rule, f"not an expression: {error}")


def _orderby(model: Model, root: str, text: str, limits: Restrictions, names: Names) -> Iterator[Fault]:
    if not limits.sortable:
        yield Fault("R48", "this set cannot be sorted")
    for item in split_top(text, ","):
        match = re.fullmatch(r"(.*?)(?:\s+(\S+))?", item, re.DOTALL)
        expression, direction = (match[1], match[2]) if match is not None else (item, None)
        if direction is not None and direction not in ("asc", "desc"):
            if direction.casefold() in ("asc", "desc", "ascending", "descending"):
                yield Fault("R48", f"{direction}: the direction is asc or desc", ("asc", "desc"))
                continue
            expression = item
        parsed = _parse(model, root, expression, "R48", names)
        if isinstance(parsed, Fault):
            yield parsed
            continue
        yield from parsed.faults
        if not parsed.faults and (parsed.operand.structured or parsed.operand.collection):
            yield Fault("R48", f"{expression} is no single value that can be sorted by")
        for path, steps in parsed.paths:
            last = steps[-1].property if steps else None
            if path in limits.non_sortable or (last is not None and not last.sortable):
                yield Fault("R48", f"{path} cannot be sorted by")


def _required_filters(model: Model, text: str | None, target: Target) -> Iterator[Fault]:
    limits = target.restrictions
    needed = list(limits.required_filters)
    needed += [
        p.name
        for p in model.properties.get(target.type_name or "", {}).values()
        if p.required_in_filter and p.name not in needed
    ]
    if text is None:
        if needed or limits.requires_filter:
            yield Fault("R47", f"a filter is required{' by ' + ', '.join(needed) if needed else ''}", tuple(needed))
        return
    if needed and target.type_name is not None:
        parsed = _parse(model, target.type_name, text, "R46", target.names)
        used = set() if isinstance(parsed, Fault) else {path for path, _ in parsed.paths}
        missing = [name for name in needed if name not in used]
        if missing:
            yield Fault("R47", f"the filter must also use {', '.join(missing)}", tuple(missing))
