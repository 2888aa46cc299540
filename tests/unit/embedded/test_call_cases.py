"""The benchmark's single calls, sent over HTTP: the service accepts what is valid and refuses what is not."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from embedded.odata_service.app import create_app
from embedded.odata_service.catalogue import Catalogue, load_catalogue
from embedded.odata_service.config import Config
from embedded.odata_service.schema import Service
from embedded.odata_service.store import key_text
from embedded.odata_service.values import to_literal

# Valid in form, but naming rows that do not exist here: references and the row of an action.
NEEDS_OTHER_ROWS = {"O006", "O028", "O040", "O050"}
# The service gives keys that a create leaves out, whoever is said to give them.
KEY_IS_GIVEN = {"O065"}


@dataclass(frozen=True)
class Sent:
    method: str
    path: str
    query: dict[str, str]
    body: Any


def literal(value: object) -> str:
    return to_literal(value, "Edm.String", True) if isinstance(value, str) else json.dumps(value)


def key_literal(service: Service, type_name: str, name: str, value: object) -> str:
    declared = service.properties(type_name)[name].type.name
    fits = isinstance(value, str) == (declared in ("Edm.String", "Edm.Guid"))
    return f"{name}={quote(to_literal(value, declared if fits else 'Edm.Int32', service.v4), safe=chr(39))}"


def as_request(case: dict[str, Any], service: Service) -> Sent:
    """A call object (calls.README.md) as the HTTP request that a careless client would send."""
    collection = service.collections.get(case["endpoint"])
    path = f"/{case['service']}/{case['endpoint']}"
    if case["key"] and collection:
        path += f"({','.join(key_literal(service, collection.type, *item) for item in case['key'].items())})"
    path = "/".join([path, *(case["path"] or [])])
    method = "POST" if case["method"] == "ACTION" else case["method"]
    query, body = dict(case["query"] or {}), case["payload"]
    last = service.document.resolve((case["path"] or [""])[-1])
    if collection is None or last in service.document.operations:
        if not service.v4:
            query, body = query | {name: literal(value) for name, value in (body or {}).items()}, None
        elif method == "GET":
            path, body = (
                f"{path}({','.join(f'{n}={literal(v)}' for n, v in (body or {}).items())})" if body else path,
                None,
            )
    return Sent(method, path, query, None if method == "GET" else body)


@pytest.fixture(scope="module")
def catalogue(shared: Path) -> Catalogue:
    return load_catalogue((shared / "corpus/edmx",))


async def verdict(case: dict[str, Any], config: Config, catalogue: Catalogue) -> str:
    service = catalogue.get(case["service"])
    assert service is not None
    app = create_app(config, catalogue=catalogue)
    collection = service.collections.get(case["endpoint"])
    if case["key"] and collection and set(case["key"]) == set(collection.keys):
        key = key_text([case["key"][name] for name in collection.keys])
        app.state.store.insert(service.name, collection.name, key, collection.type, dict(case["key"]))
    sent = as_request(case, service)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://svc") as client:
        answer = await client.request(sent.method, sent.path, params=sent.query or None, json=sent.body)
    app.state.store.close()
    assert answer.status_code < 500, answer.text
    return "valid" if answer.status_code < 400 else "invalid"


async def test_verdicts_agree_with_the_cases(shared, catalogue, tmp_path):
    bench = shared / "bench"
    wrong = []
    for line in (bench / "calls.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        state = tmp_path / f"{case['id']}.sqlite"
        config = Config((), state, (bench / "codes.csv",), (bench / "required.csv",), require_csrf=False)
        if await verdict(case, config, catalogue) != case["want"]:
            wrong.append(case["id"])
    assert set(wrong) == NEEDS_OTHER_ROWS | KEY_IS_GIVEN
