"""$select and $expand against the contract (R48, R49): V2 paths, V4 nested options."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from odata.filter_paths import PathFault, Step, resolve_path
from odata.findings import Fault, did_you_mean
from odata.model import Model
from wire.endpoint import Cardinality


class Expanded(NamedTuple):
    """What an item of $expand ends in: entities of a type in a set, one or many, or only their ``$ref`` or ``$count``."""

    type_name: str
    at_set: str | None
    many: bool
    only: str = ""


NestedCheck = Callable[[Expanded, dict[str, str]], list[Fault]]


class ExpandItem(NamedTuple):
    """One item of $expand: the path, and in V4 the options in its parentheses."""

    path: str
    options: dict[str, str]


def split_top(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside of parentheses and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for index, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif not quoted:
            depth += (character == "(") - (character == ")")
            if character == separator and depth == 0:
                parts.append(text[start:index])
                start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts]


def check_select(
    model: Model, root: str, text: str, expanded: tuple[str, ...], computed: frozenset[str] = frozenset()
) -> Iterator[Fault]:
    """Faults of a $select; ``expanded`` are the paths of the $expand beside it, ``computed`` names that it introduces."""
    for item in split_top(text, ","):
        if item == "*" or item in computed or (model.v4 and re.fullmatch(r"[\w.]+\.\*", item)):
            continue
        if "(" in item and model.contract.version == "4.01":
            item = item.split("(", 1)[0]
        try:
            steps = _select_steps(model, root, item)
        except PathFault as fault:
            yield Fault("R48", fault.message, fault.allowed, fault.suggestion)
            continue
        navigations = [s.navigation.name for s in steps[:-1] if s.navigation is not None]
        if navigations and model.v4:
            yield Fault("R48", f"{item}: select behind a navigation is written $expand={navigations[0]}($select=...)")
        elif navigations and not _is_expanded(item.split("/"), navigations, expanded):
            yield Fault("R48", f"{item}: {navigations[0]} must also stand in $expand", (), "/".join(navigations))


def _select_steps(model: Model, root: str, item: str) -> list[Step]:
    """Members along a $select path. Behind a to-many navigation V2 goes on into its entities."""
    steps: list[Step] = []
    current = root
    segments = item.split("/")
    if not item or "" in segments:
        raise PathFault(f"{item!r} is no path")
    for index, segment in enumerate(segments):
        if segment == "*" and index == len(segments) - 1 and index and not model.v4:
            return steps
        segment = model.canonical(segment)
        if "." in segment and segment not in model.types:
            if _is_operation(model, segment):
                return steps
            raise PathFault(f"{segment} is no type of this service")
        operand, found = resolve_path(model, current, [segment])
        steps.extend(found)
        if index < len(segments) - 1:
            if operand.structured is None and (found and found[0].property is not None):
                raise PathFault(f"{segment} has no members")
            current = operand.structured or current
    return steps


def _is_operation(model: Model, name: str) -> bool:
    return any(name in (op.qualified_name, op.name) for op in model.bound_operations)


def _is_expanded(segments: list[str], navigations: list[str], expanded: tuple[str, ...]) -> bool:
    wanted = "/".join(s for s in segments if s in navigations)
    return any(path == wanted or path.startswith(wanted + "/") for path in expanded)


def expand_items(text: str) -> list[ExpandItem] | Fault:
    """The items of a $expand, or why it cannot be read."""
    items: list[ExpandItem] = []
    for part in split_top(text, ","):
        match = re.fullmatch(r"([^()]*)(?:\((.*)\))?", part, re.DOTALL)
        if match is None or not match[1].strip():
            return Fault("R48", f"{part!r} is no item of $expand")
        options: dict[str, str] = {}
        for option in split_top(match[2], ";") if match[2] else ():
            name, equals, value = option.partition("=")
            if not equals:
                return Fault("R48", f"{option!r} in {part} is no option: write $name=value, separated by semicolons")
            if name.strip() in options:
                return Fault("R50", f"{name.strip()} stands twice in {part}")
            options[name.strip()] = value.strip()
        items.append(ExpandItem(match[1].strip(), options))
    return items


def check_expand(
    model: Model, root: str, at_set: str | None, text: str, denied: tuple[str, ...], nested: NestedCheck
) -> Iterator[Fault]:
    """Faults of a $expand. ``nested`` checks the options of a V4 item against its target type."""
    items = expand_items(text)
    if isinstance(items, Fault):
        yield items
        return
    for item in items:
        if item.options and not model.v4:
            yield Fault("R49", f"{item.path}(...): nested options are OData 4; here write paths: {item.path}/Next")
        elif item.path in ("*", "*/$ref") and model.v4:
            continue
        else:
            yield from _check_item(model, root, at_set, item, denied, nested)


def _check_item(
    model: Model, root: str, at_set: str | None, item: ExpandItem, denied: tuple[str, ...], nested: NestedCheck
) -> Iterator[Fault]:
    current, where, navigated, many, only = root, at_set, 0, True, ""
    segments = item.path.split("/")
    if model.v4 and segments[-1] in ("$ref", "$count") and len(segments) > 1:
        only, segments = segments[-1], segments[:-1]
    for segment in map(model.canonical, segments):
        if model.v4 and "." in segment:
            if segment not in model.types or not (model.derives(segment, current) or model.derives(current, segment)):
                yield Fault("R48", f"{segment} is no type derived from {current}")
                return
            current = segment
            continue
        nav = model.navigations.get(current, {}).get(segment)
        if nav is None:
            complex_type = _complex(model, current, segment)
            if complex_type and model.v4 and not navigated:
                current = complex_type
                continue
            yield _no_navigation(model, current, segment)
            return
        navigated += 1
        if navigated == 2 and model.v4:
            yield Fault("R49", f"{item.path}: OData 4 nests: $expand={segments[0]}($expand={segment})")
            return
        if current == root and segment in denied:
            yield Fault("R48", f"{segment} cannot be expanded")
        where, current, many = model.target_set(where, nav), nav.target_type, nav.cardinality is Cardinality.MANY
    if navigated == 0:
        yield Fault("R48", f"{item.path} leads to no navigation property")
    elif item.options:
        yield from nested(Expanded(current, where, many, only), item.options)


def _complex(model: Model, owner: str, name: str) -> str:
    prop = model.properties.get(owner, {}).get(name)
    return prop.type if prop is not None and prop.type in model.types else ""


def _no_navigation(model: Model, owner: str, name: str) -> Fault:
    known = tuple(model.navigations.get(owner, {}))
    what = "is no navigation property" if name in model.properties.get(owner, {}) else "is unknown"
    return Fault("R48", f"{name} {what} of {owner}", known, did_you_mean(name, known))
