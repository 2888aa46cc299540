"""Code lists that were read from a live service: one JSON document a service (a source like any file), and its triples.

The document holds no instant: the same codes read again are the same document, and the graph's hash stays.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from graph.errors import SourceError
from graph.iris import member_iri, segment, service_iri
from graph.known import Known
from graph.nquads import GraphWriter
from graph.property_facts import write_codes
from graph.vocabulary import DCTERMS, OD, SKOS

__all__ = ["CodesOfSet", "PropertyRef", "codes_document", "codes_source_name", "write_read_codes"]
FORMAT = "countersign-codes-1"


@dataclass(frozen=True)
class PropertyRef:
    """A property that takes its values from a list. ``owner``: qualified type name, or the endpoint of a parameter.

    ``fixed``: values outside the list are invalid (fixed values that depend on no other property).
    """

    owner: str
    name: str
    fixed: bool


@dataclass(frozen=True)
class CodesOfSet:
    """Codes of one value-list EntitySet, as (code, text) in order of code. ``truncated``: more than these exist."""

    entity_set: str
    key: str
    text: str
    filter: str
    truncated: bool
    codes: tuple[tuple[str, str], ...]
    properties: tuple[PropertyRef, ...]


def codes_source_name(service: str) -> str:
    """How messages and manifests name the document."""
    return f"codes of {service}"


def codes_document(service: str, url: str, lists: Sequence[CodesOfSet]) -> bytes:
    """The document; equal content gives equal bytes."""
    ordered = sorted(lists, key=lambda item: (item.entity_set, item.key, item.filter))
    value = {"format": FORMAT, "service": service, "url": url, "lists": [asdict(item) for item in ordered]}
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def write_read_codes(writer: GraphWriter, data: bytes, shown: str, known: Known) -> list[str]:
    """The document as triples; returns one line for each property that is no longer in the graph. Raises ``SourceError``."""
    try:
        document = json.loads(data)
        service, url = document["service"], document["url"]
        lists = [_list_of(item) for item in document["lists"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(shown, None, "", f"is no code snapshot ({error})", "read the codes again") from error
    missing: list[str] = []
    for item in lists:
        for reference in item.properties:
            iri = _property_iri(known, service, reference)
            if iri is None:
                missing.append(f"{shown}: no property {service} {reference.owner}/{reference.name} is loaded")
            else:
                writer.iri(iri, OD.codeList, _scheme(writer, service, url, item, reference.fixed))
    return missing


def _list_of(item: dict[str, Any]) -> CodesOfSet:
    codes = tuple((code, text) for code, text in item["codes"])
    properties = tuple(PropertyRef(**reference) for reference in item["properties"])
    return CodesOfSet(**{**item, "codes": codes, "properties": properties})


def _property_iri(known: Known, service: str, reference: PropertyRef) -> str | None:
    properties = known.type_properties(service, reference.owner)
    if properties is None:
        endpoint = known.endpoint(service, reference.owner)
        properties = endpoint.properties if endpoint else {}
    found = properties.get(reference.name)
    return found.iri if found else None


def _scheme(writer: GraphWriter, service: str, url: str, item: CodesOfSet, fixed: bool) -> str:
    """One scheme for all properties that share a list in the same strictness."""
    kind = "fixed" if fixed else "open"
    narrowed = f"/{sha256(item.filter.encode()).hexdigest()[:8]}" if item.filter else ""
    base = f"{service_iri(service)}/values/{segment(item.entity_set)}/{segment(item.key)}{narrowed}/{kind}"
    scheme = member_iri(base, "codes-read")
    cut = f", truncated after {len(item.codes)}" if item.truncated else ""
    writer.type(scheme, SKOS.ConceptScheme)
    writer.boolean(scheme, OD.fixed, fixed and not item.truncated)
    writer.flag(scheme, OD.truncated, item.truncated)
    writer.text(scheme, DCTERMS.source, f"{item.entity_set} of {url}{cut}")
    write_codes(writer, scheme, item.codes)
    return scheme
