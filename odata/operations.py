"""Actions, functions and function imports: the method and the parameters of a call (R51)."""

from typing import Any

from odata.findings import Report, did_you_mean, escape
from odata.payload import PayloadWalker
from odata.plans import Plans
from odata.presence import PresenceCheck, objects
from wire.call import ProposedCall
from wire.endpoint import Operation, Property


def check_operation(
    plans: Plans, operations: tuple[Operation, ...], call: ProposedCall, report: Report
) -> Operation | None:
    """Check method and parameters; returns the overload that the call means."""
    if not operations:
        return None
    if all(method_of(op) != call.method for op in operations):
        wanted = method_of(operations[0])
        report.add("R51", "/method", f"{operations[0].name} is called by {wanted}", call.method, (wanted,), wanted)
    given = call.payload or {}
    chosen = overload_of(operations, given)
    _check_parameters(plans, chosen, given, report)
    return chosen


def method_of(operation: Operation) -> str:
    """GET for what reads, ACTION for what has an effect."""
    if operation.kind == "FunctionImport":
        return "GET" if operation.http_method == "GET" else "ACTION"
    return "GET" if operation.kind == "Function" else "ACTION"


def overload_of(operations: tuple[Operation, ...], given: dict[str, Any]) -> Operation:
    """Overloads of a function differ in the names of their parameters: the nearest one is meant."""

    def distance(operation: Operation) -> tuple[int, int]:
        names = {p.name for p in operation.parameters}
        missing = {p.name for p in operation.parameters if _is_required(operation, p)} - given.keys()
        return len(given.keys() - names) + len(missing), len(names - given.keys())

    return min(operations, key=distance)


def _is_required(operation: Operation, parameter: Property) -> bool:
    """Null and leaving out mean the same for actions and V2 imports, so a nullable parameter may be left out.

    A function is told from its overloads by the names of all its parameters (Protocol 4.01, 11.5.4.1).
    """
    if operation.kind == "Function":
        return parameter.required and parameter.default is None
    return parameter.required and not parameter.nullable and parameter.default is None and not parameter.collection


def _check_parameters(plans: Plans, operation: Operation, given: dict[str, Any], report: Report) -> None:
    walker, presence = PayloadWalker(plans, report), PresenceCheck(plans)
    parameters = {p.name: p for p in operation.parameters}
    for parameter in operation.parameters:
        if _is_required(operation, parameter) and parameter.name not in given:
            pointer = f"/payload/{escape(parameter.name)}"
            report.add(
                "R51", pointer, f"{operation.name} needs the parameter {parameter.name}", None, tuple(parameters)
            )
    for name, value in given.items():
        pointer = f"/payload/{escape(name)}"
        known = parameters.get(name)
        if known is None:
            message = f"{operation.name} has no parameter {name}"
            report.add("R51", pointer, message, value, tuple(parameters), did_you_mean(name, parameters))
        else:
            plan = plans.parameter(known)
            walker.property(plan, value, pointer)
            inner = plans.of(plan.complex_type or "", None)
            if inner is not None and inner.type.kind == "complex":
                for item, here in objects(value, pointer):
                    presence.visit(item, inner, report, here)
