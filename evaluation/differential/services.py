"""From a folder of metadata to contracts, and to the requests that fill the sets of a target."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.differential.bases import make_call
from evaluation.differential.entities import STORED, Entities
from evaluation.differential.http_form import HttpCall, http_call
from evaluation.differential.values import NoValue
from graph.reader import SnapshotReader
from odata.model import Model
from odata.plans import Plans
from wire.endpoint import EndpointContract, Verb

_VERBS = (Verb.CREATE, Verb.UPDATE, Verb.READ, Verb.DELETE, Verb.ACTION)


def documents_of(folder: Path) -> dict[str, bytes]:
    """Service -> its metadata document."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.edmx"))}


def contracts_of(snapshot: SnapshotReader, service: str, most: int) -> list[EndpointContract]:
    """Contracts for every verb of up to ``most`` endpoints, evenly spread over those of the service."""
    names = [item.endpoint for item in snapshot.endpoints() if item.service == service and "." not in item.endpoint]
    found: list[EndpointContract] = []
    for name in spread(names, most):
        first = snapshot.contract(service, name, Verb.READ)
        if first.kind in ("EntitySet", "Singleton"):
            found += [snapshot.contract(service, name, verb) for verb in _VERBS]
        else:
            found.append(snapshot.contract(service, name, _verb_of(first)))
    return found


def _verb_of(contract: EndpointContract) -> Verb:
    reads = all(op.http_method == "GET" for op in contract.operations)
    return Verb.READ if reads else Verb.ACTION


def spread(names: Sequence[str], most: int) -> list[str]:
    """Up to ``most`` of the names, evenly spaced."""
    if len(names) <= most:
        return list(names)
    return [names[index * len(names) // most] for index in range(most)]


def seeds_of(snapshot: SnapshotReader, service: str) -> list[HttpCall]:
    """Creates of one entity in each set, twice over, so that those which refer to others find them."""
    once = list(_seeds(snapshot, service))
    return [*once, *once]


def _seeds(snapshot: SnapshotReader, service: str) -> Iterator[HttpCall]:
    for item in snapshot.endpoints():
        if item.service != service or "." in item.endpoint:
            continue
        contract = snapshot.contract(service, item.endpoint, Verb.CREATE)
        if contract.kind != "EntitySet" or contract.entity_type is None:
            continue
        model = Model(contract)
        entities = Entities(model, Plans(model, "create"))
        plan = entities.plans.of(contract.entity_type, contract.endpoint)
        if plan is None:
            continue
        try:
            body = {**entities.whole(plan, STORED, nested=False), **entities.key(contract.entity_type)}
        except NoValue:
            continue
        yield http_call(contract, make_call(contract, "POST", payload=body))
