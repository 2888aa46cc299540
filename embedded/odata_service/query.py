"""System query options -> `Query`. Options of the other version, unknown `$` options and bad numbers are 400."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from embedded.odata_service.errors import BadRequest
from embedded.odata_service.filter_parser import Node, parse_filter

_BOTH = {"$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$format", "$skiptoken"}
_V2_OPTIONS = _BOTH | {"$inlinecount"}
_V4_OPTIONS = _BOTH | {"$count", "$search", "$levels"}


@dataclass(slots=True)
class Query:
    """`select` None = all; entries are paths. `orderby` pairs a parsed path with `descending`."""

    filter: Node | None = None
    select: list[tuple[str, ...]] | None = None
    expand: dict[str, Query] = field(default_factory=dict)
    orderby: list[tuple[Node, bool]] = field(default_factory=list)
    top: int | None = None
    skip: int = 0
    skiptoken: int = 0
    count: bool = False
    search: str | None = None


def split_outside(text: str, separator: str) -> list[str]:
    """Splits at separators outside quotes and parentheses; empty text gives no parts."""
    parts, depth, quoted, start = [], 0, False, 0
    for index, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif not quoted and character == "(":
            depth += 1
        elif not quoted and character == ")":
            depth -= 1
        elif not quoted and depth == 0 and character == separator:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]] if text else []


def query_pairs(query_string: str) -> dict[str, str]:
    """Decoded options. A repeated system option is 400, as the protocol demands."""
    found: dict[str, str] = {}
    for part in query_string.split("&"):
        if not part:
            continue
        name, _, value = part.partition("=")
        name = unquote_plus(name)
        if name.startswith("$") and name in found:
            raise BadRequest(f"query option {name} is given twice", target=name)
        found[name] = unquote_plus(value)
    return found


def _number(name: str, text: str) -> int:
    if not text.strip().isdigit():
        raise BadRequest(f"{name}={text!r}: expected a number of at least 0", target=name)
    return int(text)


def _node(name: str, text: str, v4: bool) -> Node:
    try:
        return parse_filter(text, v4)
    except ValueError as error:
        raise BadRequest(f"{name}: {error}", target=name) from error


def _orderby(text: str, v4: bool) -> list[tuple[Node, bool]]:
    items = []
    for part in split_outside(text, ","):
        words = part.strip().rsplit(" ", 1)
        descending = len(words) == 2 and words[1] == "desc"
        bare = words[0] if len(words) == 2 and words[1] in ("asc", "desc") else part.strip()
        items.append((_node("$orderby", bare, v4), descending))
    return items


def _select(text: str) -> list[tuple[str, ...]] | None:
    paths = [tuple(part.strip().split("/")) for part in text.split(",")]
    return None if ("*",) in paths else paths


def _v2_expand(text: str) -> dict[str, Query]:
    root = Query()
    for path in text.split(","):
        node = root
        for part in path.strip().split("/"):
            if "(" in part:
                raise BadRequest(f"$expand={path}: options in parentheses belong to OData V4", target="$expand")
            node = node.expand.setdefault(part, Query())
    return root.expand


def _v4_expand(text: str) -> dict[str, Query]:
    found: dict[str, Query] = {}
    for part in split_outside(text, ","):
        name, parenthesis, rest = part.strip().partition("(")
        options: dict[str, str] = {}
        if parenthesis:
            if not rest.endswith(")"):
                raise BadRequest(f"$expand={part}: closing parenthesis missing", target="$expand")
            for option in split_outside(rest[:-1], ";"):
                key, _, value = option.partition("=")
                options[key.strip()] = value
        if name.rpartition("/")[2] in ("$ref", "$count"):
            raise BadRequest(f"$expand={part}: {name.rpartition('/')[2]} is not supported here", target="$expand")
        found[name.rpartition("/")[2]] = parse_query(options, v4=True)
    return found


def _move_nested_selects(query: Query) -> None:
    """V2 `$select=to_Item/Material`: the part below a navigation belongs to the expanded query."""
    if query.select is None:
        return
    own: list[tuple[str, ...]] = []
    for path in query.select:
        below = query.expand.get(path[0])
        if below is None or len(path) == 1:
            own.append(path)
            continue
        below.select = [*(below.select or []), path[1:]]
        own.append((path[0],))
    query.select = own
    for below in query.expand.values():
        if below.select is not None:
            below.select = None if ("*",) in below.select else below.select
            _move_nested_selects(below)


def parse_query(options: Mapping[str, str], v4: bool) -> Query:
    """Custom options (no `$`) are ignored, `$format` must ask for JSON."""
    allowed = _V4_OPTIONS if v4 else _V2_OPTIONS
    for name in options:
        if name.startswith("$") and name not in allowed:
            raise BadRequest(f"{name} is no query option of OData {'V4' if v4 else 'V2'}", target=name)
    format_name = options.get("$format", "json").partition(";")[0]
    if format_name not in ("json", "application/json"):
        raise BadRequest(f"$format={format_name}: only json is served", target="$format")
    query = Query(top=_number("$top", options["$top"]) if "$top" in options else None)
    query.skip = _number("$skip", options.get("$skip", "0"))
    query.skiptoken = _number("$skiptoken", options.get("$skiptoken", "0"))
    query.count = _wants_count(options)
    query.search = options.get("$search")
    if options.get("$filter", "").strip():
        query.filter = _node("$filter", options["$filter"], v4)
    if options.get("$orderby", "").strip():
        query.orderby = _orderby(options["$orderby"], v4)
    if options.get("$select", "").strip():
        query.select = _select(options["$select"])
    if options.get("$expand", "").strip():
        query.expand = _v4_expand(options["$expand"]) if v4 else _v2_expand(options["$expand"])
    if not v4:
        _move_nested_selects(query)
    return query


def _wants_count(options: Mapping[str, str]) -> bool:
    if "$inlinecount" in options and options["$inlinecount"] not in ("allpages", "none"):
        raise BadRequest("$inlinecount takes allpages or none", target="$inlinecount")
    if "$count" in options and options["$count"] not in ("true", "false"):
        raise BadRequest("$count takes true or false", target="$count")
    return options.get("$inlinecount") == "allpages" or options.get("$count") == "true"
