"""Counts per structural class as programs that we did not write find them. None of them is needed to run the product.

Each counter takes the bytes of a file and gives class -> number of elements; what the program cannot read is an exception of
its own, whose text becomes the reason.
"""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

from evaluation.fidelity.readable import BPMN

Counts = dict[str, int]
Counter = Callable[[bytes], Counts]
# What SpiffWorkflow calls its own: a start and joins that no file holds, and one wrapper for each subprocess and loop.
_SPIFF_EVENTS = ("StartEvent", "EndEvent", "IntermediateCatchEvent", "IntermediateThrowEvent")
_SPIFF_GATEWAYS = ("ExclusiveGateway", "InclusiveGateway", "ParallelGateway", "EventBasedGateway", "ComplexGateway")


def count_with_pyodata(data: bytes) -> Counts:
    """V2 by pyodata, errors ignored where it can ignore them."""
    model = importlib.import_module("pyodata.v2.model")
    config = model.Config(default_error_policy=model.PolicyIgnore(), retain_null=True)
    schema = model.MetadataBuilder(data, config=config).build()
    entity_types = list(schema.entity_types)
    structured = [*entity_types, *(item for item in schema.complex_types if not item.is_collection)]
    return {
        "entity_sets": len(list(schema.entity_sets)),
        "entity_types": len(entity_types),
        "complex_types": len(structured) - len(entity_types),
        "enum_types": len(list(schema.enum_types)),
        "properties": sum(len(item.proprties()) for item in structured),
        "keys": sum(len(item.key_proprties) for item in entity_types),
        "navigation_properties": sum(len(item.nav_proprties) for item in entity_types),
        "operation_imports": len(list(schema.function_imports)),
        "associations": len(list(schema.associations)),
    }


def count_with_odatapy(data: bytes) -> Counts:
    """V4 by the server library odatapy."""
    provider = importlib.import_module("odatapy.edm.xml_io").XmlEdmProvider(data)
    schemas = provider.get_schemas()
    containers = [schema.entity_container for schema in schemas if schema.entity_container is not None]
    structured = [item for schema in schemas for item in (*schema.entity_types, *schema.complex_types)]
    return {
        "entity_sets": sum(len(item.entity_sets) for item in containers),
        "singletons": sum(len(item.singletons) for item in containers),
        "entity_types": sum(len(schema.entity_types) for schema in schemas),
        "complex_types": sum(len(schema.complex_types) for schema in schemas),
        "enum_types": sum(len(schema.enum_types) for schema in schemas),
        "type_definitions": sum(len(schema.type_definitions) for schema in schemas),
        "properties": sum(len(item.properties) for item in structured),
        "keys": sum(len(item.key) for schema in schemas for item in schema.entity_types),
        "navigation_properties": sum(len(item.navigation_properties) for item in structured),
        "operations": sum(len(schema.actions) + len(schema.functions) for schema in schemas),
        "operation_imports": sum(len(item.action_imports) + len(item.function_imports) for item in containers),
    }


def count_with_spiffworkflow(data: bytes) -> Counts:
    """BPMN by SpiffWorkflow (LGPL: only here, and only where somebody installed it)."""
    etree = importlib.import_module("lxml.etree")
    parser = importlib.import_module("SpiffWorkflow.bpmn.parser").BpmnParser()
    safe = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(data, safe)
    for process in root.iter(f"{{{BPMN}}}process"):
        # It reads executable processes only; models drawn for people are none, though nothing else tells them apart.
        process.set("isExecutable", "true")
    parser.add_bpmn_xml(root)
    identities = list(parser.process_parsers)
    specs: dict[str, Any] = {}
    for identity in identities:
        specs[identity] = parser.get_spec(identity)
        specs.update(parser.get_subprocess_specs(identity, require_call_activity_specs=False))
    named = [
        spec for process in specs.values() for spec in process.task_specs.values() if getattr(spec, "bpmn_id", None)
    ]
    kinds = {spec.bpmn_id: type(spec).__name__ for spec in named}
    found = list(kinds.values())
    return {
        "processes": len(identities),
        "gateways": sum(kind in _SPIFF_GATEWAYS for kind in found),
        "events": sum(kind in _SPIFF_EVENTS for kind in found),
        "boundary_events": sum(kind == "BoundaryEvent" for kind in found),
        "call_activities": sum(kind == "CallActivity" for kind in found),
    }


PROGRAMS: Mapping[str, tuple[str, Counter]] = {
    "pyodata": ("V2", count_with_pyodata),
    "odatapy": ("V4", count_with_odatapy),
    "SpiffWorkflow": ("bpmn", count_with_spiffworkflow),
}


def installed() -> dict[str, tuple[str, Counter]]:
    """The programs that can be imported here."""
    return {name: entry for name, entry in PROGRAMS.items() if importlib.util.find_spec(name) is not None}
