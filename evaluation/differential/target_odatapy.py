"""odatapy in strict mode, in this process: a server for any V4 metadata that knows structure, but no annotations."""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Mapping
from typing import Any

from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Answer, NotInstalled, answer_of

PACKAGE = "odatapy"
_BASE = "http://differential/"


class OdatapyTarget:
    """``seeds``: service -> requests that fill its sets, sent once when the service is first asked."""

    name = "odatapy"

    def __init__(self, documents: Mapping[str, bytes], seeds: Mapping[str, list[HttpCall]]) -> None:
        if importlib.util.find_spec(PACKAGE) is None:
            raise NotInstalled("pip install odatapy==5.3.0")
        self.about = f"{PACKAGE} {importlib.metadata.version(PACKAGE)}, strict"
        self._documents, self._seeds = documents, seeds
        self._services: dict[str, tuple[Any, Any, Any] | None] = {}

    def hosts(self, service: str, version: str) -> bool:
        """Version 4 only: it reads older metadata without complaint and serves something else."""
        return version.startswith("4") and service in self._documents and self._service(service) is not None

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        """Send one request; the store is put back after it."""
        found = self._service(sample.call.service)
        if found is None:
            return Answer("silent", 0, "not served")
        handler, store, snapshot = found
        answer = self._send(handler, http)
        if http.method != "GET":
            store.restore(snapshot)
            self._services[sample.call.service] = (handler, store, store.snapshot())
        return answer

    def close(self) -> None:
        """Nothing to give back."""

    def _service(self, name: str) -> tuple[Any, Any, Any] | None:
        if name not in self._services:
            try:
                self._services[name] = self._start(name)
            except Exception:  # metadata that it cannot read, in whatever way it says so
                self._services[name] = None
        return self._services[name]

    def _start(self, name: str) -> tuple[Any, Any, Any]:
        server, memory = importlib.import_module("odatapy.server"), importlib.import_module("odatapy.server.inmemory")
        provider = importlib.import_module("odatapy.edm.xml_io").XmlEdmProvider(self._documents[name])
        odata = server.OData.new_instance(strict_deserialization=True)
        handler = odata.create_handler(odata.create_service_metadata(provider))
        store = memory.InMemoryDataStore()
        handler.register(memory.InMemoryProcessor(store))
        for seed in self._seeds.get(name, ()):
            self._send(handler, seed)
        return handler, store, store.snapshot()

    def _send(self, handler: Any, http: HttpCall) -> Answer:
        common = importlib.import_module("odatapy.server.adapters.common")
        headers = {"content-type": "application/json"} if http.body else {}
        request = common.build_request(
            method=http.method,
            odata_path=common.decode_path(http.path),
            query_string=http.query or None,
            base_uri=_BASE,
            headers=headers,
            body=http.body,
        )
        response = handler.process(request)
        text = b"" if response.status_code < 400 else _body(response)
        return answer_of(response.status_code, text.decode("utf-8", "replace")[:300])


def _body(response: Any) -> bytes:
    content = response.content
    return content if isinstance(content, bytes) else str(content).encode()
