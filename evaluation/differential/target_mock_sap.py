"""mock-sap, in this process: SAP's V2 and V4 conventions for a fixed set of services of its own."""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Answer, NotInstalled, answer_of

PACKAGE = "mock-sap"
PREFIX = "mock_sap_"
_BASE = "http://differential"


class MockSapTarget:
    """Serves only what ``documents`` gives, under names that begin with ``mock_sap_``."""

    name = "mock-sap"

    def __init__(self) -> None:
        if importlib.util.find_spec("mocksap") is None:
            raise NotInstalled("pip install mock-sap==0.22.0")
        self.about = f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"
        self._server = importlib.import_module("mocksap.server")
        self._database = importlib.import_module("mocksap.db")
        self._error = importlib.import_module("mocksap.odata").SapError
        config = self._server.Config(csrf=False, quiet=True, log_requests=False, clock="2026-01-01T00:00")
        self._mock = self._server.MockSap(config)
        self._paths: dict[str, str] = {}
        self.documents = self._read()

    def _read(self) -> dict[str, bytes]:
        """The metadata of its services, as it serves it."""
        services = importlib.import_module("mocksap.schema").SERVICES
        found: dict[str, bytes] = {}
        listed = services.values() if isinstance(services, Mapping) else services
        for service in listed:
            name = f"{PREFIX}{service.name}_V{service.version}".replace(".", "_")
            self._paths[name] = service.path
            status, body = self._dispatch("GET", f"{service.path}/$metadata", "", b"")
            if status == 200:
                found[name] = body
        return found

    def hosts(self, service: str, version: str) -> bool:
        """Its own services only."""
        return service in self.documents

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        """Send one request; what it wrote is rolled back."""
        path = f"{self._paths[sample.call.service]}/{http.path}"
        connection = self._mock.conn
        connection.commit()
        before = connection.serialize() if http.method != "GET" else b""
        status, body = self._dispatch(http.method, path, http.query, http.body)
        if before and status < 400:
            connection.deserialize(before)
        return answer_of(status, body[:300].decode("utf-8", "replace"))

    def seed(self, service: str, http: HttpCall) -> None:
        """Write something that stays."""
        self._dispatch(http.method, f"{self._paths[service]}/{http.path}", http.query, http.body)

    def close(self) -> None:
        """Close its database and put its clock back."""
        self._mock.close()

    def _dispatch(self, method: str, path: str, query: str, body: bytes) -> tuple[int, bytes]:
        headers = {"accept": "application/json"} if not path.endswith("$metadata") else {}
        if body:
            headers["content-type"] = "application/json"
        try:
            response = self._server.dispatch(
                self._mock.context(_BASE, "100"), method, unquote(path), query, headers, body
            )
        except self._error as error:
            return int(error.status), str(error).encode()
        content: Any = response.body
        return int(response.status), content if isinstance(content, bytes) else str(content).encode()
