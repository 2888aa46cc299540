"""``GET /path`` as operations of a catalogue."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.openapi.errors import CatalogueError
from evaluation.retrieval.bench import Endpoint
from graph.views import EndpointSummary

_PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class Gold:
    """The operations to be found; ``instead_of``: an operation of the same name in another service, and what it stands for."""

    wanted: tuple[Endpoint, ...]
    instead_of: Mapping[Endpoint, frozenset[Endpoint]]


class GoldFinder:
    """Operations by name, and by the name with its parameters' names left out (authors write ``{movie_id}`` for ``{id}``)."""

    def __init__(self, operations: Sequence[EndpointSummary]) -> None:
        self._exact: dict[str, list[Endpoint]] = {}
        self._loose: dict[str, list[Endpoint]] = {}
        for item in operations:
            self._exact.setdefault(item.endpoint, []).append((item.service, item.endpoint))
            self._loose.setdefault(_loose(item.endpoint), []).append((item.service, item.endpoint))

    def resolve(self, names: Sequence[str], place: str) -> Gold:
        """Raises ``CatalogueError`` for a name that no document has, or when there is none."""
        wanted: dict[Endpoint, None] = {}
        others: dict[Endpoint, frozenset[Endpoint]] = {}
        for name in names:
            method, _, path = name.strip().partition(" ")
            plain = f"{method.upper()} {path.strip()}"
            found = self._exact.get(plain) or self._loose.get(_loose(plain))
            if not found:
                raise CatalogueError(f"{place}: no document has the operation {name!r}")
            wanted[found[0]] = None
            others.update(dict.fromkeys(found[1:], frozenset(found[:1])))
        if not wanted:
            raise CatalogueError(f"{place}: names no operation to be found")
        return Gold(tuple(wanted), others)


def _loose(name: str) -> str:
    return _PARAMETER.sub("{}", name)
