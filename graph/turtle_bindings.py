"""Bindings from Turtle: resources of class ``od:Binding`` as rows, so that one check serves both formats.

[] a od:Binding ; od:processId "P_OTC" ; od:nodeId "T10" ; od:serviceName "API_SALES_ORDER_SRV" ;
   od:endpointName "A_SalesOrder" ; od:mode "create" ; prov:wasAttributedTo "ann" ; od:reviewedBy "ben" ;
   od:confidence 0.9 .
"""

import re

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from graph.errors import TableError
from graph.iris import BASE, last_name
from graph.tables import Row
from graph.vocabulary import OD, PROV, RDF, RDFS

_COLUMNS = {
    OD.processId: "process_id",
    OD.nodeId: "node_id",
    OD.serviceName: "service_file",
    OD.endpointName: "endpoint",
    OD.mode: "mode",
    OD.note: "note",
    OD.referenceProperty: "reference_property",
    PROV.wasAttributedTo: "author",
    OD.reviewedBy: "reviewed_by",
    OD.confidence: "confidence",
}
_NEEDED = ("process_id", "node_id", "service_file", "endpoint", "mode")
_LINE = re.compile(r"line (\d+)")


def read_turtle_bindings(data: bytes, file: str) -> list[Row]:
    """All bindings of a Turtle file, by their content. ``line`` counts them from 1. Raises ``TableError``."""
    subjects = _subjects(data, file)
    labels = {subject: found[RDFS.label][0] for subject, found in subjects.items() if RDFS.label in found}
    values = [
        (_row_values(subject, found, labels, file), subject)
        for subject, found in subjects.items()
        if OD.Binding in found.get(RDF.type, ())
    ]
    if not values:
        raise TableError(file, None, "", "holds no od:Binding", f"give resources of class <{OD.Binding}>")
    # Blank nodes have no name that lasts, so content decides the order.
    ordered = sorted(values, key=lambda item: sorted(item[0].items()))
    return [Row(file, number, found, f"binding {number}") for number, (found, _) in enumerate(ordered, start=1)]


def _subjects(data: bytes, file: str) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    try:
        for subject, predicate, value, _ in parse(data, RdfFormat.TURTLE, base_iri=f"{BASE}binding/"):
            text = value.value if isinstance(value, Literal | NamedNode) else str(value)
            found.setdefault(str(subject), {}).setdefault(predicate.value, []).append(text)
    except SyntaxError as error:
        where = _LINE.search(str(error))
        reason = f"is no Turtle: {' '.join(str(error).split())}"
        raise TableError(file, int(where[1]) if where else None, "", reason, "mend the syntax") from None
    return found


def _row_values(subject: str, found: dict[str, list[str]], labels: dict[str, str], file: str) -> dict[str, str]:
    """One binding as the cells of a CSV row. A person is a name, or a resource with a label."""
    values: dict[str, str] = {}
    for predicate, column in _COLUMNS.items():
        stated = sorted(set(found.get(predicate, ())))
        if len(stated) > 1:
            reason = f"states {len(stated)} values of {predicate.rpartition('#')[2]}"
            raise TableError(file, None, f"binding {subject}", reason, "state one in each binding")
        if stated:
            values[column] = labels.get(f"<{stated[0]}>", _name(stated[0]))
    missing = [column for column in _NEEDED if not values.get(column)]
    if missing:
        terms = ", ".join(f"od:{_term(column)}" for column in missing)
        raise TableError(file, None, f"binding {subject}", f"lacks {terms}", "state it")
    return values


def _name(text: str) -> str:
    """The name in an IRI of ours; ``mailto:`` without its scheme; else the text itself."""
    return last_name(text) if text.startswith(BASE) else text.removeprefix("mailto:")


def _term(column: str) -> str:
    return next(iri.rpartition("#")[2] for iri, name in _COLUMNS.items() if name == column)
