"""Plain readers of the catalogue for its consistency tests: ElementTree only, so that they share nothing with the product."""

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).resolve().parents[3] / "catalogue"


def local(element: ET.Element) -> str:
    """Tag without its namespace."""
    return element.tag.rpartition("}")[2]


def children(element: ET.Element, tag: str) -> Iterator[ET.Element]:
    """Descendants with that local name, in document order."""
    return (e for e in element.iter() if local(e) == tag)


@dataclass
class EntityType:
    """Facets by property name; ``navigations`` maps a navigation to the name of its target type."""

    keys: list[str]
    properties: dict[str, dict[str, str]]
    navigations: dict[str, str] = field(default_factory=dict)


@dataclass
class Service:
    """One EDMX: ``sets`` map to entity type names, ``operations`` to what can be sent, ``required`` by annotation."""

    name: str
    version: str
    root: ET.Element
    types: dict[str, EntityType]
    sets: dict[str, str]
    operations: dict[str, set[str]]
    required: dict[str, list[str]]

    def members(self, endpoint: str) -> set[str]:
        """Properties of a set or of a type, or parameters of an operation (keys of what it is bound to included)."""
        if endpoint in self.operations:
            return self.operations[endpoint]
        return set(self.types[self.sets.get(endpoint, endpoint)].properties)

    def fields(self, set_name: str) -> EntityType:
        """The entity type behind a set."""
        return self.types[self.sets[set_name]]

    def has(self, endpoint: str) -> bool:
        """Whether a set or operation of that name exists."""
        return endpoint in self.sets or endpoint in self.operations


def _bare(type_name: str) -> str:
    return type_name.removeprefix("Collection(").removesuffix(")").rpartition(".")[2]


def _ends(root: ET.Element) -> dict[tuple[str, str], str]:
    return {
        (a.get("Name", ""), e.get("Role", "")): _bare(e.get("Type", ""))
        for a in children(root, "Association")
        for e in children(a, "End")
    }


def _entity_type(element: ET.Element, ends: dict[tuple[str, str], str]) -> EntityType:
    found = EntityType(
        [r.get("Name", "") for k in children(element, "Key") for r in children(k, "PropertyRef")],
        {p.get("Name", ""): dict(p.attrib) for p in children(element, "Property")},
    )
    for nav in children(element, "NavigationProperty"):
        v2 = ends.get((_bare(nav.get("Relationship", "")), nav.get("ToRole", "")), "")
        found.navigations[nav.get("Name", "")] = _bare(nav.get("Type", "")) or v2
    return found


def _operations(root: ET.Element, types: dict[str, EntityType]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for tag in ("FunctionImport", "Action", "Function"):
        for op in children(root, tag):
            if tag == "FunctionImport" and op.get("Function"):
                continue  # V4: only the public name of an unbound function, listed already
            parameters = list(children(op, "Parameter"))
            sent = {p.get("Name", "") for p in parameters if p.get("Name") != "_it"}
            bound = [types[_bare(p.get("Type", ""))] for p in parameters if p.get("Name") == "_it"]
            found[op.get("Name", "")] = sent.union(*(t.keys for t in bound))
    return found


def _required(root: ET.Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for block in children(root, "Annotations"):
        for value in children(block, "PropertyValue"):
            if value.get("Property") == "RequiredProperties":
                found[block.get("Target", "").rpartition("/")[2]] = [
                    p.text or "" for p in children(value, "PropertyPath")
                ]
    return found


@cache
def services() -> dict[str, Service]:
    """Every service by its file stem."""
    found = {}
    for path in sorted((CATALOGUE / "services").glob("*.edmx")):
        root = ET.parse(path).getroot()
        ends = _ends(root)
        types = {t.get("Name", ""): _entity_type(t, ends) for t in children(root, "EntityType")}
        sets = {s.get("Name", ""): _bare(s.get("EntityType", "")) for s in children(root, "EntitySet")}
        version = "V4" if root.get("Version") == "4.0" else "V2"
        found[path.stem] = Service(path.stem, version, root, types, sets, _operations(root, types), _required(root))
    return found


@cache
def processes() -> dict[str, ET.Element]:
    """Every BPMN process element by its id."""
    paths = sorted((CATALOGUE / "processes").glob("*.bpmn"))
    return {p.get("id", ""): p for f in paths for p in children(ET.parse(f).getroot(), "process")}


@cache
def rows(name: str) -> list[dict[str, str]]:
    """Rows of a CSV file by header."""
    with (CATALOGUE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def lines(name: str) -> list[dict[str, Any]]:
    """Records of a JSON Lines file."""
    return [json.loads(line) for line in (CATALOGUE / name).read_text(encoding="utf-8").splitlines()]


@cache
def seed() -> list[dict[str, Any]]:
    """Rows that the embedded services start with."""
    found: list[dict[str, Any]] = json.loads((CATALOGUE / "seed.json").read_text(encoding="utf-8"))
    return found


def service_of(row: dict[str, str], column: str = "service_file") -> Service:
    """The service that a CSV row names by file."""
    return services()[row[column].removesuffix(".edmx")]


def node_ids(process_id: str) -> set[str]:
    """Ids of all flow nodes of a process, those of subprocesses included."""
    tags = ("Event", "Task", "Gateway", "subProcess", "callActivity")
    return {e.get("id", "") for e in processes()[process_id].iter() if local(e).endswith(tags)}
