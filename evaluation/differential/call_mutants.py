"""Mutants of what stands around a body: endpoint, method, key, path, query and parameters."""

from collections.abc import Iterator
from typing import Any

from evaluation.differential.bad_values import values_for
from evaluation.differential.samples import Draft
from odata.model import Model
from odata.path import Resource
from wire.call import ProposedCall
from wire.endpoint import Property


def _changed(call: ProposedCall, rule: str, pointer: str, why: str, kind: str = "mutant", **fields: Any) -> Draft:
    good = kind == "neighbour"
    return Draft("neighbour" if good else "mutant", rule, pointer, call.model_copy(update=fields), why)


def call_mutants(model: Model, call: ProposedCall, resource: Resource) -> Iterator[Draft]:
    """All mutants of one valid call outside of its body."""
    if call.key:
        yield from _keys(model, call)
    if not resource.operations:
        yield from _methods(model, call, resource)
        if call.method == "GET":
            yield from _queries(model, call, resource)
            yield from _paths(call, resource)
    else:
        yield from _operations(model, call, resource)


def _keys(model: Model, call: ProposedCall) -> Iterator[Draft]:
    key = dict(call.key or {})
    entity = model.types[model.contract.entity_type or ""]
    first = next(iter(key))
    if len(key) > 1:
        rest = {n: v for n, v in key.items() if n != first}
        yield _changed(call, "R44", f"/key/{first}", "a part is missing", key=rest)
        yield _changed(call, "R44", "", "parts in another order", "neighbour", key=dict(reversed(list(key.items()))))
    yield _changed(call, "R44", "/key/NoSuchKey", "an unknown name", key={**key, "NoSuchKey": "x"})
    prop = model.properties[entity.name].get(first)
    if prop is not None and (wrong := _wrong_literal(model, prop)) is not None:
        yield _changed(call, "R44", f"/key/{first}", "a literal of another type", key={**key, first: wrong})
    if call.path is None and call.method in ("PATCH", "DELETE"):
        yield _changed(call, "R44", "/key", "no key", key=None)


def _wrong_literal(model: Model, prop: Property) -> Any:
    resolved = model.underlying(prop).type
    if resolved == "Edm.String":
        return 4711
    return "x y" if resolved in ("Edm.Int32", "Edm.Int16", "Edm.Guid", "Edm.Byte") else None


def _methods(model: Model, call: ProposedCall, resource: Resource) -> Iterator[Draft]:
    if resource.singleton and call.method in ("PATCH", "GET"):
        yield _changed(call, "R42", "/method", "a singleton", method="DELETE", payload=None)
    elif call.method == "POST" and call.path is None:
        key = {name: "A07" for name in (resource.type.keys if resource.type else ())}
        yield _changed(call, "R44", "/key", "a create with a key", key=key)


def _paths(call: ProposedCall, resource: Resource) -> Iterator[Draft]:
    if call.key is not None and resource.type is not None:
        path = (*(call.path or ()), "NoSuchSegment")
        yield _changed(call, "R01", f"/path/{len(path) - 1}", "an unknown segment", path=path)


def _queries(model: Model, call: ProposedCall, resource: Resource) -> Iterator[Draft]:
    if resource.type is None:
        return
    limited = {path for path, _ in model.contract.restrictions.filter_expressions}
    texts = [p for p in resource.type.properties if p.type == "Edm.String" and not p.collection and p.filterable]
    names = [p.name for p in texts if not p.filter_restriction and p.name not in limited]
    text = names[0] if names else ""
    options = _MANY if resource.many else ()
    for rule, name, value, why, good in (*options, *_ANY):
        if good and (not text or not _supported(model, name)):
            continue
        if resource.type.open and value in ("NoSuchName", "NoSuchName eq 'a'") and name is not _EXPAND:
            # On an open type the name may be that of a dynamic property (URL Conventions 4.01, 5.1.1.15).
            good = True
        if isinstance(value, tuple):
            value = value[0 if model.v4 else 1]
        if value is None:
            continue
        query = {**(call.query or {}), name[0 if model.v4 else 1]: value.replace("TEXT", text)}
        if resource.many or not good:
            kind = "neighbour" if good else "mutant"
            yield _changed(call, rule, f"/query/{name[0 if model.v4 else 1]}", why, kind, query=query)
    if text:
        yield from _typed(model, call, resource, text)


_SAME = ("$filter", "$filter")
_ORDER, _SELECT, _EXPAND = ("$orderby", "$orderby"), ("$select", "$select"), ("$expand", "$expand")
# rule, option in V4 and V2, value in V4 and V2 (one when the same), why, whether it is good
_MANY: tuple[tuple[str, tuple[str, str], Any, str, bool], ...] = (
    ("R46", _SAME, "NoSuchName eq 'a'", "an unknown property", False),
    ("R46", _SAME, "concat(", "no expression", False),
    ("R46", _SAME, ("substringof('a',TEXT)", "contains(TEXT,'a')"), "a function of the other version", False),
    ("R46", _SAME, "nosuchfunction(TEXT) eq 1", "an unknown function", False),
    ("R48", _ORDER, "NoSuchName", "an unknown property", False),
    ("R48", _ORDER, "TEXT upwards", "no direction", False),
    ("R49", ("$inlinecount", "$count"), ("allpages", "true"), "an option of the other version", False),
    ("R49", ("$count", "$inlinecount"), ("true", "allpages"), "the version's count", True),
    ("R50", ("$top", "$top"), "-1", "negative", False),
    ("R50", ("$skip", "$skip"), "x", "no number", False),
    ("R50", ("$top", "$top"), "0", "zero", True),
)
_ANY: tuple[tuple[str, tuple[str, str], Any, str, bool], ...] = (
    ("R48", _SELECT, "NoSuchName", "an unknown property", False),
    ("R48", _EXPAND, "NoSuchName", "an unknown navigation", False),
    ("R50", ("$nosuch", "$nosuch"), "1", "an unknown option", False),
)


def _supported(model: Model, name: tuple[str, str]) -> bool:
    limits = model.contract.restrictions
    return limits.top if "$top" in name else limits.count if "$count" in name else True


def _typed(model: Model, call: ProposedCall, resource: Resource, text: str) -> Iterator[Draft]:
    """Literals of the wrong type or the wrong version, and good expressions."""
    query = call.query or {}
    if not resource.many:
        yield _changed(call, "R50", "/query/$filter", "a filter on one entity", query={"$filter": f"{text} eq 'a'"})
        return
    other = f"{text} eq datetime'2026-01-01T00:00:00'" if model.v4 else f"{text} eq 2026-01-01"
    for rule, value, why in (("R46", f"{text} eq 5", "a number for a string"), ("R45", other, "the other version's")):
        yield _changed(call, rule, "/query/$filter", why, query={**query, "$filter": value})
    good = [f"({text} eq 'O''Neil' or not ({text} ne null)) and length({text}) gt 0", f"startswith({text},'A')"]
    good.append(f"contains({text},'a')" if model.v4 else f"substringof('a',{text})")
    limits = model.contract.restrictions
    open_to_all = text not in limits.non_filterable and limits.filterable
    for value in good if open_to_all and resource.at_set == call.endpoint else ():
        yield _changed(call, "R46", "", f"a filter: {value}", "neighbour", query={**query, "$filter": value})
    if (nav := next(iter(resource.type.navigations if resource.type else ()), None)) is not None and not model.v4:
        nested = {**query, "$expand": f"{nav.name}($select=x)"}
        yield _changed(call, "R49", "/query/$expand", "nested options", query=nested)


def _operations(model: Model, call: ProposedCall, resource: Resource) -> Iterator[Draft]:
    operation = resource.operations[0]
    given = dict(call.payload or {})
    yield _changed(call, "R51", "/payload/NoSuchParameter", "unknown", payload={**given, "NoSuchParameter": 1})
    for parameter in operation.parameters:
        if parameter.required and not parameter.nullable and parameter.default is None and not parameter.collection:
            rest = {n: v for n, v in given.items() if n != parameter.name}
            yield _changed(call, "R51", f"/payload/{parameter.name}", "a parameter is missing", payload=rest or None)
        if parameter.name in given and parameter.type not in model.types and not parameter.collection:
            for bad in values_for(model, parameter):
                changed = {**given, parameter.name: bad.value}
                kind = "neighbour" if bad.good else "mutant"
                yield _changed(call, bad.rule, f"/payload/{parameter.name}", bad.why, kind, payload=changed)
    other = "ACTION" if call.method == "GET" else "GET"
    yield _changed(call, "R51", "/method", "the other method", method=other)
    if call.path:
        bare = (*call.path[:-1], call.path[-1].rsplit(".", 1)[-1])
        yield _changed(call, "R52", f"/path/{len(bare) - 1}", "the unqualified name", path=bare)
        if call.key is not None:
            yield _changed(call, "R52", "/key", "no key for what is bound to one", key=None)
