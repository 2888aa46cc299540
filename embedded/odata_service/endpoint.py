"""One service answering one request: GET and writes, joined from the parts around it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from embedded.odata_service import capabilities
from embedded.odata_service.errors import BadRequest, Detail, NotAllowed, NotFound, ODataError
from embedded.odata_service.guards import check_if_match
from embedded.odata_service.messages import Reply, Request, json_reply
from embedded.odata_service.numbering import Numbering
from embedded.odata_service.operations import Operations, Outcome
from embedded.odata_service.payload import PayloadReader, parse_body
from embedded.odata_service.query import Query, parse_query, query_pairs
from embedded.odata_service.reads import Reader
from embedded.odata_service.related import Rows
from embedded.odata_service.render import Renderer
from embedded.odata_service.resource import PathReader, Resource
from embedded.odata_service.rules import Rules
from embedded.odata_service.schema import Collection, Relation, Service
from embedded.odata_service.store import Row, Store
from embedded.odata_service.writes import Writer, shape_of

WRITE_METHODS = ("POST", "PATCH", "MERGE", "PUT", "DELETE")


class Endpoint:
    """All of one service below `/{name}/`. Runs synchronously; the caller holds the transaction of a write."""

    def __init__(
        self,
        service: Service,
        store: Store,
        rules: Rules,
        clock: Callable[[], datetime],
        new_guid: Callable[[], str],
        page_size: int,
        require_if_match: bool,
    ) -> None:
        self.service = service
        rows = Rows(service, store)
        self._rows = rows
        self._rules = rules
        self._clock = clock
        self._require_if_match = require_if_match
        self._paths = PathReader(service, rows)
        self._reader = Reader(rows, clock, page_size)
        self._writer = Writer(rows, rules, Numbering(rows, clock, new_guid))
        self._operations = Operations(rows)

    def _renderer(self, request: Request) -> Renderer:
        accept = request.header("accept").replace(" ", "").lower()
        return Renderer(self.service, f"{request.base_url}/{self.service.name}/", "ieee754compatible=true" in accept)

    def handle(self, request: Request, path: str) -> Reply:
        """`path` is the raw path below the service. Raises ODataError."""
        resource = self._paths.read(path)
        if resource.kind == "batch":
            raise ODataError("$batch is not served: one request for each call", status=501, code="NotImplemented")
        if resource.kind == "operation":
            reply = self._operation(request, resource)
        elif request.method in ("GET", "HEAD"):
            reply = self._read(request, resource)
        else:
            reply = self._write(request, resource)
        version = {"odata-version": "4.0"} if self.service.v4 else {"dataserviceversion": "2.0"}
        reply.headers = {**version, **reply.headers}
        return reply

    # reads

    def _read(self, request: Request, resource: Resource) -> Reply:
        renderer = self._renderer(request)
        if resource.kind == "metadata":
            return self._metadata(request)
        if resource.kind == "service":
            return json_reply(200, renderer.service_document())
        if resource.kind in ("property", "value"):
            return self._read_property(resource, renderer)
        collection = _collection(resource)
        hidden = collection.entity_set is not None and collection.entity_set.sap.get("addressable") == "false"
        if hidden and resource.parent is None and not resource.single:
            raise NotAllowed(f'{collection.name} cannot be read directly: sap:addressable="false"')
        query = parse_query(query_pairs(request.query), self.service.v4)
        self._reader.check(query, resource.type)
        if resource.single:
            return self._read_entity(resource, collection, query, renderer)
        if resource.parent is None:
            self._check_required_filter(collection, request)
        page = self._reader.page(collection, resource.selection, resource.type, query)
        if resource.kind == "count":
            return Reply(200, str(page.total).encode(), {"content-type": "text/plain"})
        items = [self._reader.entity(collection, row, query, renderer) for row in page.rows]
        link = _next_link(request, page.next_skip)
        return json_reply(200, self._list(collection, items, page.total if query.count else None, link, renderer))

    def _metadata(self, request: Request) -> Reply:
        """The document under its own ETag: who has this version gets 304 (RFC 9110 section 13.1.2)."""
        etag = self.service.metadata_etag
        if request.header("if-none-match") == etag:
            return Reply(304, b"", {"etag": etag})
        return Reply(200, self.service.raw_metadata, {"content-type": "application/xml", "etag": etag})

    def _check_required_filter(self, collection: Collection, request: Request) -> None:
        text = query_pairs(request.query).get("$filter", "")
        if (
            collection.entity_set is not None
            and collection.entity_set.sap.get("requires-filter") == "true"
            and not text
        ):
            raise BadRequest(f"{collection.name} needs a $filter (sap:requires-filter)", target="$filter")
        for name, prop in self.service.properties(collection.type).items():
            if prop.sap.get("required-in-filter") == "true" and name not in text:
                raise BadRequest(f"$filter must name {name} (sap:required-in-filter)", target="$filter")

    def _list(
        self, collection: Collection, items: list[Any], count: int | None, link: str | None, renderer: Renderer
    ) -> dict[str, Any]:
        if not self.service.v4:
            found: dict[str, Any] = {"results": items}
            found |= {"__count": str(count)} if count is not None else {}
            return {"d": found | ({"__next": link} if link else {})}
        content: dict[str, Any] = {"@odata.context": renderer.context(collection, single=False)}
        content |= {"@odata.count": count} if count is not None else {}
        return content | {"value": items} | ({"@odata.nextLink": link} if link else {})

    def _read_entity(self, resource: Resource, collection: Collection, query: Query, renderer: Renderer) -> Reply:
        if resource.row is None:
            if self.service.v4 and resource.parent is not None and not resource.key_values:
                return Reply(204)
            raise NotFound(resource.missing or "the entity does not exist", code="ResourceNotFound")
        return self._entity_reply(200, collection, resource.row, query, renderer)

    def _entity_reply(self, status: int, collection: Collection, row: Row, query: Query, renderer: Renderer) -> Reply:
        content = self._reader.entity(collection, row, query, renderer)
        context = {"@odata.context": renderer.context(collection, single=True)}
        return json_reply(status, context | content if self.service.v4 else {"d": content}, {"etag": row.etag})

    def _read_property(self, resource: Resource, renderer: Renderer) -> Reply:
        prop = resource.property
        if prop is None:
            raise ODataError("media streams are not served", status=501, code="NotImplemented")
        value = renderer.value(resource.property_value, prop.type.name, prop.type.collection)
        if resource.kind == "value":
            if value is None:
                return Reply(204)
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return Reply(200, text.encode(), {"content-type": "text/plain;charset=utf-8"})
        if self.service.v4:
            return json_reply(200, {"value": value}) if value is not None else Reply(204)
        return json_reply(200, {"d": {prop.name: value}})

    # writes

    def _payload_reader(self, request: Request, mode: str) -> PayloadReader:
        content_type = request.header("content-type").replace(" ", "").lower()
        if content_type and "json" not in content_type:
            raise ODataError(f"content type {content_type} is not read: send application/json", status=415)
        ieee754 = "ieee754compatible=true" in content_type
        create = mode == "create"
        return PayloadReader(self.service, self._rules, "create" if create else "update", ieee754, self._resolve)

    def _resolve(self, reference: str, relation: Relation) -> str:
        """Key of the row that a reference URL names. Raises ValueError."""
        marker = f"/{self.service.name}/"
        path = reference.rpartition(marker)[2] if marker in reference else reference
        try:
            resource = self._paths.read(path)
        except ODataError as error:
            raise ValueError(f"{reference}: {error.message}") from error
        if resource.collection is None or resource.collection.name != relation.target.name:
            raise ValueError(f"{reference}: {relation.name} refers to {relation.target.name}")
        if resource.row is None:
            raise ValueError(f"{reference} does not exist")
        return resource.row.key

    def _write(self, request: Request, resource: Resource) -> Reply:
        collection = _collection(resource)
        if request.method == "POST":
            if resource.single or resource.kind != "collection":
                raise NotAllowed("POST creates in a collection, not on an entity")
            return self._create(request, resource, collection)
        if not resource.single or resource.kind not in ("entity",):
            raise NotAllowed(f"{request.method} needs one entity: give its key")
        verb: capabilities.Verb = "delete" if request.method == "DELETE" else "update"
        denied = capabilities.denial(self.service, collection, verb)
        if denied:
            raise NotAllowed(f"{collection.name} cannot be {verb}d: {denied}")
        if resource.row is None:
            raise NotFound(resource.missing or "the entity does not exist", code="ResourceNotFound")
        check_if_match(request, resource.row, self._require_if_match)
        if verb == "delete":
            self._writer.delete(resource.row, collection)
            return Reply(204)
        return self._update(request, resource.row, collection)

    def _create(self, request: Request, resource: Resource, collection: Collection) -> Reply:
        allowed = capabilities.navigation_insert_permission(resource.parent[1]) if resource.parent else None
        denied = capabilities.denial(self.service, collection, "insert") if allowed is None else None
        if allowed is False or denied:
            raise NotAllowed(f"{collection.name} takes no POST: {denied or 'NavigationRestrictions'}")
        reader = self._payload_reader(request, "create")
        draft = reader.entity(parse_body(request.body), collection, resource.type)
        inherited = self._writer.inherited(*resource.parent) if resource.parent else {}
        reader.findings.extend(_unless_reported(reader.findings, self._writer.check_create(draft, inherited)))
        reader.finish()
        parent = resource.parent
        row = self._writer.create_child(draft, *parent) if parent else self._writer.create(draft)
        renderer = self._renderer(request)
        location = renderer.root + renderer.path(collection, row)
        reply = self._entity_reply(201, collection, row, shape_of(draft), renderer)
        if "return=minimal" in request.header("prefer"):
            reply = Reply(204, b"", {"etag": row.etag, "odata-entityid": location})
        reply.headers["location"] = location
        return reply

    def _update(self, request: Request, row: Row, collection: Collection) -> Reply:
        reader = self._payload_reader(request, "update")
        body = parse_body(request.body)
        own_keys = {name: row.data.get(name) for name in collection.keys}
        draft = reader.entity({k: v for k, v in body.items() if k not in own_keys}, collection, row.type)
        for name in own_keys.keys() & body.keys():
            prop = self.service.properties(row.type)[name]
            draft.values[name] = reader.property_value(prop, body[name], f"/{name}")
        reader.finish()
        updated = self._writer.update(row, draft, replace_all=request.method == "PUT")
        if "return=representation" in request.header("prefer"):
            return self._entity_reply(200, collection, updated, Query(), self._renderer(request))
        return Reply(204, b"", {"etag": updated.etag})

    # operations

    def _operation(self, request: Request, resource: Resource) -> Reply:
        operation, imported = resource.operation, resource.operation_import
        method = (imported.http_method if imported and operation is None else None) or "GET"
        if operation is not None:
            method = "POST" if operation.kind == "Action" else "GET"
        if request.method != method:
            raise NotAllowed(f"this operation is called by {method}", headers={"allow": method})
        name = imported.name if imported else (operation.name if operation else "")
        has_effect = method == "POST"
        parameters = self._parameters(request, resource, has_effect)
        if resource.row is not None:
            check_if_match(request, resource.row, self._require_if_match and has_effect)
        call = self._operations.prepare(resource, name, parameters, has_effect)
        if has_effect and call.row is not None and request.header("if-match"):
            check_if_match(request, call.row, required=False)
        outcome = self._operations.perform(call, has_effect, self._clock().isoformat())
        return self._outcome_reply(outcome, resource, self._renderer(request))

    def _parameters(self, request: Request, resource: Resource, has_effect: bool) -> dict[str, Any]:
        options = query_pairs(request.query)
        if self.service.v4 and has_effect:
            body = parse_body(request.body) if request.body.strip() else {}
            return self._operations.from_body(resource, body, self._payload_reader(request, "create"))
        if self.service.v4:
            sent = {name: options.get(text, text) for name, text in resource.arguments.items()}
            return self._operations.from_literals(resource, sent)
        sent = {name: text for name, text in options.items() if not name.startswith(("$", "sap-"))}
        return self._operations.from_literals(resource, sent)

    def _outcome_reply(self, outcome: Outcome, resource: Resource, renderer: Renderer) -> Reply:
        returns = outcome.call.returns
        if returns is None:
            return Reply(204)
        if outcome.rows is not None:
            return self._rows_reply(outcome, returns.type.collection, renderer)
        value = renderer.value(outcome.value, returns.type.name) if not returns.type.collection else None
        items = [renderer.value(item, returns.type.name) for item in outcome.value] if returns.type.collection else []
        name = outcome.call.name.rpartition(".")[2]
        if not self.service.v4:
            return json_reply(200, {"d": {"results": items} if returns.type.collection else {name: value}})
        context = {"@odata.context": f"{renderer.root}$metadata#{returns.type}"}
        if returns.type.collection:
            return json_reply(200, context | {"value": items})
        return json_reply(200, context | (value if isinstance(value, dict) else {"value": value}))

    def _rows_reply(self, outcome: Outcome, many: bool, renderer: Renderer) -> Reply:
        rows = outcome.rows or []
        target = self._collection_of(rows, outcome.call.collection)
        if not many:
            return self._entity_reply(200, target, rows[0], Query(), renderer) if rows and target else Reply(204)
        items = [self._reader.entity(target, row, Query(), renderer) for row in rows] if target else []
        if target is None:
            return json_reply(200, {"value": []} if self.service.v4 else {"d": {"results": []}})
        return json_reply(200, self._list(target, items, None, None, renderer))

    def _collection_of(self, rows: list[Row], fallback: Collection | None) -> Collection | None:
        return self.service.collections.get(rows[0].collection, fallback) if rows else fallback

    def bump(self, path: str) -> None:
        """Moves on the version of the addressed row: makes every ETag read so far stale."""
        row = self._paths.read(path).row
        if row is not None:
            self._rows.store.update(self.service.name, row, row.data)


def _collection(resource: Resource) -> Collection:
    if resource.collection is None:
        raise NotAllowed(f"the method does not apply to {resource.kind}")
    return resource.collection


def _unless_reported(findings: list[Detail], more: list[Detail]) -> list[Detail]:
    """Leaves out a missing value that was refused for its form already."""
    reported = {item.target for item in findings}
    return [item for item in more if item.target not in reported]


def _next_link(request: Request, next_skip: int | None) -> str | None:
    if next_skip is None:
        return None
    kept = [part for part in request.query.split("&") if part and not part.startswith(("$skiptoken", "%24skiptoken"))]
    return f"{request.base_url}{request.path}?{'&'.join([*kept, f'$skiptoken={next_skip}'])}"
