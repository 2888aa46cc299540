"""The curated layer: code lists and required properties that metadata does not hold (``codes.csv``, ``required.csv``)."""

from graph.iris import member_iri
from graph.known import Known
from graph.nquads import GraphWriter
from graph.property_facts import write_code_list
from graph.tables import Row, service_of
from graph.vocabulary import OD

CODE_COLUMNS = ("service_file", "entity_type", "property", "code")
REQUIRED_COLUMNS = ("service_file", "entity_set", "property", "why")


def write_codes(writer: GraphWriter, rows: list[Row], known: Known) -> list[str]:
    """Code lists on properties; returns one line for each row that names nothing loaded."""
    warnings: list[str] = []
    lists: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        service = service_of(row["service_file"])
        properties = known.type_properties(service, row["entity_type"])
        endpoint = known.endpoint(service, row["entity_type"]) if properties is None else None
        found = (properties if endpoint is None else endpoint.properties) or {}
        target = found.get(row["property"])
        if target is None:
            label = f"{service} {row['entity_type']}/{row['property']}"
            warnings.append(f"{row.place}: code {row['code']!r}: no property {label} is loaded")
        else:
            lists.setdefault(target.iri, []).append((row["code"], row["text"]))
    source = rows[0].file if rows else ""
    for iri, codes in lists.items():
        write_code_list(writer, iri, "curated", codes, fixed=True, source=source)
    return warnings


def write_required(writer: GraphWriter, rows: list[Row], known: Known) -> list[str]:
    """Required-on-create per set, with the condition under which a row does not apply."""
    warnings: list[str] = []
    for row in rows:
        endpoint = known.endpoint(service_of(row["service_file"]), row["entity_set"])
        if endpoint is None or row["property"] not in endpoint.properties:
            label = f"{service_of(row['service_file'])} {row['entity_set']}/{row['property']}"
            warnings.append(f"{row.place}: no property {label} is loaded")
            continue
        node = member_iri(endpoint.iri, f"required-{row['property']}")
        writer.iri(endpoint.iri, OD.requirement, node)
        writer.type(node, OD.Requirement)
        writer.text(node, OD.name, row["property"])
        writer.text(node, OD.why, row["why"])
        writer.text(node, OD.unless, row["unless"])
    return warnings
