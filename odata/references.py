"""References to existing entities in a body: ``Nav@odata.bind``, ``@id``, V2 ``__metadata.uri`` (R38-R40)."""

import re
from typing import Any, NamedTuple

from odata.findings import Report, did_you_mean
from odata.keys import key_problem
from odata.model import Model
from odata.plans import NavigationPlan
from odata.primitives import json_kind
from odata.url_literals import unquote_path
from wire.endpoint import Cardinality

_IDS = ("@odata.id", "@id")


class Reference(NamedTuple):
    """A reference object: its form (``v2``, ``id``) and the URL in it."""

    form: str
    url: Any


def reference_of(value: dict[str, Any], v4: bool) -> Reference | None:
    """The reference that an object is, or None when it holds data of its own."""
    metadata = value.get("__metadata")
    if isinstance(metadata, dict) and set(value) == {"__metadata"} and "uri" in metadata:
        return Reference("v2", metadata["uri"])
    if len(value) == 1:
        name = next(iter(value))
        if name in _IDS:
            return Reference("id", value[name])
    return None


def check_reference(model: Model, plan: NavigationPlan, reference: Reference, here: str, report: Report) -> None:
    """A reference object below a navigation."""
    name = plan.navigation.name
    if reference.form == "v2":
        if model.v4:
            report.add("R40", here, f'__metadata is OData 2.0: write "{name}@odata.bind": "Set(key)"', reference.url)
            return
        _check_target(model, plan, reference.url, f"{here}/__metadata/uri", report)
        return
    if model.contract.version != "4.01":
        report.add("R40", here, f"OData {model.contract.version} has no @id in a body", reference.url)
        return
    _check_target(model, plan, reference.url, here, report)


def check_bind(model: Model, plan: NavigationPlan, value: Any, here: str, report: Report) -> None:
    """R39: a string for a navigation to one, an array of strings for a navigation to many."""
    name = plan.navigation.name
    many = plan.navigation.cardinality is Cardinality.MANY
    if plan.navigation.contained and not _leads_into(value):
        report.add("R39", here, f"{name} contains its entities: nest them, they cannot be referred to", value)
    elif many and not isinstance(value, list):
        report.add("R39", here, f"{name} leads to many: @odata.bind takes an array of strings", value)
    elif not many and value is None:
        if not plan.navigation.nullable:
            report.add("R39", here, f"{name} must have a target")
    elif not many and not isinstance(value, str):
        report.add("R39", here, f"{name} leads to one: @odata.bind takes a string, this is {json_kind(value)}", value)
    elif many:
        for index, url in enumerate(value):
            _check_target(model, plan, url, f"{here}/{index}", report)
    else:
        _check_target(model, plan, value, here, report)


def _check_target(model: Model, plan: NavigationPlan, url: Any, here: str, report: Report) -> None:
    if not isinstance(url, str):
        report.add("R39", here, "a reference is a string such as Set(key)", url)
        return
    set_name, predicate = split_reference(url)
    wanted = _wanted_sets(model, plan)
    if _is_path(url):
        report.defer("R38", here, f"only the service knows where {url} leads", url)
        return
    if wanted and set_name not in wanted:
        target = plan.navigation.target_type
        message = (
            f"{plan.navigation.name} leads to {target}: the reference must name {' or '.join(wanted) or 'its set'}"
        )
        report.add("R39", here, message, url, wanted, did_you_mean(set_name, wanted))
        return
    entity_type = model.types.get(model.sets.get(set_name, plan.navigation.target_type))
    if predicate is not None and entity_type is not None:
        why = key_problem(model, entity_type, predicate)
        if why:
            report.add("R44", here, why, url)
            return
    report.defer("R38", here, f"only the service knows whether {url} exists", url)


def _wanted_sets(model: Model, plan: NavigationPlan) -> tuple[str, ...]:
    if plan.target_set is not None:
        return (plan.target_set,)
    target = plan.navigation.target_type
    return tuple(
        name for name, entity in model.sets.items() if model.derives(entity, target) or model.derives(target, entity)
    )


def _leads_into(value: Any) -> bool:
    """Whether a reference names a contained entity by its path, which only the service can judge; null removes one."""
    urls = value if isinstance(value, list) else [value]
    return all(url is None or (isinstance(url, str) and _is_path(url)) for url in urls)


def _is_path(url: str) -> bool:
    """Whether the URL goes on behind a key (``Customers('A')/Orders(1)``), so that its end is a navigation."""
    bare = re.sub(r"'(?:[^']|'')*'", "", url.split("?", 1)[0])
    return ")/" in bare


def split_reference(url: str) -> tuple[str, str | None]:
    """Set name and key predicate (without parentheses) of a relative or absolute entity URL."""
    path = url.split("?", 1)[0]
    cut = path.find("(")
    head, rest = (path, None) if cut < 0 else (path[:cut], path[cut + 1 :])
    name = unquote_path(head.rstrip("/").rsplit("/", 1)[-1])
    if rest is None:
        return name, None
    end = rest.rfind(")")
    return name, unquote_path(rest[:end] if end >= 0 else rest)
