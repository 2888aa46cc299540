"""A benchmark of two sectors with one small document each, written into a folder."""

import json
from pathlib import Path
from typing import Any


def document(title: str, paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"openapi": "3.0.3", "info": {"title": title, "version": "1"}, "paths": paths, **more}


def operation(summary: str, **more: Any) -> dict[str, Any]:
    return {"summary": summary, "responses": {}, **more}


ORDERS = document(
    "Orders",
    {
        "/orders": {"get": operation("List all orders"), "post": operation("Place an order")},
        "/orders/{id}": {"delete": operation("Cancel an order")},
        "/status": {"get": operation("Show the state of the shop")},
    },
)
PARCELS = document(
    "Parcels",
    {
        "/parcels/{id}/track": {"get": operation("Track where a parcel is")},
        "/status": {"get": operation("Show the state of the depot")},
    },
)
METERS = document("Meters", {"/readings": {"post": operation("Send a reading of an electricity meter")}})


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def queries(*rows: tuple[str, list[str]]) -> dict[str, Any]:
    return {"queries": [{"query": text, "endpoints": names} for text, names in rows]}


def write_bench(root: Path) -> Path:
    """Sectors trade (Orders, Parcels) and energy (Meters) in one set."""
    trade, energy = root / "set" / "trade", root / "set" / "energy"
    write(trade / "a" / "openapi.json", ORDERS)
    write(trade / "b" / "openapi.json", PARCELS)
    write(energy / "c" / "openapi.json", METERS)
    asked = (
        ("cancel my order and tell me where the parcel is", ["DELETE /orders/{order}", "GET /parcels/{id}/track"]),
        ("is everything up?", [" get /status"]),
    )
    write(trade / "queries.json", queries(*asked))
    write(energy / "queries.json", queries(("report what the meter shows", ["POST /readings"])))
    return root
