"""A structural property or parameter as triples: facets, and everything that SAP attributes and annotations add."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.iris import member_iri
from graph.nquads import GraphWriter
from graph.statements import (
    COMMON,
    CORE,
    MEASURES,
    VALIDATION,
    Statements,
    enum_members,
    flag_statement,
    number_text,
    records,
    texts,
    write_texts,
)
from graph.vocabulary import DCTERMS, OD, RDFS, SKOS
from odata.csdl_model import Path, Property, Record, Value


@dataclass(frozen=True)
class Permit:
    """One statement about writing: the permission's IRI and where it is stated."""

    value: str
    source: str


def write_property(writer: GraphWriter, iri: str, item: Property, position: int, stated: Statements) -> None:
    """All triples of one property under ``iri``; the link from its owner is the caller's."""
    write_facets(writer, iri, item)
    writer.text(iri, OD.name, item.name)
    writer.integer(iri, OD.position, position)
    write_texts(writer, iri, stated)
    _write_permissions(writer, iri, item, stated)
    _write_query_use(writer, iri, stated)
    _write_companions(writer, iri, stated)
    _write_validation(writer, iri, stated)
    _write_value_lists(writer, iri, stated)


def write_facets(writer: GraphWriter, iri: str, item: Property) -> None:
    """Type and facets; ``od:nullable`` is always there, the others only where they say something."""
    writer.text(iri, OD.edmType, item.type)
    writer.flag(iri, OD.collection, item.collection)
    writer.boolean(iri, OD.nullable, item.nullable)
    writer.integer(iri, OD.maxLength, item.max_length)
    writer.integer(iri, OD.precision, item.precision)
    writer.text(iri, OD.scale, None if item.scale is None else str(item.scale))
    if item.default is not None:
        writer.string(iri, OD.default, item.default)
    if not item.unicode:
        writer.boolean(iri, OD.unicode, False)
    writer.flag(iri, OD.fixedLength, item.fixed_length)
    writer.text(iri, OD.srid, item.srid)
    writer.text(iri, OD.collation, item.collation)
    writer.flag(iri, OD.concurrencyToken, item.concurrency)
    writer.text(iri, OD.storeGenerated, item.store_generated)
    writer.text(iri, OD.mode, item.mode)
    writer.integer(iri, OD.line, item.line or None)


def _write_permissions(writer: GraphWriter, iri: str, item: Property, stated: Statements) -> None:
    computed = stated.is_true(f"{CORE}.Computed") or item.store_generated in ("Identity", "Computed")
    writer.flag(iri, OD.computed, computed)
    writer.flag(iri, OD.computedDefault, stated.is_true(f"{CORE}.ComputedDefaultValue"))
    writer.flag(iri, OD.optional, bool(stated.all(f"{CORE}.OptionalParameter")))
    writer.flag(iri, OD.immutable, stated.is_true(f"{CORE}.Immutable"))
    writer.flag(iri, OD.mandatory, bool(enum_members(stated.value(f"{COMMON}.FieldControl")) & {"Mandatory", "7"}))
    writer.text(iri, OD.dynamicControl, stated.sap.get("field-control") or stated.path(f"{COMMON}.FieldControl"))
    creatable, updatable = creatable_statement(stated, computed), updatable_statement(stated, computed)
    if creatable is not None:
        writer.iri(iri, OD.creatable, creatable.value)
        writer.text(iri, OD.creatableSource, creatable.source)
    if updatable is not None:
        writer.iri(iri, OD.updatable, updatable.value)
        writer.text(iri, OD.updatableSource, updatable.source)


def creatable_statement(stated: Statements, computed: bool) -> Permit | None:
    """Whether a create may set the property; None when nothing says so (absence is no permission)."""
    return _common_statement(stated, computed) or _sap_statement(stated, "creatable")


def updatable_statement(stated: Statements, computed: bool) -> Permit | None:
    """Whether an update may set the property."""
    common = _common_statement(stated, computed)
    if (common is None or common.value == OD.Verified) and stated.is_true(f"{CORE}.Immutable"):
        return Permit(OD.Denied, "Core.Immutable")
    return common or _sap_statement(stated, "updatable")


def _common_statement(stated: Statements, computed: bool) -> Permit | None:
    if computed:
        return Permit(OD.Denied, "Core.Computed" if stated.is_true(f"{CORE}.Computed") else "StoreGeneratedPattern")
    if enum_members(stated.value(f"{COMMON}.FieldControl")) & {"ReadOnly", "Inapplicable", "Hidden", "1", "0"}:
        return Permit(OD.Denied, "Common.FieldControl")
    permissions = enum_members(stated.value(f"{CORE}.Permissions"))
    if permissions:
        writable = permissions & {"Write", "ReadWrite", "2", "3"}
        return Permit(OD.Verified if writable else OD.Denied, "Core.Permissions")
    return None


def _sap_statement(stated: Statements, name: str) -> Permit | None:
    value = flag_statement(stated.sap, name)
    return None if value is None else Permit(OD.Verified if value else OD.Denied, f"sap:{name}")


def _write_query_use(writer: GraphWriter, iri: str, stated: Statements) -> None:
    if flag_statement(stated.sap, "filterable") is False:
        writer.boolean(iri, OD.filterable, False)
    if flag_statement(stated.sap, "sortable") is False:
        writer.boolean(iri, OD.sortable, False)
    writer.flag(iri, OD.requiredInFilter, flag_statement(stated.sap, "required-in-filter") is True)
    writer.text(iri, OD.filterRestriction, stated.sap.get("filter-restriction"))


def _write_companions(writer: GraphWriter, iri: str, stated: Statements) -> None:
    writer.text(iri, OD.textProperty, stated.sap.get("text") or stated.path(f"{COMMON}.Text"))
    terms = (f"{MEASURES}.ISOCurrency", f"{MEASURES}.Unit", f"{MEASURES}.UNECEUnit")
    path = stated.sap.get("unit") or next((stated.path(term) for term in terms if stated.path(term)), "")
    writer.text(iri, OD.unitProperty, path)
    writer.text(iri, OD.fixedUnit, next((stated.text(term) for term in terms if stated.text(term)), ""))
    shape = stated.sap.get("display-format", "")
    if not shape and stated.is_true(f"{COMMON}.IsUpperCase"):
        shape = "UpperCase"
    if not shape and stated.is_true(f"{COMMON}.IsDigitSequence"):
        shape = "DigitSequence"
    writer.text(iri, OD.displayFormat, shape)
    writer.text(iri, OD.semantics, stated.sap.get("semantics"))


def _write_validation(writer: GraphWriter, iri: str, stated: Statements) -> None:
    for name, value_term, exclusive_term in (
        ("Minimum", OD.minimum, OD.exclusiveMinimum),
        ("Maximum", OD.maximum, OD.exclusiveMaximum),
    ):
        for annotation in stated.all(f"{VALIDATION}.{name}")[:1]:
            writer.text(iri, value_term, number_text(annotation.value))
            inner = {part.term: part.value for part in annotation.annotations}
            writer.flag(iri, exclusive_term, inner.get(f"{VALIDATION}.Exclusive") is True)
    writer.text(iri, OD.pattern, stated.text(f"{VALIDATION}.Pattern"))
    writer.text(iri, OD.multipleOf, number_text(stated.value(f"{VALIDATION}.MultipleOf")))
    writer.text(iri, OD.minItems, number_text(stated.value(f"{VALIDATION}.MinItems")))
    writer.text(iri, OD.maxItems, number_text(stated.value(f"{VALIDATION}.MaxItems")))
    allowed = [
        code for code in (_allowed(record) for record in records(stated.value(f"{VALIDATION}.AllowedValues"))) if code
    ]
    if allowed:
        write_code_list(writer, iri, "allowed", allowed, fixed=True, source="Validation.AllowedValues")


def _allowed(record: Record) -> tuple[str, str] | None:
    """(code, text) of one AllowedValue; None when its value is dynamic."""
    value = number_text(record.values.get("Value"))
    if not value and record.values.get("Value") != "":
        return None
    names = {part.term: part.value for part in record.annotations}
    text = names.get(f"{CORE}.Description") or names.get(f"{COMMON}.Label") or names.get(f"{CORE}.SymbolicName")
    return value, text if isinstance(text, str) else ""


def write_code_list(
    writer: GraphWriter, iri: str, name: str, codes: list[tuple[str, str]], *, fixed: bool, source: str
) -> None:
    """Codes as a SKOS concept scheme below the property; the order of ``codes`` is kept."""
    scheme = member_iri(iri, f"codes-{name}")
    writer.iri(iri, OD.codeList, scheme)
    writer.type(scheme, SKOS.ConceptScheme)
    writer.boolean(scheme, OD.fixed, fixed)
    writer.text(scheme, DCTERMS.source, source)
    write_codes(writer, scheme, codes)


def write_codes(writer: GraphWriter, scheme: str, codes: Sequence[tuple[str, str]]) -> None:
    """The concepts of a scheme, (code, text) in order."""
    for position, (code, text) in enumerate(codes):
        concept = member_iri(scheme, str(position))
        writer.iri(scheme, OD.member, concept)
        writer.type(concept, SKOS.Concept)
        writer.iri(concept, SKOS.inScheme, scheme)
        writer.string(concept, SKOS.notation, code)
        writer.text(concept, SKOS.prefLabel, text)
        writer.integer(concept, OD.position, position)


def _write_value_lists(writer: GraphWriter, iri: str, stated: Statements) -> None:
    kind = stated.sap.get("value-list", "")
    if stated.is_true(f"{COMMON}.ValueListWithFixedValues"):
        kind = "fixed-values"
    lists = [*stated.all(f"{COMMON}.ValueList"), *stated.all(f"{COMMON}.ValueListMapping")]
    references = list(texts(stated.value(f"{COMMON}.ValueListReferences")))
    if not kind and (lists or references):
        kind = "standard"
    writer.text(iri, OD.valueListKind, "standard" if kind == "true" else kind)
    for number, annotation in enumerate(lists):
        if isinstance(annotation.value, Record):
            _write_value_list(
                writer, member_iri(iri, f"valuelist-{number}"), iri, annotation.qualifier, annotation.value
            )
    for uri in references:
        writer.text(iri, OD.uri, uri)


def _write_value_list(writer: GraphWriter, node: str, owner: str, qualifier: str, record: Record) -> None:
    writer.iri(owner, OD.valueList, node)
    writer.type(node, OD.ValueList)
    writer.text(node, OD.qualifier, qualifier)
    writer.text(node, RDFS.label, _constant(record.values.get("Label")))
    writer.text(node, OD.collectionPath, _constant(record.values.get("CollectionPath")))
    writer.text(node, OD.collectionRoot, _constant(record.values.get("CollectionRoot")))
    for position, part in enumerate(records(record.values.get("Parameters"))):
        parameter = member_iri(node, str(position))
        writer.iri(node, OD.parameter, parameter)
        writer.text(parameter, OD.localProperty, _path(part.values.get("LocalDataProperty")))
        writer.text(parameter, OD.remoteProperty, _path(part.values.get("ValueListProperty")))
        writer.text(parameter, OD.constant, number_text(part.values.get("Constant")))
        writer.text(parameter, OD.parameterKind, part.type.rpartition(".")[2].removeprefix("ValueListParameter"))
        writer.integer(parameter, OD.position, position)


def _constant(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _path(value: Value) -> str:
    return value.path if isinstance(value, Path) else _constant(value)
