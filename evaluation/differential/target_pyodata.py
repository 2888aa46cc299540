"""pyodata, a V2 client: what its builders of entities and keys refuse before anything is sent."""

import importlib
import importlib.metadata
import importlib.util
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Answer, NotInstalled

PACKAGE = "pyodata"
_TICKS = re.compile(r"/Date\((-?\d+)(?:[+-]\d+)?\)/")


class PyodataTarget:
    """It has an opinion on creates and on keys; on all else it is silent."""

    name = "pyodata"

    def __init__(self, documents: Mapping[str, bytes]) -> None:
        if importlib.util.find_spec(PACKAGE) is None:
            raise NotInstalled("pip install pyodata==1.12.1")
        self.about = f"{PACKAGE} {importlib.metadata.version(PACKAGE)}, its client side"
        self._documents = documents
        self._schemas: dict[str, Any] = {}

    def hosts(self, service: str, version: str) -> bool:
        """Version 2 only."""
        return version == "2.0" and service in self._documents and self._schema(service) is not None

    def _schema(self, service: str) -> Any:
        if service not in self._schemas:
            model = importlib.import_module("pyodata.v2.model")
            config = model.Config(default_error_policy=model.PolicyIgnore(), retain_null=True)
            try:
                self._schemas[service] = model.MetadataBuilder(self._documents[service], config=config).build()
            except Exception:  # it reads a good part of real metadata, not all of it
                self._schemas[service] = None
        return self._schemas[service]

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        """Build the entity or the key; any exception is a refusal."""
        call, schema = sample.call, self._schema(sample.call.service)
        if schema is None or call.path or call.method not in ("POST", "GET", "DELETE", "PATCH"):
            return Answer("silent", 0, "no opinion")
        if call.method != "POST" and (call.key is None or not sample.pointer.startswith("/key")):
            return Answer("silent", 0, "no opinion")
        try:
            entity_set = schema.entity_set(call.endpoint)
        except Exception as error:
            return Answer("rejects", 0, repr(error)[:300])
        service = importlib.import_module("pyodata.v2.service")
        try:
            if call.method == "POST":
                request = service.EntityCreateRequest("http://differential", None, None, entity_set)
                request.set(**_python(call.payload or {}))
            else:
                service.EntityKey(entity_set.entity_type, **(call.key or {})).to_key_string()
        except Exception as error:
            return Answer("rejects", 0, repr(error)[:300])
        return Answer("accepts", 0)

    def close(self) -> None:
        """Nothing to give back."""


def _python(value: Any) -> Any:
    """Moments as pyodata takes them; the wrapper of arrays, which it writes itself, undone."""
    if isinstance(value, dict):
        if set(value) == {"results"}:
            return _python(value["results"])
        return {name: _python(inner) for name, inner in value.items() if name != "__metadata"}
    if isinstance(value, list):
        return [_python(item) for item in value]
    found = _TICKS.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(found[1]))
