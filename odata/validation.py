"""Validation of proposed calls: compiled once from an EndpointContract, then pure and fast.

``compile_validator(contract)`` is cached by the caller under (graph_hash, service, endpoint, verb). A verdict holds every
finding at once; with none it holds the request as it would be sent.
"""

from collections.abc import Iterable
from typing import Any

from odata.findings import Report, did_you_mean
from odata.inheritance import Link, link_to_child
from odata.model import Model
from odata.operations import check_operation
from odata.path import Resource, resolve
from odata.payload import TOO_DEEP, PayloadWalker
from odata.plans import Mode, Plans, TypePlan
from odata.prepare import prepare_request
from odata.presence import PresenceCheck
from odata.query_options import Target, check_query
from odata.schema import body_schema, compile_gate
from odata.verbs import check_verb, verb_of
from wire.call import Finding, ProposedCall, Verdict
from wire.endpoint import EndpointContract, Permission, Restrictions, Verb

__all__ = ["Validator", "compile_validator", "unknown_endpoint", "verb_of"]

_NO_RESTRICTIONS = Restrictions()
_MODES: dict[str, Mode] = {"POST": "create", "PATCH": "update", "PUT": "replace"}


class _Body:
    """The compiled checks of bodies of one mode."""

    def __init__(self, model: Model, mode: Mode) -> None:
        self.plans = Plans(model, mode)
        self.presence = PresenceCheck(self.plans)
        self._gates: dict[tuple[str, str | None], Any] = {}

    def is_plain(self, body: dict[str, Any], plan: TypePlan) -> bool:
        """Whether the compiled schema accepts the body, so that no member needs a look."""
        key = (plan.type.name, plan.at_set)
        if key not in self._gates:
            self._gates[key] = compile_gate(body_schema(self.plans, plan))
        try:
            return bool(self._gates[key].is_valid(body))
        except (ValueError, TypeError):  # values that are no JSON: the walker names them
            return False


class Validator:
    """Validates the calls of one endpoint and verb. Holds compiled checks only; safe to share between threads."""

    def __init__(self, contract: EndpointContract) -> None:
        self.contract = contract
        self._model = Model(contract)
        self._bodies: dict[Mode, _Body] = {}
        self._operations = Plans(self._model, "parameters")

    def validate(self, call: ProposedCall) -> Verdict:
        """All findings about a call, and the request to send when there are none."""
        report = Report()
        resource = resolve(self._model, call, report)
        if not resource.broken:
            if resource.operations:
                check_operation(self._operations, resource.operations, call, report)
            else:
                check_verb(self._model, call, resource, self._limits(resource), report)
                if call.method in _MODES:
                    self._check_body(call, resource, report)
            self._check_query(call, resource, report)
        return self._verdict(call, resource, report)

    def _check_query(self, call: ProposedCall, resource: Resource, report: Report) -> None:
        reads = call.method == "GET"
        if not call.query and not (reads and resource.many and not resource.operations):
            return
        name = resource.type.name if resource.type is not None else None
        limits = self._limits(resource) if reads and not resource.operations else _NO_RESTRICTIONS
        writes = not reads and not resource.operations
        check_query(self._model, call.query or {}, Target(name, resource.at_set, resource.many, limits, writes), report)

    def _limits(self, resource: Resource) -> Restrictions:
        if not resource.navigated:
            return self.contract.restrictions
        found = self._model.set_restrictions.get(resource.at_set or "", _NO_RESTRICTIONS)
        if self._model.v4 and self.contract.verb is Verb.CREATE:
            # Insertable speaks of the set's own address: parts are created below their document all the same.
            return found.model_copy(update={"allowed": Permission.UNDECLARED})
        return found

    def _check_body(self, call: ProposedCall, resource: Resource, report: Report) -> None:
        mode = _MODES[call.method]
        entity = resource.type
        if entity is None or (entity.has_stream and mode == "create"):
            return
        body = self._bodies.get(mode)
        if body is None:
            body = self._bodies[mode] = _Body(self._model, mode)
        plan = body.plans.of(entity.name, resource.at_set)
        if plan is None:
            return
        payload = call.payload or {}
        if not body.is_plain(payload, plan):
            key = call.key if not resource.navigated else None
            PayloadWalker(body.plans, report, key).walk(payload, plan)
        body.presence.visit(payload, plan, report, "/payload", resource.parent_key, self._parent_link(resource))

    def _parent_link(self, resource: Resource) -> Link | None:
        if resource.parent is None or resource.navigation is None:
            return None
        return link_to_child(self._model, resource.parent, resource.navigation)

    def _verdict(self, call: ProposedCall, resource: Resource, report: Report) -> Verdict:
        contract = self.contract
        if report.findings:
            return Verdict(
                kind="invalid",
                findings=tuple(_in_document_order(report.findings, call)),
                undecided=tuple(report.undecided),
                metadata_digest=contract.metadata_digest,
                graph_hash=contract.graph_hash,
            )
        return Verdict(
            kind="undecided" if report.undecided else "valid",
            undecided=tuple(report.undecided),
            request=prepare_request(self._model, call, resource),
            metadata_digest=contract.metadata_digest,
            graph_hash=contract.graph_hash,
        )


def compile_validator(contract: EndpointContract) -> Validator:
    """The validator of one endpoint and verb."""
    return Validator(contract)


def unknown_endpoint(
    call: ProposedCall,
    known: Iterable[str],
    bound: Iterable[str] = (),
    contracts: Iterable[EndpointContract] = (),
) -> Verdict:
    """The verdict on a call whose endpoint the service does not have (R01).

    ``bound``: qualified names of bound operations (R52); ``contracts``: those of its sets, one of which may contain, at any
    depth, what the call takes for a set of its own (R41).
    """
    report = Report()
    names = tuple(known)
    for qualified in bound:
        if qualified.rsplit(".", 1)[-1] == call.endpoint.rsplit(".", 1)[-1]:
            message = f"{qualified} is bound: call it on its set, its qualified name last in the path"
            report.add("R52", "/endpoint", message, call.endpoint, (qualified,), qualified)
            break
    message = f"{call.service} has no EntitySet, Singleton or operation {call.endpoint}"
    report.add("R01", "/endpoint", message, call.endpoint, names, did_you_mean(call.endpoint, names))
    if (owner := _containing(call.endpoint, contracts)) is not None:
        message = f"{call.endpoint} is contained in {owner}: give the key of {owner} and the path {call.endpoint}"
        report.add("R41", "/endpoint", message, call.endpoint, (owner,), owner)
    return Verdict(kind="invalid", findings=tuple(report.findings))


def _containing(navigation: str, contracts: Iterable[EndpointContract]) -> str | None:
    for contract in contracts:
        found = (entity.navigation(navigation) for entity in contract.types)
        if any(item is not None and item.contained for item in found):
            return contract.endpoint
    return None


def _in_document_order(findings: list[Finding], call: ProposedCall) -> list[Finding]:
    """As a reader of the call meets them: endpoint, method, key, path, query, then the payload from top to bottom."""
    order: dict[str, int] = {}

    def place(pointer: str) -> tuple[int, ...]:
        return tuple(_position(part, order) for part in pointer.split("/")[1:])

    for name in ("endpoint", "method", "key", "path", "query", "payload"):
        _position(name, order)
    _number(call.payload, order)
    return sorted(findings, key=lambda f: place(f.pointer))


def _position(token: str, order: dict[str, int]) -> int:
    return int(token) if token.isdigit() else order.setdefault(token, len(order))


def _number(value: Any, order: dict[str, int], depth: int = 0) -> None:
    if depth > TOO_DEEP:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            order.setdefault(str(name), len(order))
            _number(inner, order, depth + 1)
    elif isinstance(value, list):
        for inner in value[:1]:
            _number(inner, order, depth + 1)
