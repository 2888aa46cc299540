"""Which files may be refused: a DOCTYPE, ill-formed XML, a wrong root; decided apart from every reader, by expat."""

import re
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree
from xml.parsers import expat

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_EDMX = ("http://docs.oasis-open.org/odata/ns/edmx", "http://schemas.microsoft.com/ado/2007/06/edmx")
_EDM = "http://docs.oasis-open.org/odata/ns/edm"
_OLD_EDM = re.compile(r"http://schemas\.microsoft\.com/ado/\d{4}/\d{2}/edm")
_ENCODING = re.compile(rb"^\s*<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)[\"'][^>]*\?>")
# No namespace can contain it, since no XML can.
_SEPARATOR = "\f"
_DECLARED = re.compile(r"(?<=^<\?xml version=[\"']1\.\d[\"'])\s+encoding=[\"'][A-Za-z0-9._-]+[\"']")
_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True)
class Kind:
    """``name`` is what the file is; ``reason`` why nothing can be read from it, when nothing can."""

    name: Literal["csdl", "bpmn", ""]
    reason: str = ""


class _Doctype(Exception):
    """A DOCTYPE was met."""


class _Version(Exception):
    """A version of XML that is none."""


def kind_of(data: bytes) -> Kind:
    """What a file is by its root element, or why it may be refused."""
    roots: list[str] = []
    try:
        _walk(data, roots)
    except _Doctype:
        return Kind("", "DOCTYPE")
    except (expat.ExpatError, UnicodeDecodeError, LookupError, _Version) as error:
        return Kind("", f"ill-formed XML ({error})")
    uri, _, name = roots[0].rpartition(_SEPARATOR)
    if name == "definitions" and uri == BPMN:
        return Kind("bpmn")
    schema = name == "Schema" and (uri == _EDM or _OLD_EDM.fullmatch(uri) is not None)
    if schema or (name == "Edmx" and uri in _EDMX):
        return Kind("csdl")
    return Kind("", f"wrong root: {name} in namespace {uri or '(none)'}")


def _walk(data: bytes, roots: list[str]) -> None:
    """The whole file through expat; the root's namespace and name go into ``roots``."""
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)

    def on_doctype(*_: object) -> None:
        raise _Doctype

    def on_declaration(version: str, *_: object) -> None:
        if re.fullmatch(r"1\.[0-9]+", version) is None:
            raise _Version(f"XML {version}")

    def on_element(name: str, _: object) -> None:
        roots.append(name)
        parser.StartElementHandler = None

    parser.StartDoctypeDeclHandler = on_doctype
    parser.StartElementHandler = on_element
    parser.XmlDeclHandler = on_declaration
    parser.Parse(in_known_encoding(data), True)


def in_known_encoding(data: bytes) -> bytes:
    """The same document in UTF-8 when it is in an encoding that expat cannot read by itself."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            # The mark is right where the declaration says otherwise: programs save their strings with that of the string.
            return _DECLARED.sub("", data.decode(encoding), count=1).encode()
    stated = _ENCODING.match(data)
    if stated is None:
        return data
    name = stated.group(1).decode("ascii")
    if name.lower() in ("utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1"):
        return data
    try:
        text = data[stated.end() :].decode(name)
    except LookupError:
        return data
    return text.encode("utf-8")


def parse_tree(data: bytes) -> ElementTree.Element:
    """The root of a file that ``kind_of`` found readable."""
    return ElementTree.fromstring(in_known_encoding(data))
