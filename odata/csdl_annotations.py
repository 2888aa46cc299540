"""Annotations of the vocabularies that say what a call may contain (CSDL 4.01 section 14).

Read are Core, Capabilities, Validation, Measures and Repeatability of OASIS and Common of SAP. Presentation vocabularies
(UI and others) say nothing about calls and are left out.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation

from lxml import etree

from odata.csdl_model import Annotation, Path, Record, Value
from odata.safe_xml import children, line_of, local_name

CORE = "Org.OData.Core.V1"
CAPABILITIES = "Org.OData.Capabilities.V1"
VALIDATION = "Org.OData.Validation.V1"
MEASURES = "Org.OData.Measures.V1"
REPEATABILITY = "Org.OData.Repeatability.V1"
COMMON = "com.sap.vocabularies.Common.v1"
VOCABULARIES = frozenset((CORE, CAPABILITIES, VALIDATION, MEASURES, REPEATABILITY, COMMON))
# Aliases that documents use without declaring them; a declared alias of the same name wins.
USUAL_ALIASES = {
    "Core": CORE,
    "Capabilities": CAPABILITIES,
    "Validation": VALIDATION,
    "Measures": MEASURES,
    "Repeatability": REPEATABILITY,
    "Common": COMMON,
}


_MOST_DIGITS = 400
_INTEGER = re.compile(f"[+-]?[0-9]{{1,{_MOST_DIGITS}}}")
# Written out in full, 1E999999999 would fill the memory; and nothing but ASCII digits is a number in XML.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")


def _number(text: str) -> Value:
    try:
        value = Decimal(text) if _NUMBER.fullmatch(text.strip()) else text
    except InvalidOperation:
        return text
    return value if isinstance(value, str) or abs(value.adjusted()) < _MOST_DIGITS else text


def _integer(text: str) -> Value:
    return int(text) if _INTEGER.fullmatch(text.strip()) else text


def _text(text: str) -> Value:
    return text


_CONSTANTS: Mapping[str, Callable[[str], Value]] = {
    "String": _text,
    "Bool": lambda text: text.strip().lower() in ("true", "1"),
    "Int": _integer,
    "Float": _number,
    "Decimal": _number,
    "Date": _text,
    "DateTimeOffset": _text,
    "Duration": _text,
    "TimeOfDay": _text,
    "Guid": _text,
    "Binary": _text,
    "EnumMember": str.strip,
    "PropertyPath": str.strip,
    "NavigationPropertyPath": str.strip,
    "AnnotationPath": str.strip,
    "ModelElementPath": str.strip,
    "AnyPropertyPath": str.strip,
    "Path": lambda text: Path(text.strip()),
}


def qualified_term(term: str, aliases: Mapping[str, str]) -> str:
    """The term with its alias replaced by the namespace."""
    prefix, _, name = term.partition("#")[0].rpartition(".")
    return f"{aliases.get(prefix) or USUAL_ALIASES.get(prefix, prefix)}.{name}"


def annotations_of(element: etree._Element, aliases: Mapping[str, str], qualifier: str = "") -> list[Annotation]:
    """The Annotation children of ``element`` whose term belongs to a vocabulary that is read."""
    found: list[Annotation] = []
    for child in children(element, "Annotation"):
        text = child.get("Term") or ""
        term = qualified_term(text, aliases)
        if term.rpartition(".")[0] in VOCABULARIES:
            own = child.get("Qualifier") or text.partition("#")[2] or qualifier
            nested = tuple(annotations_of(child, aliases)) if len(child) else ()
            found.append(Annotation(term, _expression(child, aliases, True), own, line_of(child), nested))
    return found


def _expression(element: etree._Element, aliases: Mapping[str, str], default: Value) -> Value:
    """The expression that stands in ``element`` as attribute or child; ``default`` when there is none."""
    for name, text in element.attrib.items():
        if name in _CONSTANTS:
            return _CONSTANTS[str(name)](str(text))
    for child in element:
        if local_name(child) not in ("", "Annotation", "Documentation"):
            return _element(child, aliases)
    return default


def _element(element: etree._Element, aliases: Mapping[str, str]) -> Value:
    name = local_name(element)
    if name in _CONSTANTS:
        return _CONSTANTS[name]((element.text or "").strip())
    if name == "Record":
        return _record(element, aliases)
    if name == "Collection":
        return tuple(_element(child, aliases) for child in element if local_name(child))
    if name == "LabeledElement":
        return _expression(element, aliases, None)
    if name == "Null":
        return None
    # An expression that is computed from the entity: dynamic, whatever its form.
    return Path(f"<{name}>")


def _record(element: etree._Element, aliases: Mapping[str, str]) -> Record:
    values = {
        str(child.get("Property")): _expression(child, aliases, None)
        for child in children(element, "PropertyValue")
        if child.get("Property")
    }
    return Record(values, tuple(annotations_of(element, aliases)), element.get("Type") or "")
