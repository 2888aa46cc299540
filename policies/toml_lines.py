"""Where an element stands in a TOML text, so that a fault can be found: the parser of the standard library keeps no lines."""

import re
from collections.abc import Sequence

_TABLE = re.compile(r"^\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w-]+(?:\s*\.\s*[\w-]+)*)\s*=""")

Path = tuple[str | int, ...]


def line_of(text: str, place: Sequence[str | int]) -> int:
    """Line (from 1) of the element at ``place``, or of the nearest one around it; 1 when nothing of it is found."""
    known = _lines(text)
    for length in range(len(place), 0, -1):
        found = known.get(tuple(place[:length]))
        if found is not None:
            return found
    return 1


def _lines(text: str) -> dict[Path, int]:
    """Every table, array element and key with its line. Multi-line values count as their first line."""
    known: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    current: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        table = _TABLE.match(line)
        if table is not None and not _KEY.match(line):
            current = _resolved(_parts(table[2]), counts, new=table[1] == "[[")
            known.setdefault(current, number)
            known.setdefault(current[:1], number)
            continue
        key = _KEY.match(line)
        if key is not None:
            known.setdefault((*current, *_parts(key[1])), number)
    return known


def _parts(dotted: str) -> list[str]:
    """The names of a dotted key; a quoted one may hold dots itself."""
    return [part.strip("\"'") for part in re.findall(r"""\"[^\"]*\"|'[^']*'|[^.\s]+""", dotted)]


def _resolved(names: list[str], counts: dict[Path, int], *, new: bool) -> Path:
    """The path of a table header: names, with the index of the array element that is open now."""
    path: Path = ()
    for position, name in enumerate(names):
        path = (*path, name)
        last = position == len(names) - 1
        if last and new:
            counts[path] = counts.get(path, -1) + 1
            for other in [p for p in counts if p[: len(path)] == path and len(p) > len(path)]:
                if other[len(path)] == counts[path]:
                    del counts[other]
        if path in counts:
            path = (*path, counts[path])
    return path
