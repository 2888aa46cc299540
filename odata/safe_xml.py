"""XML bytes -> element tree, with nothing in between that could read files, open sockets or expand entities.

Used for every file from outside (CSDL, BPMN). Only three things are refused: a DOCTYPE, ill-formed XML, a wrong root.
"""

import re
from collections.abc import Iterator
from xml.parsers import expat

from lxml import etree

from odata.errors import DocumentTypeRefused, IllFormedXml

_CHUNK = 65536
_NO_URI = ("WAR_NS_URI", "WAR_NS_URI_RELATIVE")
# The parser repeats the place in its message; the error names it already.
_PLACE = re.compile(r"(, line \d+, column \d+)?( \(<string>.*\))?$")


class _RootSeen(Exception):
    """Ends the scan of the prolog: a DOCTYPE cannot come after the root element has begun."""


def parse_document(data: bytes, file: str) -> etree._Element:
    """The root element of ``data`` (any encoding that XML allows, with or without BOM).

    Raises ``DocumentTypeRefused`` or ``IllFormedXml``. Comments and processing instructions are dropped.
    """
    if not data.strip():
        raise IllFormedXml(file, None, "", "the file is empty", "download it again")
    scanned = _refuse_doctype(data, file)
    try:
        root = _parsed(data, scanned)
    except etree.XMLSyntaxError as error:
        line = error.lineno or None
        said = _PLACE.sub("", error.msg or "no root element")
        reason = f"not well-formed XML ({said})"
        raise IllFormedXml(file, line, "", reason, "the download may have been cut off: fetch it again") from None
    if root.getroottree().docinfo.doctype:
        raise _doctype(file, 1, local_name(root))
    return root


def _parsed(data: bytes, scanned: bool) -> etree._Element:
    parser = _parser(scanned)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        # A namespace name that is no URI (one with umlauts, say) is for the reader to compare, and nothing else.
        if not parser.error_log or any(entry.type_name not in _NO_URI for entry in parser.error_log):
            raise
    return etree.fromstring(data, _parser(scanned, recover=True))


def _parser(scanned: bool, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        recover=recover,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        # Large files need it; it lifts the limits on entities too, so only for what has no DOCTYPE for certain.
        huge_tree=scanned,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=False,
        # Nobody looks elements up by xml:id, and two of one id, or a bad one, do not make the XML ill-formed.
        collect_ids=False,
    )


def _refuse_doctype(data: bytes, file: str) -> bool:
    """Scan the prolog with expat, which stops before any entity is expanded. False when it cannot read the prolog."""
    parser = expat.ParserCreate()

    def on_doctype(name: str, *_: object) -> None:
        raise _doctype(file, parser.CurrentLineNumber, name)

    def on_root(*_: object) -> None:
        raise _RootSeen

    parser.StartDoctypeDeclHandler = on_doctype
    parser.StartElementHandler = on_root
    try:
        for start in range(0, len(data), _CHUNK):
            parser.Parse(data[start : start + _CHUNK], False)
    except _RootSeen:
        return True
    except (expat.ExpatError, LookupError, ValueError):
        # Ill-formed, or an encoding that expat does not know: lxml decides, and its own DOCTYPE check stands behind it.
        return False
    return False


def _doctype(file: str, line: int, name: str) -> DocumentTypeRefused:
    if name.lower() == "html":
        reason, advice = "this is an HTML page, not metadata", "log on to the service and save its $metadata"
    else:
        reason, advice = "a DOCTYPE is not allowed", "remove the DOCTYPE declaration and its entities"
    return DocumentTypeRefused(file, line, name, reason, advice)


def local_name(element: etree._Element) -> str:
    """The tag without its namespace; empty for what is no element (an unresolved entity)."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def namespace(element: etree._Element) -> str:
    """The namespace of the tag, empty when there is none."""
    tag = element.tag
    return tag[1:].partition("}")[0] if isinstance(tag, str) and tag.startswith("{") else ""


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Child elements with one of these local names, in document order, whatever their prefix."""
    for child in element:
        if local_name(child) in names:
            yield child


def first_child(element: etree._Element, name: str) -> etree._Element | None:
    """The first child of that local name, or None."""
    return next(children(element, name), None)


def attribute(element: etree._Element, name: str, *namespaces: str) -> str | None:
    """The attribute without namespace, else in one of ``namespaces``."""
    value: str | None = element.get(name)
    for uri in namespaces:
        if value is None:
            value = element.get(f"{{{uri}}}{name}")
    return value


def line_of(element: etree._Element) -> int:
    """Line of the start tag in the file (0 when unknown)."""
    return element.sourceline or 0
