"""All samples of a service: valid calls, their mutants and neighbours, numbered, in an order that never changes."""

from collections.abc import Iterator, Sequence

from evaluation.differential.bases import base_calls
from evaluation.differential.body_mutants import BodyMutants
from evaluation.differential.call_mutants import call_mutants
from evaluation.differential.denied import denied_calls
from evaluation.differential.samples import Draft, Sample
from odata.findings import Report
from odata.model import Model
from odata.path import resolve
from odata.plans import Mode, Plans
from odata.requirements import requirements
from wire.call import ProposedCall
from wire.endpoint import EndpointContract

_MODES: dict[str, Mode] = {"POST": "create", "PATCH": "update"}
NO_BASE = -1


def samples_of(contracts: Sequence[EndpointContract]) -> Iterator[Sample]:
    """Samples of the contracts of one service. Of each base one mutant a rule, depth and reason."""
    number = 0
    for contract in contracts:
        for base in base_calls(contract):
            first = number
            yield Sample(number, first, "valid", "", "", base, contract)
            number += 1
            for draft in _chosen(_drafts(contract, base)):
                yield _sample(number, first, draft, contract)
                number += 1
        for draft in _chosen(denied_calls(contract)):
            yield _sample(number, NO_BASE, draft, contract)
            number += 1


def _sample(number: int, base: int, draft: Draft, contract: EndpointContract) -> Sample:
    return Sample(number, base, draft.kind, draft.rule, draft.pointer, draft.call, contract, draft.why)


def _chosen(drafts: Iterator[Draft]) -> Iterator[Draft]:
    """The first draft of each rule, kind, reason and depth: the same mistake in each of forty texts says nothing new."""
    seen: set[tuple[str, str, str, int]] = set()
    for draft in drafts:
        digits = "".join(c for c in draft.why if not c.isdigit())
        key = (draft.rule, draft.kind, digits, min(draft.pointer.count("/"), 4))
        if key not in seen:
            seen.add(key)
            yield draft


def _drafts(contract: EndpointContract, base: ProposedCall) -> Iterator[Draft]:
    model = Model(contract)
    resource = resolve(model, base, Report())
    yield from call_mutants(model, base, resource)
    mode = _MODES.get(base.method)
    if mode is None or resource.type is None or resource.operations:
        return
    plans = Plans(model, mode)
    root = plans.of(resource.type.name, resource.at_set)
    if root is not None:
        yield from BodyMutants(model, plans, base, root).drafts()
        yield from _replacement(model, base, resource.type.name, resource.at_set)


def _replacement(model: Model, base: ProposedCall, type_name: str, at_set: str | None) -> Iterator[Draft]:
    """PUT of a part: what is left out and cannot be null."""
    plan = Plans(model, "replace").of(type_name, at_set)
    if base.method != "PATCH" or plan is None:
        return
    for need in requirements(model, plan, "replace"):
        if need.name not in (base.payload or {}):
            call = base.model_copy(update={"method": "PUT"})
            yield Draft("mutant", "R56", f"/payload/{need.name}", call, "PUT of a part")
            return
