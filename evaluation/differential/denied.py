"""Calls that the metadata rules out as a whole, so that no valid call stands beside them (R01-R03, R36, R41, R47, R59, R60)."""

from collections.abc import Iterator
from typing import Any

from evaluation.differential.bases import make_call
from evaluation.differential.entities import Entities
from evaluation.differential.samples import Draft
from evaluation.differential.values import NoValue
from odata.model import Model
from odata.plans import Plans
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Permission, Verb


def denied_calls(contract: EndpointContract) -> Iterator[Draft]:
    """What may not be done to this endpoint at all."""
    model = Model(contract)
    entity = contract.entity_type
    if entity is None or entity not in model.types:
        return
    try:
        yield from _denied(model, contract, entity)
    except NoValue:
        return


def _denied(model: Model, contract: EndpointContract, entity: str) -> Iterator[Draft]:
    entities = Entities(model, Plans(model, "create"))
    plan = entities.plans.of(entity, contract.endpoint)
    if plan is None:
        return
    limits, verb = contract.restrictions, contract.verb
    one = None if contract.kind == "Singleton" else entities.key(entity)
    if verb is Verb.READ:
        get = make_call(contract, "GET", key=one)
        yield _mutant("R01", "/endpoint", get.model_copy(update={"endpoint": f"{contract.endpoint}z"}), "unknown")
        if not limits.addressable:
            yield _mutant("R03", "/endpoint", make_call(contract, "GET"), "not addressable")
        if (limits.required_filters or limits.requires_filter) and limits.addressable:
            yield _mutant("R47", "/query/$filter", make_call(contract, "GET"), "no filter")
        for nav in model.types[entity].navigations if contract.kind != "Singleton" else ():
            if nav.contained:
                name = nav.name
                yield _mutant("R41", "/endpoint", _contained(contract, name), "contained, no set of its own")
    if contract.kind == "Singleton":
        if verb is Verb.CREATE:
            yield _mutant("R42", "/method", make_call(contract, "POST", payload={}), "a singleton")
        return
    yield from _writes(model, contract, entities, one, entity)


def _writes(
    model: Model, contract: EndpointContract, entities: Entities, one: dict[str, Any] | None, entity: str
) -> Iterator[Draft]:
    verb, limits = contract.verb, contract.restrictions
    plan = entities.plans.of(entity, contract.endpoint)
    if plan is None or not limits.addressable:
        return
    if limits.allowed is Permission.DENIED:
        if verb is Verb.CREATE:
            yield _mutant("R02", "/method", make_call(contract, "POST", payload=entities.least(plan)), "denied")
        elif verb is Verb.DELETE:
            yield _mutant("R02", "/method", make_call(contract, "DELETE", key=one), "denied")
        elif verb is Verb.UPDATE:
            yield _mutant("R02", "/method", make_call(contract, "PATCH", key=one, payload={}), "denied")
        return
    if verb is Verb.CREATE and plan.type.has_stream:
        yield _mutant("R59", "/payload", make_call(contract, "POST", payload=entities.least(plan)), "a media entity")
    if verb is Verb.UPDATE and limits.draft and one and "IsActiveEntity" in one:
        active = {**one, "IsActiveEntity": True}
        yield _mutant("R60", "/key/IsActiveEntity", make_call(contract, "PATCH", key=active, payload={}), "active")
    if verb is Verb.CREATE and not plan.type.has_stream:
        for name, nav in plan.navigations.items():
            if nav.denied is not None:
                body = {**entities.least(plan), name: [{}]}
                yield _mutant("R36", f"/payload/{name}", make_call(contract, "POST", payload=body), "not to be nested")
                return


def _contained(contract: EndpointContract, name: str) -> ProposedCall:
    return make_call(contract, "POST", payload={}).model_copy(update={"endpoint": name})


def _mutant(rule: str, pointer: str, call: ProposedCall, why: str) -> Draft:
    return Draft("mutant", rule, pointer, call, why)
