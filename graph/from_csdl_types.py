"""Entity, complex, enumeration and defined types as triples. Own members only: readers follow ``od:baseType``."""

from graph.iris import member_iri, service_iri, type_iri
from graph.nquads import GraphWriter
from graph.property_facts import write_property
from graph.statements import CORE, Statements, flag_statement, records, texts, write_texts
from graph.vocabulary import OD
from odata.csdl_checks import ancestry
from odata.csdl_model import EnumType, NavigationProperty, ServiceDocument, StructuredType, TypeDefinition

__all__ = ["CARDINALITIES", "write_types"]

CARDINALITIES = {"0..1": OD.ZeroOrOne, "1": OD.One, "*": OD.Many}


def write_types(writer: GraphWriter, service: str, document: ServiceDocument) -> None:
    """All types of the document."""
    for structured in document.types.values():
        _write_structured(writer, service, document, structured)
    for enum in document.enums.values():
        _write_enum(writer, service, document, enum)
    for definition in document.type_definitions.values():
        _write_definition(writer, service, document, definition)


def stated_of(document: ServiceDocument, target: str, sap: dict[str, str] | None = None) -> Statements:
    """What the document states of an annotation target."""
    return Statements(document.annotations.get(target, ()), sap or {}, document.language_of(target))


def _write_structured(writer: GraphWriter, service: str, document: ServiceDocument, item: StructuredType) -> None:
    iri = type_iri(service, item.name)
    writer.type(iri, OD.EntityType if item.kind == "entity" else OD.ComplexType)
    writer.iri(iri, OD.inService, service_iri(service))
    writer.text(iri, OD.qualifiedName, item.name)
    if item.base:
        writer.iri(iri, OD.baseType, type_iri(service, item.base))
    writer.flag(iri, OD.abstract, item.abstract)
    writer.flag(iri, OD.openType, item.open)
    writer.flag(iri, OD.hasStream, item.has_stream)
    stated = stated_of(document, item.name, dict(item.sap))
    write_texts(writer, iri, stated)
    for position, (path, alias) in enumerate(item.keys):
        key = member_iri(iri, f"key-{position}")
        writer.iri(iri, OD.key, key)
        writer.text(key, OD.path, path)
        writer.text(key, OD.alias, alias)
        writer.integer(key, OD.position, position)
    _write_alternate_keys(writer, iri, stated)
    for position, member in enumerate(item.properties):
        node = member_iri(iri, member.name)
        writer.type(node, OD.Property)
        writer.iri(iri, OD.property, node)
        write_property(
            writer, node, member, position, stated_of(document, f"{item.name}/{member.name}", dict(member.sap))
        )
    _write_refinements(writer, document, iri, item)
    for position, navigation in enumerate(item.navigations):
        _write_navigation(writer, service, document, item.name, navigation, position)


def _write_alternate_keys(writer: GraphWriter, iri: str, stated: Statements) -> None:
    """``Core.AlternateKeys``, as the key itself is written, below a node of their own."""
    for number, record in enumerate(records(stated.value(f"{CORE}.AlternateKeys"))):
        node = member_iri(iri, f"alternate-key-{number}")
        writer.iri(iri, OD.alternateKey, node)
        writer.integer(node, OD.position, number)
        for position, part in enumerate(records(record.values.get("Key"))):
            key = member_iri(node, f"key-{position}")
            writer.iri(node, OD.key, key)
            writer.text(key, OD.path, next(iter(texts(part.values.get("Name"))), ""))
            writer.text(key, OD.alias, next(iter(texts(part.values.get("Alias"))), ""))
            writer.integer(key, OD.position, position)


def _write_refinements(writer: GraphWriter, document: ServiceDocument, iri: str, item: StructuredType) -> None:
    """Inherited properties that annotations of this type say more of: the declaration again, with what is said here first."""
    own = {member.name for member in item.properties}
    for part in ancestry(document.types, item.name)[:-1] if item.base else ():
        for position, member in enumerate(part.properties):
            here = document.annotations.get(f"{item.name}/{member.name}", ())
            if not here or member.name in own:
                continue
            said = {(annotation.term, annotation.qualifier) for annotation in here}
            target = f"{part.name}/{member.name}"
            there = (more for more in document.annotations.get(target, ()) if (more.term, more.qualifier) not in said)
            node = member_iri(iri, member.name)
            writer.type(node, OD.Property)
            writer.iri(iri, OD.refinement, node)
            stated = Statements((*here, *there), member.sap, document.language_of(item.name))
            write_property(writer, node, member, position, stated)


def _write_navigation(
    writer: GraphWriter, service: str, document: ServiceDocument, owner: str, item: NavigationProperty, position: int
) -> None:
    owner_iri = type_iri(service, owner)
    iri = member_iri(owner_iri, item.name)
    writer.type(iri, OD.NavigationProperty)
    # One that leads nowhere is kept, under a link of its own: no call can go along it.
    writer.iri(owner_iri, OD.navigation if item.target else OD.unresolvedNavigation, iri)
    writer.text(iri, OD.name, item.name)
    writer.integer(iri, OD.position, position)
    if item.target:
        writer.iri(iri, OD.targetType, type_iri(service, item.target))
        writer.iri(iri, OD.cardinality, CARDINALITIES[item.multiplicity])
        writer.boolean(iri, OD.nullable, item.nullable)
    writer.text(iri, OD.partner, item.partner)
    writer.flag(iri, OD.contains, item.contained)
    writer.text(iri, OD.onDelete, item.on_delete)
    writer.text(iri, OD.association, item.association)
    writer.text(iri, OD.role, item.role)
    writer.integer(iri, OD.line, item.line or None)
    stated = stated_of(document, f"{owner}/{item.name}", dict(item.sap))
    write_texts(writer, iri, stated)
    insertable = flag_statement(item.sap, "creatable")
    if insertable is not None:
        writer.iri(iri, OD.deepInsert, OD.Verified if insertable else OD.Denied)
        writer.text(iri, OD.deepInsertSource, "sap:creatable")
    for number, (dependent, principal) in enumerate(item.constraints):
        _write_constraint(writer, iri, OD.constraint, f"constraint-{number}", dependent, principal, number)
    for number, (principal, dependent) in enumerate(item.target_constraints):
        _write_constraint(writer, iri, OD.targetConstraint, f"target-constraint-{number}", dependent, principal, number)


def _write_constraint(
    writer: GraphWriter, iri: str, predicate: str, name: str, dependent: str, principal: str, number: int
) -> None:
    node = member_iri(iri, name)
    writer.iri(iri, predicate, node)
    writer.type(node, OD.ReferentialConstraint)
    writer.text(node, OD.dependent, dependent)
    writer.text(node, OD.principal, principal)
    writer.integer(node, OD.position, number)


def _write_enum(writer: GraphWriter, service: str, document: ServiceDocument, item: EnumType) -> None:
    iri = type_iri(service, item.name)
    writer.type(iri, OD.EnumType)
    writer.iri(iri, OD.inService, service_iri(service))
    writer.text(iri, OD.qualifiedName, item.name)
    writer.text(iri, OD.underlyingType, item.underlying)
    writer.flag(iri, OD.flags, item.flags)
    write_texts(writer, iri, stated_of(document, item.name))
    for position, (name, value) in enumerate(item.members):
        node = member_iri(iri, name)
        writer.iri(iri, OD.member, node)
        writer.type(node, OD.EnumMember)
        writer.text(node, OD.name, name)
        writer.integer(node, OD.value, value)
        writer.integer(node, OD.position, position)
        write_texts(writer, node, stated_of(document, f"{item.name}/{name}"))


def _write_definition(writer: GraphWriter, service: str, document: ServiceDocument, item: TypeDefinition) -> None:
    iri = type_iri(service, item.name)
    writer.iri(iri, OD.inService, service_iri(service))
    writer.text(iri, OD.qualifiedName, item.name)
    write_property(writer, iri, item.facets, 0, stated_of(document, item.name))
    writer.type(iri, OD.TypeDefinition)
    writer.text(iri, OD.underlyingType, item.facets.type)
