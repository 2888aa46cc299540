"""Which EntitySets of a service list the values of its properties, and how to read each (pure).

The pointers are ``Common.ValueList`` (V4 and annotated V2): ``CollectionPath`` names the set, the Out or InOut parameter of
the property itself its key. A bare ``sap:value-list`` says only that a list exists somewhere, and cannot be followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from pyoxigraph import RdfFormat, parse

from graph.code_snapshot import CodesOfSet, PropertyRef, codes_source_name
from graph.facts import Facts
from graph.from_csdl import write_service
from graph.iris import service_iri
from graph.sources import SourceFile
from graph.vocabulary import OD
from odata.csdl import read_root
from odata.csdl_policy import CsdlPolicy
from odata.safe_xml import parse_document
from odata.url_literals import encode_query_value, encode_segment, format_literal
from wire.endpoint import ODataVersion

_OUT = ("Out", "InOut")
_IN = ("In", "InOut")


@dataclass
class ListPlan:
    """One request. ``path`` is below the service root, percent-encoded; ``properties`` take their values from it."""

    entity_set: str
    key: str
    text: str
    filter: str
    path: str
    properties: list[PropertyRef] = field(default_factory=list)


@dataclass(frozen=True)
class _Pointer:
    """What one ``Common.ValueList`` says; ``depends`` when other properties narrow the list."""

    entity_set: str
    key: str
    shown: tuple[str, ...]
    constants: tuple[tuple[str, str], ...]
    depends: bool


def service_facts(service: str, metadata: SourceFile) -> tuple[Facts, ODataVersion]:
    """The triples of one metadata document, and its version. Raises ``MetadataError``."""
    data = metadata.read()
    root = parse_document(data, metadata.shown)
    document = read_root(root, data, metadata.shown, CsdlPolicy())
    facts = Facts()
    for quad in parse("".join(write_service(service, document).lines()).encode(), RdfFormat.N_QUADS):
        facts.add(quad)
    return facts, document.version


def plan_value_lists(service: str, facts: Facts, version: str, top: int) -> tuple[list[ListPlan], list[str]]:
    """Requests for all lists in this service, each once, and one line a reason for those that cannot be read."""
    types = {
        facts.text(iri, OD.name): facts.text(iri, OD.entityType) for iri in facts.all(service_iri(service), OD.endpoint)
    }
    plans: dict[tuple[str, ...], ListPlan] = {}
    elsewhere = bare = 0
    for iri, members in facts.subjects():
        if OD.valueListKind not in members:
            continue
        pointer = next((found for found in _pointers(facts, iri) if types.get(found.entity_set)), None)
        owner = _owner(service, iri)
        if pointer is None or owner is None:
            elsewhere, bare = elsewhere + (OD.uri in members or OD.valueList in members), bare + 1
            continue
        plan = _plan(facts, pointer, types[pointer.entity_set], version, top)
        held = plans.setdefault((plan.entity_set, plan.key, plan.filter), plan)
        fixed = facts.text(iri, OD.valueListKind) == "fixed-values" and not pointer.depends
        held.properties.append(PropertyRef(owner, facts.text(iri, OD.name), fixed))
    for plan in plans.values():
        plan.properties.sort(key=lambda item: (item.owner, item.name))
    return sorted(plans.values(), key=lambda item: item.path), _notes(service, elsewhere, bare - elsewhere)


def _notes(service: str, elsewhere: int, bare: int) -> list[str]:
    told = codes_source_name(service)
    lines = [f"{told}: {elsewhere} properties have their value list in another service"] if elsewhere else []
    return [*lines, f"{told}: {bare} properties have a value list that names no EntitySet"] if bare else lines


def _pointers(facts: Facts, iri: str) -> list[_Pointer]:
    """Pointers within the service that name a key, unqualified ones first."""
    found = []
    name = facts.text(iri, OD.name)
    for node in sorted(facts.all(iri, OD.valueList), key=lambda item: (facts.text(item, OD.qualifier), item)):
        parameters = [
            tuple(
                facts.text(part, term) for term in (OD.parameterKind, OD.localProperty, OD.remoteProperty, OD.constant)
            )
            for part in facts.ordered(node, OD.parameter, OD.position)
        ]
        key = next((remote for kind, local, remote, _ in parameters if kind in _OUT and local == name), "")
        if not key or facts.text(node, OD.collectionRoot):
            continue
        found.append(
            _Pointer(
                entity_set=facts.text(node, OD.collectionPath),
                key=key,
                shown=tuple(remote for kind, _, remote, _ in parameters if kind == "DisplayOnly"),
                constants=tuple((remote, value) for kind, _, remote, value in parameters if kind == "Constant"),
                depends=any(kind in _IN and local not in ("", name) for kind, local, _, _ in parameters),
            )
        )
    return found


def _owner(service: str, iri: str) -> str | None:
    """Qualified name of the type that declares the property, or the endpoint of a parameter; None for other elements."""
    kind, *names = iri.removeprefix(f"{service_iri(service)}/").split("/")
    return unquote(names[0]) if kind in ("type", "endpoint") and len(names) == 2 else None


def _plan(facts: Facts, pointer: _Pointer, entity_type: str, version: str, top: int) -> ListPlan:
    members = _members(facts, entity_type)
    text = _text_property(facts, members, pointer)
    v4 = version.startswith("4")
    clauses = [
        f"{name} eq {format_literal(facts.text(members.get(name, ''), OD.edmType) or 'Edm.String', value, v4)}"
        for name, value in pointer.constants
    ]
    condition = " and ".join(clauses)
    query = [f"$select={encode_query_value(','.join(name for name in (pointer.key, text) if name))}"]
    query += [f"$filter={encode_query_value(condition)}"] if condition else []
    path = f"{encode_segment(pointer.entity_set)}?{'&'.join(query)}&$top={top}"
    return ListPlan(pointer.entity_set, pointer.key, text, condition, path)


def _text_property(facts: Facts, members: dict[str, str], pointer: _Pointer) -> str:
    """The property that names the key, else the first that the list shows."""
    candidates = (facts.text(members.get(pointer.key, ""), OD.textProperty), *pointer.shown)
    return next((name for name in candidates if name in members and name != pointer.key), "")


def _members(facts: Facts, type_node: str) -> dict[str, str]:
    """Property name -> IRI, those of base types included."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    node: str | None = type_node
    while node and node not in seen:
        seen.add(node)
        found = {**{facts.text(iri, OD.name): iri for iri in facts.all(node, OD.property)}, **found}
        node = facts.one(node, OD.baseType)
    return found


def codes_of_rows(plan: ListPlan, rows: Sequence[Any], most: int, truncated: bool) -> CodesOfSet:
    """The codes in the rows of an answer: each once, by code, at most ``most``."""
    codes: dict[str, str] = {}
    for row in rows:
        code = row.get(plan.key) if isinstance(row, dict) else None
        if code is not None and not isinstance(code, dict | list):
            text = row.get(plan.text) if plan.text else None
            codes.setdefault(_plain(code), text if isinstance(text, str) else "")
    ordered = tuple(sorted(codes.items()))
    cut = truncated or len(rows) > most
    return CodesOfSet(plan.entity_set, plan.key, plan.text, plan.filter, cut, ordered[:most], tuple(plan.properties))


def _plain(value: str | bool | int | float | Decimal) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
