"""What differs between two versions of a service: endpoints, types and members added, removed or changed, with both values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from graph.facts import Facts
from graph.iris import BASE, last_name, service_iri
from graph.vocabulary import DCTERMS, OD, RDF

# Links to members are told by the members; positions, lines and digests differ without any difference in meaning.
_UNTOLD = frozenset(
    {
        *(RDF.type, OD.name, OD.qualifiedName, OD.position, OD.line, OD.file, OD.metadataDigest, OD.inService),
        *(OD.endpoint, OD.property, OD.navigation, OD.parameter, OD.operation, OD.member, OD.signature, OD.returns),
        *(OD.valueList, OD.codeList, OD.constraint, OD.targetConstraint, OD.binding, OD.key, DCTERMS.description),
    }
)


@dataclass(frozen=True)
class Change:
    """``element`` is the path below the service (``Order/ID``); ``before`` and ``after`` hold what differs."""

    what: Literal["added", "removed", "changed"]
    service: str
    kind: str
    element: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        told = f"{self.service}: {self.what} {self.kind} {self.element}"
        return (
            f"{told} ({self.before or 'not stated'} -> {self.after or 'not stated'})"
            if self.what == "changed"
            else told
        )


def service_changes(service: str, before: Facts, after: Facts) -> list[Change]:
    """All differences between two graphs of one service, by element. Members of what came or went are not told again."""
    old, new = _elements(service, before), _elements(service, after)
    found = list(_differences(service, old, new))
    whole = {(item.what, item.element) for item in found if item.what != "changed"}
    return [item for item in found if not any((item.what, owner) in whole for owner in _owners(item.element))]


def _differences(
    service: str, old: Mapping[str, tuple[str, Facts]], new: Mapping[str, tuple[str, Facts]]
) -> Iterator[Change]:
    for iri in sorted({*old, *new}):
        element = _path(service, iri)
        if iri not in new:
            yield Change("removed", service, old[iri][0], element)
        elif iri not in old:
            yield Change("added", service, new[iri][0], element)
        else:
            kind, facts = new[iri]
            was, now = _statements(old[iri][1], iri), _statements(facts, iri)
            told = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
            if told:
                texts = ("; ".join(f"{name} {side[name]}" for name in told if name in side) for side in (was, now))
                yield Change("changed", service, kind, element, *texts)


def _elements(service: str, facts: Facts) -> dict[str, tuple[str, Facts]]:
    """IRI -> class of everything below the service that has one."""
    base = f"{service_iri(service)}/"
    found = {}
    for iri, members in facts.subjects():
        classes = [last_name(item).rpartition("#")[2] for item in members.get(RDF.type, ())]
        if iri.startswith(base) and classes:
            found[iri] = (min(classes), facts)
    return found


def _statements(facts: Facts, iri: str) -> dict[str, str]:
    told = {
        predicate.rpartition("#")[2].rpartition("/")[2]: ", ".join(sorted(_word(value) for value in values))
        for predicate, values in facts.members(iri).items()
        if predicate not in _UNTOLD
    }
    keys = [facts.text(node, OD.path) for node in facts.ordered(iri, OD.key, OD.position)]
    return {**told, "key": ", ".join(keys)} if keys else told


def _word(value: str) -> str:
    """The name of a resource; a literal as it is."""
    return (
        last_name(value) if value.startswith(BASE) else value.rpartition("#")[2] if value.startswith("http") else value
    )


def _path(service: str, iri: str) -> str:
    """``type`` and ``endpoint`` only say where the names stand."""
    _, *names = iri.removeprefix(f"{service_iri(service)}/").split("/")
    return "/".join(unquote(name) for name in names)


def _owners(element: str) -> Iterable[str]:
    names = element.split("/")
    return ("/".join(names[:end]) for end in range(1, len(names)))
