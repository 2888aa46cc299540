"""One metadata document as the independent reader finds it -> facts of the structural classes."""

from collections.abc import Iterator, Mapping

from embedded.odata_service.csdl_model import (
    Document,
    EntityContainer,
    EntitySet,
    EnumType,
    Facets,
    NavigationProperty,
    Parameter,
    Property,
    ReturnType,
    StructuredType,
    TypeDefinition,
    TypeRef,
)
from evaluation.fidelity.facts import FactTable

Said = Iterator[tuple[str, str]]


def structural_facts(document: Document, table: FactTable) -> None:
    """Everything but annotations and operations."""
    table.add("services", "version", document.protocol)
    for number, reference in enumerate(document.references):
        table.add("services", "reference", str(number), reference.uri)
        for namespace in (namespace for namespace, _ in reference.includes if namespace):
            table.add("services", "includes", str(number), namespace)
    for schema in document.schemas:
        table.add("schemas", schema.namespace, "namespace", schema.namespace)
        if schema.alias:
            table.add("schemas", schema.namespace, "alias", schema.alias)
    for container in document.containers.values():
        _container(container, document, table)
    for struct in document.types.values():
        _structured(struct, table)
    for enum in document.enums.values():
        _enum(enum, table)
    for definition in document.type_definitions.values():
        _definition(definition, table)
    _associations(document, table)


def _container(container: EntityContainer, document: Document, table: FactTable) -> None:
    table.add("containers", container.name, "name", container.name)
    if container.extends:
        table.add("containers", container.name, "extends", container.extends)
    for item in container.sets.values():
        if not item.name or not item.type:
            continue
        path = f"{container.name}/{item.name}"
        name = "entity_sets" if item.kind == "EntitySet" else "singletons"
        table.add(name, path, "type", item.type)
        if not item.include_in_service_document:
            table.add(name, path, "inServiceDocument", "false")
        for nav_path, target in _bindings(container, item, document):
            table.add("navigation_bindings", path, nav_path, target)


def _bindings(container: EntityContainer, item: EntitySet, document: Document) -> Said:
    """V4 states them; in V2 they follow from the association sets."""
    for path, target in item.bindings.items() if document.version == "V4" else ():
        segments = [document.resolve(part) if "." in part else part for part in path.split("/")]
        head, slash, rest = target.partition("/")
        resolved = document.resolve(head) + slash + rest
        yield "/".join(segments), resolved.removeprefix(f"{container.name}/")
    if document.version == "V4":
        return
    for nav in document.all_navigations(item.type).values():
        targets = [target for holder in document.containers.values() for target in _far_sets(holder, nav, item.name)]
        if targets:
            yield nav.name, targets[-1]


def _far_sets(container: EntityContainer, nav: NavigationProperty, own: str) -> Iterator[str]:
    """Sets at the far end of the association sets that have ``own`` at the near end."""
    for link in container.association_sets.values():
        if link.association != nav.relationship or len(link.ends) != 2:
            continue
        for (_, near), (far_role, far) in (link.ends, link.ends[::-1]):
            if near == own and far_role == nav.to_role and far:
                yield far


def facets(facet: Facets, sap: Mapping[str, str]) -> Said:
    """Facets that are stated; ``sap:variable-scale`` stands in for ``Scale``."""
    if facet.max_length is not None:
        yield "maxLength", str(facet.max_length)
    if facet.precision is not None:
        yield "precision", str(facet.precision)
    scale = "variable" if sap.get("variable-scale") == "true" else facet.scale
    if scale is not None:
        yield "scale", str(scale)
    if facet.unicode is False:
        yield "unicode", "false"
    if facet.fixed_length:
        yield "fixedLength", "true"
    if facet.srid:
        yield "srid", facet.srid
    if facet.collation:
        yield "collation", facet.collation


def _typed(type_ref: TypeRef, nullable: bool) -> Said:
    if type_ref.name:
        yield "edmType", type_ref.name
    if type_ref.collection:
        yield "collection", "true"
    yield "nullable", "true" if nullable else "false"


def property_facts(item: Property) -> Said:
    """Type and facets of a property."""
    yield from _typed(item.type, item.nullable)
    yield from facets(item.facets, item.sap)
    if item.default is not None:
        yield "default", item.default
    if item.concurrency_mode == "Fixed":
        yield "concurrencyToken", "true"
    if item.store_generated:
        yield "storeGenerated", item.store_generated


def parameter_facts(item: Parameter) -> Said:
    """Type and facets of a parameter."""
    yield from _typed(item.type, item.nullable)
    yield from facets(item.facets, item.sap)
    if item.mode:
        yield "mode", item.mode


def return_facts(item: ReturnType) -> Said:
    """Type and facets of a return type."""
    yield from _typed(item.type, item.nullable)
    yield from facets(item.facets, {})


def _structured(struct: StructuredType, table: FactTable) -> None:
    name = "entity_types" if struct.kind == "EntityType" else "complex_types"
    table.add(name, struct.name, "name", struct.name)
    for what, value in (("abstract", struct.abstract), ("openType", struct.open), ("hasStream", struct.has_stream)):
        if value:
            table.add(name, struct.name, what, "true")
    if struct.base:
        table.add("base_types", struct.name, struct.base)
    aliases = {path: alias for alias, path in struct.key_aliases.items()}
    for position, path in enumerate(struct.key):
        table.add("keys", struct.name, str(position), path, aliases.get(path, ""))
    for position, item in enumerate(struct.properties.values()):
        path = f"{struct.name}/{item.name}"
        table.add("properties", path, "position", str(position))
        table.add_all("properties", (path,), property_facts(item))
    for nav in struct.navigations.values():
        _navigation(f"{struct.name}/{nav.name}", nav, table)


def _navigation(path: str, nav: NavigationProperty, table: FactTable) -> None:
    table.add("navigation_properties", path, "name", nav.name)
    table.add_all("navigation_properties", (path,), _navigation_facts(nav))
    for position, (own, other) in enumerate(nav.constraints):
        dependent, principal = (own, other) if nav.constraint_declared_here else (other, own)
        side = "here" if nav.constraint_declared_here else "there"
        table.add("referential_constraints", path, side, str(position), dependent, principal)


def _navigation_facts(nav: NavigationProperty) -> Said:
    if nav.type.name:
        yield "targetType", nav.type.name
        # CSDL knows three; a document that says something else gets the one that promises least.
        yield "cardinality", {"0..1": "ZeroOrOne", "1": "One"}.get(nav.multiplicity, "Many")
        yield "nullable", "true" if nav.nullable else "false"
    for what, value in (("partner", nav.partner), ("onDelete", nav.on_delete), ("association", nav.relationship)):
        if value:
            yield what, value
    if nav.to_role:
        yield "role", nav.to_role
    if nav.contains_target:
        yield "contains", "true"


def _enum(enum: EnumType, table: FactTable) -> None:
    table.add("enum_types", enum.name, "underlyingType", enum.underlying)
    if enum.is_flags:
        table.add("enum_types", enum.name, "flags", "true")
    for position, (name, value) in enumerate(enum.members.items()):
        if name:
            table.add("enum_members", enum.name, str(position), name, str(value))


def _definition(definition: TypeDefinition, table: FactTable) -> None:
    table.add("type_definitions", definition.name, "underlyingType", definition.underlying)
    table.add_all("type_definitions", (definition.name,), facets(definition.facets, {}))


def _associations(document: Document, table: FactTable) -> None:
    for association in document.associations.values():
        table.add("associations", association.name, "name", association.name)
        for position, end in enumerate(association.ends):
            cardinality = {"0..1": "ZeroOrOne", "1": "One"}.get(end.multiplicity.strip(), "Many")
            table.add("associations", association.name, "end", str(position), end.role, end.type, cardinality)
            if end.on_delete:
                table.add("associations", association.name, "onDelete", str(position), end.on_delete)
    for container in document.containers.values():
        for link in container.association_sets.values():
            if not link.name:
                continue
            path = f"{container.name}/{link.name}"
            table.add("associations", path, "association", link.association)
            for role, entity_set in link.ends:
                table.add("associations", path, "end", role, entity_set)
