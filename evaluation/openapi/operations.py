"""The operations of a document as the endpoint summaries that retrievers search.

An operation is named ``GET /orders/{id}``. Its members are its parameters and the fields of its request body; what
it answers is left out, as the members of an OData operation are its parameters.
"""

from collections.abc import Iterator, Mapping

from evaluation.openapi.document import Document, Node
from graph.iris import endpoint_iri
from graph.views import EndpointSummary
from wire.endpoint import Verb

METHODS: Mapping[str, Verb] = {
    "get": Verb.READ,
    "head": Verb.READ,
    "options": Verb.READ,
    "trace": Verb.READ,
    "post": Verb.CREATE,
    "put": Verb.UPDATE,
    "patch": Verb.UPDATE,
    "delete": Verb.DELETE,
}
_DEEPEST_SCHEMA = 8


def title_of(document: Document) -> str:
    """What the document calls itself; the name of its folder when it says nothing."""
    info = document.root.get("info")
    title = _text(info, "title") if isinstance(info, Mapping) else ""
    return title or document.path.parent.name


def read_operations(document: Document, service: str) -> tuple[EndpointSummary, ...]:
    """All operations in the order of the document, under ``service``. Raises ``DocumentError``."""
    title = title_of(document)
    found = []
    for path, item in document.root["paths"].items():
        if str(path).startswith("x-"):
            continue
        whole = document.resolve(item, f"paths {path}")
        for method, verb in METHODS.items():
            if method in whole:
                name = f"{method.upper()} {path}"
                operation = document.resolve(whole[method], name)
                members = tuple(dict.fromkeys(_members(document, whole, operation, name)))
                found.append(_summary(service, title, name, verb, operation, members))
    return tuple(found)


def _summary(
    service: str, title: str, name: str, verb: Verb, operation: Node, members: tuple[str, ...]
) -> EndpointSummary:
    return EndpointSummary(
        iri=endpoint_iri(service, name),
        service=service,
        endpoint=name,
        kind="Function" if verb is Verb.READ else "Action",
        version="4.0",
        label=_text(operation, "summary"),
        description=_text(operation, "description"),
        service_title=title,
        entity_type=None,
        properties=tuple((member, "") for member in members),
        navigations=(),
        verbs=(verb,),
        http_method=name.split(" ", 1)[0],
    )


def _members(document: Document, whole: Node, operation: Node, name: str) -> Iterator[str]:
    """Names of parameters (those of the path first), then of the request body's fields."""
    for number, listed in enumerate([*_list(whole, "parameters"), *_list(operation, "parameters")]):
        place = f"{name} parameter {number}"
        parameter = document.resolve(listed, place)
        if parameter.get("in") == "body":
            yield from _fields(document, parameter.get("schema"), place, _DEEPEST_SCHEMA)
        elif _text(parameter, "name"):
            yield _text(parameter, "name")
    if "requestBody" in operation:
        place = f"{name} requestBody"
        content = document.resolve(operation["requestBody"], place).get("content")
        for media in content.values() if isinstance(content, Mapping) else ():
            yield from _body(document, document.resolve(media, place), place)


def _body(document: Document, media: Node, place: str) -> Iterator[str]:
    """Fields of the schema; without one, those of the example."""
    named = list(_fields(document, media.get("schema"), place, _DEEPEST_SCHEMA))
    example = media.get("example")
    yield from named or (str(key) for key in (example if isinstance(example, Mapping) else ()))


def _fields(document: Document, schema: object, place: str, deep: int) -> Iterator[str]:
    """Names of an object's properties, also through arrays and ``allOf``, ``anyOf``, ``oneOf``."""
    if not isinstance(schema, Mapping) or deep == 0:
        return
    whole = document.resolve(schema, place)
    properties = whole.get("properties")
    yield from (str(key) for key in (properties if isinstance(properties, Mapping) else ()))
    for part in [whole.get("items"), *(each for key in ("allOf", "anyOf", "oneOf") for each in _list(whole, key))]:
        yield from _fields(document, part, place, deep - 1)


def _list(node: Node, key: str) -> list[object]:
    found = node.get(key)
    return found if isinstance(found, list) else []


def _text(node: Node, key: str) -> str:
    found = node.get(key)
    return " ".join(found.split()) if isinstance(found, str) else ""
