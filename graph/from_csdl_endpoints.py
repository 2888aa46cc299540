"""EntitySets, Singletons, imports and operations as triples."""

from collections.abc import Iterator

from graph.from_csdl_types import stated_of
from graph.iris import association_set_iri, endpoint_iri, member_iri, operation_iri, service_iri, type_iri
from graph.nquads import GraphWriter
from graph.property_facts import write_facets, write_property
from graph.set_facts import navigation_insert_statements, write_restrictions
from graph.statements import Statements, write_texts
from graph.vocabulary import OD
from odata.csdl_model import Annotation, EntitySet, Operation, OperationImport, Property, ServiceDocument


def write_endpoints(writer: GraphWriter, service: str, document: ServiceDocument) -> None:
    """Everything that a call can address."""
    for entity_set in document.entity_sets:
        _write_set(writer, service, document, entity_set)
    for item in document.imports:
        _write_import(writer, service, document, item)
    for operation in document.operations:
        _write_operation(writer, service, document, operation)
    for name, group in _bound_operations(document):
        _write_bound(writer, service, document, name, group)
    _write_association_sets(writer, service, document)


def address_of(document: ServiceDocument, container: str, name: str) -> str:
    """The name used in URLs: members of a container that is not the service's carry its name (qualified where it has to be)."""
    plain = _service_containers(document)
    if not plain or container in plain:
        return name
    simple = container.rpartition(".")[2]
    others = [item.name for item in document.containers if item.name not in plain]
    shared = sum(other.rpartition(".")[2] == simple for other in others) > 1
    return f"{container if shared else simple}.{name}"


def _service_containers(document: ServiceDocument) -> list[str]:
    """The container of the service with those that it extends (CSDL 4.01 section 13.3), whose members are its own."""
    extended = {item.name: item.extends for item in document.containers}
    defaults = [item.name for item in document.containers if item.default]
    current = next((name for name in defaults if name not in extended.values()), next(iter(defaults), ""))
    found: list[str] = []
    while current in extended and current not in found:
        found.append(current)
        current = extended[current]
    return found


def _write_set(writer: GraphWriter, service: str, document: ServiceDocument, item: EntitySet) -> None:
    address = address_of(document, item.container, item.name)
    iri = endpoint_iri(service, address)
    writer.type(iri, OD.EntitySet if item.kind == "EntitySet" else OD.Singleton)
    stated = stated_of(document, f"{item.container}/{item.name}", dict(item.sap))
    _write_common(writer, service, iri, address, item.container, stated)
    writer.iri(iri, OD.entityType, type_iri(service, item.entity_type))
    if not item.in_service_document:
        writer.boolean(iri, OD.inServiceDocument, False)
    writer.integer(iri, OD.line, item.line or None)
    write_restrictions(writer, iri, stated, stated_of(document, item.container))
    for number, (path, target) in enumerate(item.bindings):
        node = member_iri(iri, f"binding-{number}")
        writer.iri(iri, OD.binding, node)
        writer.text(node, OD.bindingPath, path)
        writer.text(node, OD.bindingTarget, target)
    for number, (path, allowed) in enumerate(sorted(navigation_insert_statements(stated).items())):
        node = member_iri(iri, f"navigation-restriction-{number}")
        writer.iri(iri, OD.navigation, node)
        writer.text(node, OD.path, path)
        writer.iri(node, OD.deepInsert, OD.Verified if allowed else OD.Denied)


def _write_common(
    writer: GraphWriter, service: str, iri: str, address: str, container: str, stated: Statements
) -> None:
    writer.iri(service_iri(service), OD.endpoint, iri)
    writer.text(iri, OD.name, address)
    writer.text(iri, OD.container, container)
    write_texts(writer, iri, stated)


def _write_import(writer: GraphWriter, service: str, document: ServiceDocument, item: OperationImport) -> None:
    address = address_of(document, item.container, item.name)
    iri = endpoint_iri(service, address)
    target = f"{item.container}/{item.name}"
    stated = stated_of(document, target, dict(item.sap))
    kinds = {"FunctionImport": OD.FunctionImport, "ActionImport": OD.Action, "V4FunctionImport": OD.Function}
    writer.type(iri, kinds[item.kind])
    writer.text(iri, OD.httpMethod, item.http_method)
    writer.text(iri, OD.entitySet, item.entity_set)
    writer.text(iri, OD.actionFor, item.sap.get("action-for"))
    writer.flag(iri, OD.bindable, item.bindable)
    writer.flag(iri, OD.inServiceDocument, item.in_service_document)
    writer.integer(iri, OD.line, item.line or None)
    overloads = [op for op in document.operations if op.name == item.operation and not op.bound]
    for overload in overloads:
        writer.iri(iri, OD.operation, operation_iri(service, overload.signature))
    if overloads:
        # The import speaks first, what it leaves open its operation says.
        said = (*document.annotations.get(target, ()), *_operation_annotations(document, overloads[0]))
        stated = Statements(said, item.sap, stated.language)
    _write_common(writer, service, iri, address, item.container, stated)
    _write_parameters(writer, document, iri, item.parameters, target)
    _write_return(writer, iri, item.returns)


def _operation_annotations(document: ServiceDocument, item: Operation) -> tuple[Annotation, ...]:
    return (*document.annotations.get(item.signature, ()), *document.annotations.get(item.name, ()))


def _write_operation(writer: GraphWriter, service: str, document: ServiceDocument, item: Operation) -> None:
    iri = operation_iri(service, item.signature)
    stated = Statements(_operation_annotations(document, item), {}, document.language_of(item.name))
    writer.type(iri, OD.Operation)
    writer.iri(iri, OD.inService, service_iri(service))
    writer.text(iri, OD.qualifiedName, item.name)
    writer.text(iri, OD.signature, item.signature)
    writer.text(iri, OD.kind, item.kind)
    writer.text(iri, OD.httpMethod, "POST" if item.kind == "Action" else "GET")
    writer.flag(iri, OD.composable, item.composable)
    writer.text(iri, OD.entitySetPath, item.entity_set_path)
    write_texts(writer, iri, stated)
    writer.integer(iri, OD.line, item.line or None)
    if item.bound and item.parameters:
        writer.text(iri, OD.bindingParameter, item.parameters[0].name)
        writer.iri(iri, OD.boundTo, type_iri(service, item.parameters[0].type))
        writer.flag(iri, OD.boundCollection, item.parameters[0].collection)
    shown = item.parameters[1:] if item.bound else item.parameters
    _write_parameters(writer, document, iri, shown, item.signature, item.name)
    _write_return(writer, iri, item.returns)


def _bound_operations(document: ServiceDocument) -> Iterator[tuple[str, list[Operation]]]:
    """Bound operations by qualified name: their overloads are one endpoint."""
    groups: dict[str, list[Operation]] = {}
    for operation in document.operations:
        if operation.bound:
            groups.setdefault(operation.name, []).append(operation)
    yield from groups.items()


def _write_bound(
    writer: GraphWriter, service: str, document: ServiceDocument, name: str, group: list[Operation]
) -> None:
    """A bound operation is reached through a set, so its endpoint is named by its qualified name."""
    iri = endpoint_iri(service, name)
    writer.type(iri, OD.Action if group[0].kind == "Action" else OD.Function)
    writer.flag(iri, OD.bound, True)
    writer.text(iri, OD.httpMethod, "POST" if group[0].kind == "Action" else "GET")
    stated = Statements(_operation_annotations(document, group[0]), {}, document.language_of(name))
    _write_common(writer, service, iri, name, "", stated)
    for operation in group:
        writer.iri(iri, OD.operation, operation_iri(service, operation.signature))


def _write_parameters(
    writer: GraphWriter, document: ServiceDocument, iri: str, parameters: tuple[Property, ...], *targets: str
) -> None:
    language = document.language_of(targets[0])
    for position, parameter in enumerate(parameters):
        node = member_iri(iri, parameter.name)
        writer.type(node, OD.Parameter)
        writer.iri(iri, OD.parameter, node)
        found = tuple(part for target in targets for part in document.annotations.get(f"{target}/{parameter.name}", ()))
        write_property(writer, node, parameter, position, Statements(found, parameter.sap, language))


def _write_return(writer: GraphWriter, iri: str, returned: Property | None) -> None:
    if returned is None:
        return
    node = member_iri(iri, "return-type")
    writer.iri(iri, OD.returns, node)
    writer.type(node, OD.ReturnType)
    write_facets(writer, node, returned)


def _write_association_sets(writer: GraphWriter, service: str, document: ServiceDocument) -> None:
    for item in document.association_sets:
        iri = association_set_iri(service, item.container, item.name)
        writer.type(iri, OD.AssociationSet)
        writer.text(iri, OD.name, item.name)
        writer.text(iri, OD.container, item.container)
        writer.text(iri, OD.association, item.association)
        for number, (role, entity_set) in enumerate(item.ends):
            node = member_iri(iri, str(number))
            writer.iri(iri, OD.end, node)
            writer.text(node, OD.role, role)
            writer.text(node, OD.entitySet, entity_set)
