"""The envelope of OData 2.0 answers: ``d``, ``results``, ``__next``, ``__metadata``."""

from typing import Any, NamedTuple


class Page(NamedTuple):
    """One answer without envelope. ``many``: a collection; ``next_link`` as sent, maybe relative."""

    data: Any
    many: bool = False
    next_link: str | None = None
    total: int | None = None
    etag: str | None = None


def read_page(document: Any) -> Page:
    """The page in a parsed body. Raises ValueError when there is no ``d``."""
    if not isinstance(document, dict) or "d" not in document:
        raise ValueError("no member d: this is no answer of OData 2.0")
    inner = document["d"]
    if isinstance(inner, list):
        return Page([strip(item) for item in inner], many=True)
    if not isinstance(inner, dict):
        return Page(inner)
    if isinstance(inner.get("results"), list):
        count = inner.get("__count")
        return Page(
            [strip(item) for item in inner["results"]],
            many=True,
            next_link=inner.get("__next"),
            total=int(count) if count is not None else None,
        )
    metadata = inner.get("__metadata")
    etag = metadata.get("etag") if isinstance(metadata, dict) else None
    return Page(strip(inner), etag=etag)


def strip(value: Any) -> Any:
    """Without control information: ``__metadata`` and deferred navigations go, nested ``results`` become arrays."""
    if isinstance(value, list):
        return [strip(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("results"), list) and set(value) <= {"results", "__count", "__next", "__metadata"}:
        return [strip(item) for item in value["results"]]
    return {
        name: strip(inner)
        for name, inner in value.items()
        if not name.startswith("__") and not (isinstance(inner, dict) and set(inner) == {"__deferred"})
    }


VERSION_HEADERS = (("DataServiceVersion", "2.0"), ("MaxDataServiceVersion", "2.0"))
