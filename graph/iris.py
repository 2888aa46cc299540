"""IRIs of the things in the graph. Names are percent-encoded, so any CSDL or BPMN name is a safe IRI segment."""

from functools import lru_cache
from urllib.parse import quote, unquote

BASE = "https://w3id.org/countersign/id/"
GRAPH = "https://w3id.org/countersign/graph/"


# The same names come back in every triple of an element.
@lru_cache(maxsize=65_536)
def segment(text: str) -> str:
    """``text`` as one path segment."""
    return quote(text, safe="")


def last_name(iri: str) -> str:
    """The name in the last segment, the inverse of ``segment``."""
    return unquote(iri.rpartition("/")[2])


def service_iri(service: str) -> str:
    """A service by its id (file stem)."""
    return f"{BASE}service/{segment(service)}"


def schema_iri(service: str, namespace: str) -> str:
    """A schema by namespace."""
    return f"{service_iri(service)}/schema/{segment(namespace)}"


def container_iri(service: str, name: str) -> str:
    """An EntityContainer by qualified name."""
    return f"{service_iri(service)}/container/{segment(name)}"


def association_iri(service: str, name: str) -> str:
    """An Association by qualified name."""
    return f"{service_iri(service)}/association/{segment(name)}"


def association_set_iri(service: str, container: str, name: str) -> str:
    """An AssociationSet of a container."""
    return f"{service_iri(service)}/association-set/{segment(container)}/{segment(name)}"


def type_iri(service: str, name: str) -> str:
    """A structured type, enumeration or type definition by qualified name."""
    return f"{service_iri(service)}/type/{segment(name)}"


def member_iri(owner: str, name: str) -> str:
    """A property, navigation, parameter or enumeration member under its owner's IRI."""
    return f"{owner}/{segment(name)}"


def endpoint_iri(service: str, name: str) -> str:
    """An EntitySet, Singleton, import or bound operation by the name used in URLs."""
    return f"{service_iri(service)}/endpoint/{segment(name)}"


def operation_iri(service: str, signature: str) -> str:
    """One overload of a V4 Action or Function."""
    return f"{service_iri(service)}/operation/{segment(signature)}"


def process_iri(document: str, process: str) -> str:
    """A process; ids are unique in a file only, so the file's stem is part of it."""
    return f"{BASE}process/{segment(document)}/{segment(process)}"


def node_iri(document: str, process: str, node: str) -> str:
    """A flow node of a process."""
    return f"{process_iri(document, process)}/{segment(node)}"


def agent_iri(name: str) -> str:
    """A person (or office) who made or reviewed something, by name or address."""
    return f"{BASE}agent/{segment(name)}"


def graph_iri(kind: str, name: str, digest: str) -> str:
    """A named graph: one per version of a source. 16 hex digits tell versions apart; the full digest is a triple inside."""
    return f"{GRAPH}{kind}/{segment(name)}/{digest[:16]}" if name else f"{GRAPH}{kind}/{digest[:16]}"
