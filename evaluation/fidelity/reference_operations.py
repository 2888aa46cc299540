"""Operations, imports and parameters as the independent reader finds them."""

from collections.abc import Iterator

from embedded.odata_service.csdl_model import Document, EntityContainer, Operation, OperationImport, Parameter
from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.reference_csdl import parameter_facts, return_facts

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "MERGE")


def operation_facts(document: Document, table: FactTable) -> None:
    """Actions and functions of V4 by overload, and what containers offer of them."""
    for operation in operations_of(document):
        _operation(operation, table)
    for container in document.containers.values():
        for item in imports_of(container, document.version == "V2"):
            _import(f"{container.name}/{item.name}", item, container, document, table)


def operations_of(document: Document) -> Iterator[Operation]:
    """Overloads; what V2 and V3 call Function is a database function, which no service offers."""
    if document.version == "V4":
        for group in document.operations.values():
            # What the types do not tell apart is no overload (CSDL 4.01 section 12.2): the first one counts.
            found: dict[str, Operation] = {}
            for operation in group:
                found.setdefault(signature(operation), operation)
            yield from found.values()


def imports_of(container: EntityContainer, old: bool) -> Iterator[OperationImport]:
    """Imports that can be named; of V4 those that say what they import."""
    yield from (item for item in container.imports.values() if item.name and (old or item.operation))


def signature(operation: Operation) -> str:
    """The target path of an overload (CSDL 4.01 section 14.2.1): an action is told apart by its binding parameter only."""
    shown = operation.parameters
    if operation.kind == "Action":
        shown = shown[:1] if operation.is_bound else []
    return f"{operation.name}({','.join(str(parameter.type) for parameter in shown)})"


def shown_parameters(operation: Operation) -> list[Parameter]:
    """Parameters that a caller gives."""
    return named_once(operation.parameters[1:] if operation.is_bound else operation.parameters)


def named_once(parameters: list[Parameter]) -> list[Parameter]:
    """Parameters with a name, the first of each."""
    found: dict[str, Parameter] = {}
    for parameter in parameters:
        if parameter.name:
            found.setdefault(parameter.name, parameter)
    return list(found.values())


def _operation(operation: Operation, table: FactTable) -> None:
    path = signature(operation)
    table.add("operations", path, "kind", operation.kind)
    table.add("operations", path, "qualifiedName", operation.name)
    if operation.is_composable:
        table.add("operations", path, "composable", "true")
    if operation.entity_set_path:
        table.add("operations", path, "entitySetPath", operation.entity_set_path)
    if operation.is_bound and operation.parameters:
        binding = operation.parameters[0]
        table.add("operations", path, "boundTo", str(binding.type))
        table.add("operations", path, "bindingParameter", binding.name)
    if operation.returns is not None:
        table.add_all("operations", (path, "returns"), return_facts(operation.returns))
    _parameters(path, shown_parameters(operation), table)


def _parameters(path: str, parameters: list[Parameter], table: FactTable) -> None:
    for position, parameter in enumerate(parameters):
        table.add("parameters", f"{path}/{parameter.name}", "position", str(position))
        table.add_all("parameters", (f"{path}/{parameter.name}",), parameter_facts(parameter))


def _import(path: str, item: OperationImport, container: EntityContainer, document: Document, table: FactTable) -> None:
    old = document.version == "V2"
    if old:
        table.add("operation_imports", path, "kind", "FunctionImport")
    else:
        table.add("operation_imports", path, "kind", "Action" if item.kind == "ActionImport" else "Function")
        for overload in operations_of(document):
            if overload.name == item.operation and not overload.is_bound:
                table.add("operation_imports", path, "operation", signature(overload))
    table.add("operation_imports", path, "httpMethod", _method(item, old))
    if item.entity_set:
        head, slash, rest = item.entity_set.partition("/")
        target = item.entity_set if old else (document.resolve(head) + slash + rest).removeprefix(f"{container.name}/")
        table.add("operation_imports", path, "entitySet", target)
    if item.include_in_service_document and not old:
        table.add("operation_imports", path, "inServiceDocument", "true")
    if item.bindable and old:
        table.add("operation_imports", path, "bindable", "true")
    if item.returns is not None and old:
        table.add_all("operation_imports", (path, "returns"), return_facts(item.returns))
    _parameters(path, named_once(item.parameters) if old else [], table)


def _method(item: OperationImport, old: bool) -> str:
    """The verb that invokes it: stated in V2, by side effects in V3, by kind in V4. An unknown verb may change things."""
    if not old:
        return "POST" if item.kind == "ActionImport" else "GET"
    if item.http_method is None:
        return "POST" if item.side_effecting else "GET"
    stated = item.http_method.upper()
    return stated if stated in _METHODS else "POST"
