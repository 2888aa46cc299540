"""The envelope of OData 4 answers: ``value``, ``@odata.nextLink``, ``@odata.etag`` and the short forms of 4.01."""

from typing import Any

from odata.wire_v2 import Page


def read_page(document: Any) -> Page:
    """The page in a parsed body. Raises ValueError when it is no object."""
    if not isinstance(document, dict):
        raise ValueError("the body is no JSON object: this is no answer of OData 4")
    value = document.get("value")
    data_names = [name for name in document if "@" not in name]
    if isinstance(value, list) and data_names == ["value"]:
        count = _control(document, "count")
        return Page(
            [strip(item) for item in value],
            many=True,
            next_link=_control(document, "nextLink"),
            total=int(count) if count is not None else None,
        )
    etag = _control(document, "etag")
    if data_names == ["value"]:
        return Page(strip(value), etag=etag)
    return Page(strip(document), etag=etag)


def _control(document: dict[str, Any], name: str) -> Any:
    return document.get(f"@odata.{name}", document.get(f"@{name}"))


def strip(value: Any) -> Any:
    """Without control information: members whose name has an ``@``."""
    if isinstance(value, list):
        return [strip(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: strip(inner) for name, inner in value.items() if "@" not in name}


def version_headers(version: str) -> tuple[tuple[str, str], ...]:
    """Headers that say which version is spoken."""
    return (("OData-Version", version), ("OData-MaxVersion", version))
