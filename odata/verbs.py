"""Whether the verb of a call may be used on what it addresses (R02, R03, R42, R44, R51, R56, R59, R60)."""

from typing import get_args

from odata.findings import Report, escape
from odata.model import Model
from odata.path import Resource
from wire.call import Method, ProposedCall
from wire.endpoint import Permission, Restrictions, Verb

_VERBS: dict[Method, Verb] = {
    "GET": Verb.READ,
    "POST": Verb.CREATE,
    "PATCH": Verb.UPDATE,
    "PUT": Verb.UPDATE,
    "DELETE": Verb.DELETE,
    "ACTION": Verb.ACTION,
}
METHODS: tuple[Method, ...] = get_args(Method)


def verb_of(method: Method) -> Verb:
    """The verb whose contract a call is validated against."""
    return _VERBS[method]


def check_verb(model: Model, call: ProposedCall, resource: Resource, limits: Restrictions, report: Report) -> None:
    """Restrictions of the set, then the shape of what is addressed. ``limits``: of the set that the path ends in."""
    if not model.contract.restrictions.addressable:
        report.add("R03", "/endpoint", f"{call.endpoint} is reached through navigations only", call.endpoint)
    if resource.singleton and call.method in ("POST", "DELETE"):
        word = "created" if call.method == "POST" else "deleted"
        report.add(
            "R42", "/method", f"{call.endpoint} is a singleton and cannot be {word}", call.method, ("GET", "PATCH")
        )
        return
    if limits.allowed is Permission.DENIED:
        where = resource.at_set or call.endpoint
        report.add("R02", "/method", f"{where} does not allow {call.method} ({verb_of(call.method)})", call.method)
    _check_shape(call, resource, report)
    if call.method in ("PATCH", "PUT"):
        _check_update(model, call, resource, limits, report)
    if call.method in ("GET", "DELETE") and call.payload:
        report.add("R02", "/payload", f"{call.method} has no body; conditions stand in key and query")
    if call.method == "POST" and resource.type is not None and resource.type.has_stream:
        message = f"{resource.type.name} is a media entity: it is created by uploading the media, not from JSON"
        report.add("R59", "/payload", message)


def _check_shape(call: ProposedCall, resource: Resource, report: Report) -> None:
    """Creates address collections; updates and deletes one entity."""
    keys = resource.type.keys if resource.type is not None else ()
    if call.method == "ACTION":
        report.add("R51", "/method", f"{call.endpoint} is no operation: its name stands last in the path", call.method)
    elif call.method == "POST" and not resource.many:
        if resource.navigated:
            report.add(
                "R02", "/method", "an entity is created in a collection, the path leads to one entity", call.method
            )
        else:
            report.add("R44", "/key", "an entity is created in its set: the key belongs into the payload", call.key)
    elif call.method in ("PATCH", "PUT", "DELETE") and resource.many:
        if resource.navigated:
            report.add("R02", "/method", f"{call.method} addresses one entity, the path leads to many", call.method)
            return
        report.add("R44", "/key", f"{call.method} addresses one entity: give its key", call.key, keys)
        for name in keys:
            report.add("R44", f"/key/{escape(name)}", f"{name} is missing in the key", None, keys)


def _check_update(model: Model, call: ProposedCall, resource: Resource, limits: Restrictions, report: Report) -> None:
    wanted = limits.update_method
    if model.v4 and wanted in ("PATCH", "PUT") and call.method != wanted:
        report.add("R56", "/method", f"this set is updated by {wanted}", call.method, (wanted,), wanted)
    if call.payload is None:
        report.add("R56", "/payload", f"{call.method} needs a body with the properties to change")
    if limits.draft and (call.key or {}).get("IsActiveEntity") is True and not resource.navigated:
        message = "an active entity is changed through a draft: call the edit action, change the draft, activate it"
        report.add("R60", "/key/IsActiveEntity", message, True, ("false",))
