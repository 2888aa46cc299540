"""All services in one: routing, request log, CSRF, repeatability, transactions. Sans I/O but for the store."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace

from embedded.odata_service.catalogue import Catalogue
from embedded.odata_service.config import Ambient, Config
from embedded.odata_service.endpoint import WRITE_METHODS, Endpoint
from embedded.odata_service.errors import InputFileError, MetadataError, NotAllowed, NotFound, ODataError
from embedded.odata_service.faults import Fault, Faults
from embedded.odata_service.guards import Repeatability, Sessions, token_required
from embedded.odata_service.messages import Reply, Request, error_reply, json_reply
from embedded.odata_service.query import query_pairs
from embedded.odata_service.related import Rows
from embedded.odata_service.rules import Rules, load_rules, value_list_rows
from embedded.odata_service.seeds import Entry, Seeder, load_entries, loose_record
from embedded.odata_service.store import Store

_LOGGER = logging.getLogger(__name__)


class _TakenBack(Exception):
    """Rolls a write back and carries its answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class Server:
    """Raises InputFileError at construction when a codes, required, seed or assigned file does not fit."""

    def __init__(self, config: Config, catalogue: Catalogue, store: Store, ambient: Ambient) -> None:
        self._config = config
        self._catalogue = catalogue
        self._store = store
        self._ambient = ambient
        self._rules: Rules = load_rules(config.codes, config.required)
        self._sessions = Sessions(ambient.new_token)
        self._repeatability = Repeatability(store)
        self._endpoints: dict[str, Endpoint] = {}
        self.faults = Faults()
        self._apply_files()

    # start

    def _apply_files(self) -> None:
        with self._store.transaction():
            for entry in load_entries(self._config.seeds):
                Seeder(Rows(self._service_of(entry).service, self._store)).apply(entry)
            for entry in load_entries(self._config.assigned):
                self._add_assigned(entry)
            for endpoint in self._endpoints.values():
                self._fill_value_lists(endpoint)

    def _service_of(self, entry: Entry) -> Endpoint:
        endpoint = self._endpoint(entry.service, fill=False)  # a seeded row of a value list comes before our own
        if endpoint is None:
            raise InputFileError(f"{entry.where}: service {entry.service!r} is not served")
        return endpoint

    def _add_assigned(self, entry: Entry) -> None:
        service = self._service_of(entry).service
        collection = service.collections.get(entry.endpoint)
        if collection is None and entry.endpoint not in service.document.all_imports():
            raise InputFileError(f"{entry.where}: {entry.service} has no endpoint {entry.endpoint!r}")
        try:
            loose_record(service, collection.type, entry.record) if collection else None
        except ValueError as error:
            raise InputFileError(f"{entry.where}: {error}") from error
        self._store.add_assigned(entry.digest, entry.service, entry.endpoint, entry.record)

    def _endpoint(self, name: str, fill: bool = True) -> Endpoint | None:
        if name in self._endpoints:
            return self._endpoints[name]
        service = self._catalogue.get(name)
        if service is None:
            return None
        endpoint = Endpoint(
            service,
            self._store,
            self._rules,
            self._ambient.clock,
            self._ambient.new_guid,
            self._config.page_size,
            self._config.require_if_match,
        )
        self._endpoints[name] = endpoint
        if fill:
            self._fill_value_lists(endpoint)
        return endpoint

    def _fill_value_lists(self, endpoint: Endpoint) -> None:
        seeder = Seeder(Rows(endpoint.service, self._store))
        with self._store.transaction():
            for row in value_list_rows(endpoint.service, self._rules):
                seeder.apply(Entry("code list", endpoint.service.name, row.collection, row.record))

    # requests

    def take_fault(self, request: Request) -> Fault | None:
        """The fault to inject into this request; None unless faults are switched on."""
        name = request.path.strip("/").partition("/")[0]
        if not self._config.faults or not name or name.startswith("_") or name == "health":
            return None
        return self.faults.take(request, name, request.method in WRITE_METHODS)

    def handle(self, request: Request, fault: Fault | None = None) -> Reply:
        """One request to its reply; every request leaves a line in the log."""
        line = (
            self._ambient.clock().isoformat(),
            request.method,
            request.path + (f"?{request.query}" if request.query else ""),
            hashlib.sha256(request.body).hexdigest() if request.body else "",
            request.header("repeatability-request-id") or None,
        )
        if request.method not in WRITE_METHODS:
            # A read that is killed leaves nothing to be found out about.
            reply = self._answer(request, fault)
            self._store.log_request(*line, reply.status)
            return reply
        log_id = self._store.log_request(*line)
        reply = self._answer(request, fault)
        self._store.log_status(log_id, reply.status)
        return reply

    def _answer(self, request: Request, fault: Fault | None) -> Reply:
        name, _, path = request.path.lstrip("/").partition("/")
        v4 = self._catalogue.versions.get(name) != "V2"
        try:
            if name in self._catalogue.versions:
                return self._serve(_untunnelled(request), name, path, fault)
            return self._own_page(request, name, path)
        except ODataError as error:
            return error_reply(error, v4)
        except MetadataError as error:
            return error_reply(ODataError(str(error), status=503, code="MetadataUnreadable"), v4)
        except Exception:
            # The transaction was rolled back: the caller learns that nothing happened, the operator why.
            _LOGGER.exception("%s %s failed", request.method, request.path)
            return error_reply(ODataError("internal error, see the log of the service"), v4)

    def _own_page(self, request: Request, name: str, path: str) -> Reply:
        if name == "_faults" and request.method in ("POST", "DELETE") and self._config.faults:
            return self.faults.add(request.body) if request.method == "POST" else self.faults.clear()
        if request.method not in ("GET", "HEAD"):
            raise NotFound(f"no service {name!r} here; GET / lists them", code="ServiceNotFound")
        options = query_pairs(request.query)
        if name == "":
            services = [
                {"name": service, "version": version, "url": f"{request.base_url}/{service}/"}
                for service, version in self._catalogue.versions.items()
            ]
            return json_reply(200, {"services": services, "refused": self._catalogue.refused})
        if name == "health":
            return json_reply(200, {"status": "ok"})
        if name == "_log":
            since = options.get("since", "0")
            return json_reply(200, self._store.request_log(path == "writes", int(since) if since.isdigit() else 0))
        if name == "_actions":
            return json_reply(200, self._store.action_log(options.get("service")))
        raise NotFound(f"no service {name!r} here; GET / lists them", code="ServiceNotFound")

    def _serve(self, request: Request, name: str, path: str, fault: Fault | None) -> Reply:
        endpoint = self._endpoint(name)
        if endpoint is None:
            raise NotFound(f"no service {name!r} here")
        if request.method in ("GET", "HEAD"):
            reply = endpoint.handle(request, path)
            if request.header("x-csrf-token").lower() == "fetch":
                reply.headers |= self._sessions.fetch(request)
            return reply
        if request.method not in WRITE_METHODS:
            raise NotAllowed(f"method {request.method} is not served")
        if fault is not None and fault.kind == "expired_token":
            self._sessions.expire(request)
            raise token_required()
        if self._config.require_csrf:
            self._sessions.check(request)
        if fault is not None and fault.kind == "stale_etag":
            with self._store.transaction():
                endpoint.bump(path)
        if fault is not None and fault.kind == "no_effect":
            return self._pretend(endpoint, request, path)
        return self._write(endpoint, request, path)

    def _pretend(self, endpoint: Endpoint, request: Request, path: str) -> Reply:
        """The answer of a write that is taken back."""
        try:
            with self._store.transaction():
                raise _TakenBack(endpoint.handle(request, path))
        except _TakenBack as done:
            return done.reply

    def _write(self, endpoint: Endpoint, request: Request, path: str) -> Reply:
        """Effect and stored answer in one transaction: killed in between, either both stand or none."""
        request_id = self._repeatability.request_id(request)
        with self._store.transaction():
            stored = self._repeatability.stored(request, request_id) if request_id else None
            if stored is not None:
                return stored
            reply = endpoint.handle(request, path)
            if request_id:
                self._repeatability.keep(request, request_id, reply)
            return reply


def _untunnelled(request: Request) -> Request:
    """`X-HTTP-Method: MERGE` on a POST (MS-ODATA section 2.2.5.8)."""
    wanted = (request.header("x-http-method") or request.header("x-http-method-override")).upper()
    if request.method == "POST" and wanted in WRITE_METHODS:
        return replace(request, method=wanted)
    return request
