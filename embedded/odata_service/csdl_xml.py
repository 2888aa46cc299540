"""Safe XML for metadata: bytes in, element tree out. DOCTYPE is refused before the tree is built."""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from lxml import etree

from embedded.odata_service.errors import MetadataError

EDMX_V2 = "http://schemas.microsoft.com/ado/2007/06/edmx"
EDMX_V4 = "http://docs.oasis-open.org/odata/ns/edmx"
OLD_EDM = "{http://schemas.microsoft.com/ado/"
V4_SCHEMA = "{http://docs.oasis-open.org/odata/ns/edm}Schema"
SAP = "http://www.sap.com/Protocols/SAPData"
MICROSOFT_METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
STORE_ANNOTATION = "http://schemas.microsoft.com/ado/2009/02/edm/annotation"


class _PrologRead(Exception):
    """The first element was reached: the prolog holds no DOCTYPE."""


def _refuse_doctype(data: bytes, source: str) -> bool:
    """Whether the prolog was read. False for what expat cannot read: lxml knows more encodings, and decides."""
    parser = expat.ParserCreate()

    def on_doctype(*_: object) -> None:
        raise MetadataError(f"{source}, line {parser.CurrentLineNumber}: DOCTYPE is not allowed in metadata")

    def on_element(*_: object) -> None:
        raise _PrologRead

    parser.StartDoctypeDeclHandler = on_doctype
    parser.StartElementHandler = on_element
    try:
        parser.Parse(data, True)
    except _PrologRead:
        return True
    except (LookupError, ValueError, expat.ExpatError):
        return False
    return True


def parse_metadata(data: bytes, source: str) -> etree._Element:
    """Root element `edmx:Edmx` (or a bare `Schema`). Raises MetadataError naming file and line for anything else."""
    if not data.strip():
        raise MetadataError(f"{source}: the file is empty")
    scanned = _refuse_doctype(data, source)
    options = dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True)
    options |= {"resolve_entities": False, "load_dtd": False, "collect_ids": False, "huge_tree": scanned}
    parser = etree.XMLParser(**options)
    try:
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            if not {entry.type_name for entry in parser.error_log} == {"WAR_NS_URI"}:
                raise
            # Nothing is wrong but the form of a namespace's name.
            root = etree.fromstring(data, etree.XMLParser(recover=True, **options))
    except etree.XMLSyntaxError as error:
        raise MetadataError(f"{source}, line {error.lineno}: not well-formed XML ({error.msg})") from error
    if root.getroottree().docinfo.doctype:
        raise MetadataError(f"{source}: DOCTYPE is not allowed in metadata")
    bare = local_name(root) == "Schema" and (str(root.tag).startswith(OLD_EDM) or root.tag == V4_SCHEMA)
    if not bare and root.tag not in (f"{{{EDMX_V2}}}Edmx", f"{{{EDMX_V4}}}Edmx"):
        raise MetadataError(f"{source}, line {root.sourceline}: root is {root.tag}, expected edmx:Edmx")
    return root


def local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Child elements with one of these local names; all children when no name is given."""
    for child in element:
        if not names or local_name(child) in names:
            yield child


def foreign_attributes(element: etree._Element) -> dict[str, str]:
    """`sap:x` as `x`, `m:x` as `m:x`, `annotation:x` (of the store: StoreGeneratedPattern) as `annotation:x`."""
    found: dict[str, str] = {}
    for raw_name, raw_value in element.attrib.items():
        space, _, name = str(raw_name).rpartition("}")
        if space == f"{{{SAP}":
            found[name] = str(raw_value)
        elif space == f"{{{MICROSOFT_METADATA}":
            found[f"m:{name}"] = str(raw_value)
        elif space == f"{{{STORE_ANNOTATION}":
            found[f"annotation:{name}"] = str(raw_value)
    return found
