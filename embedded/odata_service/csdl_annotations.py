"""Annotation expressions (CSDL XML 4.01 section 14) as plain values.

Constants become str, bool, int, Decimal-as-str; a Record a dict (its type under `$Type`), a Collection a list;
everything that needs an entity to be evaluated a one-entry dict: `{"$Path": "a/b"}`, `{"$Apply": ...}`, `{"$If": ...}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from embedded.odata_service.csdl_xml import children, local_name

Resolve = Callable[[str], str]

_PATHS = {"Path", "PropertyPath", "NavigationPropertyPath", "AnnotationPath", "ModelElementPath"}
_DOCUMENTATION = {
    "Summary": "Org.OData.Core.V1.Description",
    "LongDescription": "Org.OData.Core.V1.LongDescription",
}
_TEXT = {"String", "Date", "DateTimeOffset", "Decimal", "Duration", "Guid", "TimeOfDay", "Binary", "Float", "UrlRef"}


def _constant(kind: str, text: str) -> Any:
    if kind == "Bool":
        return text.strip().lower() in ("true", "1")
    if kind == "Int":
        stripped = text.strip()
        return int(stripped) if re.fullmatch("[+-]?[0-9]{1,400}", stripped) else text
    if kind == "EnumMember":
        return {"$EnumMember": text.strip()}
    if kind in _PATHS:
        return {f"${kind}": text.strip()}
    return text


def _own_value(element: etree._Element) -> tuple[bool, Any]:
    for raw_name, raw_value in element.attrib.items():
        name = str(raw_name)
        if name in _TEXT or name in _PATHS or name in ("Bool", "Int", "EnumMember"):
            return True, _constant(name, str(raw_value))
    return False, None


def _record(element: etree._Element, resolve: Resolve) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if element.get("Type"):
        record["$Type"] = resolve(str(element.get("Type")))
    for child in children(element):
        if local_name(child) == "PropertyValue":
            record[str(child.get("Property"))] = annotation_value(child, resolve, default=None)
        elif local_name(child) == "Annotation":
            record["@" + term_name(child, resolve)] = annotation_value(child, resolve)
    return record


def _expression(element: etree._Element, resolve: Resolve) -> Any:
    kind = local_name(element)
    if kind == "Record":
        return _record(element, resolve)
    if kind == "Collection":
        return [_expression(child, resolve) for child in children(element)]
    if kind == "Null":
        return None
    if kind == "LabeledElement":
        return annotation_value(element, resolve)
    if kind in ("Bool", "Int", "EnumMember") or kind in _PATHS or kind in _TEXT:
        return _constant(kind, (element.text or "").strip())
    parts = [_expression(child, resolve) for child in children(element) if local_name(child) != "Annotation"]
    attributes = {str(name): str(value) for name, value in element.attrib.items()}
    return {f"${kind}": parts, **attributes}


def annotation_value(element: etree._Element, resolve: Resolve, default: Any = True) -> Any:
    """Value of an Annotation or PropertyValue. An annotation without any expression has the term's default: true."""
    stated, value = _own_value(element)
    if stated:
        return value
    for child in children(element):
        if local_name(child) != "Annotation":
            return _expression(child, resolve)
    return default


def term_name(element: etree._Element, resolve: Resolve) -> str:
    term = resolve(str(element.get("Term") or ""))
    qualifier = element.get("Qualifier")
    return f"{term}#{qualifier}" if qualifier else term


def keep_annotation(found: dict[str, Any], term: str, value: Any) -> None:
    """Add an annotation. A term that is stated once more (SAP does so with value helps) stands as ``term!2``, ``term!3``."""
    key, number = term, 1
    while key in found:
        number += 1
        key = f"{term}!{number}"
    found[key] = value


def annotations_of(element: etree._Element, resolve: Resolve) -> dict[str, Any]:
    """Inline annotations of an element, and the Documentation of V2 as the terms that took its place.

    Annotations of an annotation stand beside it under both terms: ``Minimum@Exclusive``, as CSDL JSON has them.
    """
    found: dict[str, Any] = {}
    for child in children(element, "Annotation"):
        if child.get("Term"):
            term = term_name(child, resolve)
            keep_annotation(found, term, annotation_value(child, resolve))
            for inner, value in annotations_of(child, resolve).items():
                found.setdefault(f"{term}@{inner}", value)
    for documentation in list(children(element, "Documentation"))[:1]:
        for part in children(documentation, *_DOCUMENTATION):
            text = "".join(part.itertext()).strip()
            if text:
                found.setdefault(_DOCUMENTATION[local_name(part)], text)
    return found
