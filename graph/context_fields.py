"""Contracts to field views: which properties, parameters and nested navigations an agent sees for one verb."""

from collections.abc import Iterable, Iterator

from wire.context import FieldView, NestedView
from wire.endpoint import (
    Cardinality,
    Code,
    EndpointContract,
    NavigationProperty,
    Operation,
    Permission,
    Property,
    StructuredType,
    Verb,
)

NESTED_LEVELS = 2
OPERATIONS = frozenset({"FunctionImport", "Action", "Function"})
_COMPLEX_LEVELS = 3


def fields_of(contract: EndpointContract) -> tuple[FieldView, ...]:
    """The fields of a call: parameters of an operation, else the properties of the entity type that the verb can use."""
    if contract.kind in OPERATIONS:
        return tuple(_parameter(contract, item) for item in _parameters(contract))
    owner = contract.type(contract.entity_type)
    if owner is None or contract.verb is Verb.DELETE:
        return ()
    return tuple(_properties(contract, owner, contract.verb))


def keys_of(contract: EndpointContract) -> tuple[str, ...]:
    """Key properties of the entity type, or of the type that an operation is bound to."""
    name = contract.entity_type
    if contract.kind in OPERATIONS:
        operation = main_operation(contract)
        name = operation.bound_to if operation and not operation.bound_collection else None
    owner = contract.type(name)
    return owner.keys if owner else ()


def main_operation(contract: EndpointContract) -> Operation | None:
    """The overload with the most parameters: the others are called with fewer of them."""
    named = [item for item in contract.operations if contract.endpoint in (item.name, item.qualified_name)]
    best = sorted(named or contract.operations, key=lambda item: (-len(item.parameters), item.bound_to or ""))
    return best[0] if best and contract.kind in OPERATIONS else None


def nested_of(contract: EndpointContract) -> tuple[NestedView, ...]:
    """Navigations that a create may nest, two levels deep."""
    owner = contract.type(contract.entity_type)
    if owner is None or contract.verb is not Verb.CREATE:
        return ()
    return tuple(_nested(contract, owner, contract.endpoint, "", NESTED_LEVELS, (owner.name,)))


def _parameters(contract: EndpointContract) -> tuple[Property, ...]:
    operation = main_operation(contract)
    return operation.parameters if operation else ()


def _parameter(contract: EndpointContract, item: Property) -> FieldView:
    return _field(contract, item, required=item.required or not item.nullable, writable=True)


def _properties(contract: EndpointContract, owner: StructuredType, verb: Verb) -> Iterator[FieldView]:
    for item in owner.properties:
        writable = _writable(item, verb)
        if verb is Verb.READ or writable or item.name in owner.keys:
            required = item.required and verb is Verb.CREATE
            shown = writable or verb is Verb.READ  # nothing is written in a read, so nothing is said of it
            yield _field(contract, item, key=item.name in owner.keys, required=required, writable=shown)


def _writable(item: Property, verb: Verb) -> bool:
    if verb is Verb.CREATE:
        return item.creatable is not Permission.DENIED and not item.computed
    if verb is Verb.UPDATE:
        return item.updatable is not Permission.DENIED and not (item.computed or item.immutable or item.key)
    return False


def _field(
    contract: EndpointContract,
    item: Property,
    *,
    key: bool = False,
    required: bool = False,
    writable: bool,
    depth: int = _COMPLEX_LEVELS,
) -> FieldView:
    inner = None if item.type.startswith("Edm.") else contract.type(item.type)
    members: tuple[FieldView, ...] = ()
    if inner is not None and inner.kind == "complex" and depth:
        members = tuple(
            _field(contract, part, required=part.required, writable=writable, depth=depth - 1)
            for part in inner.properties
        )
    return FieldView(
        name=item.name,
        label=item.label,
        type=item.type,
        max_length=item.max_length,
        key=key,
        required=required,
        required_unless=item.required_unless if required else "",
        writable=writable,
        nullable=item.nullable,
        default=item.default,
        codes=tuple(_codes(contract, item)),
        fields=members,
        collection=item.collection,
    )


def _codes(contract: EndpointContract, item: Property) -> Iterable[Code]:
    if item.code_list is not None:
        return item.code_list.codes
    if item.allowed:
        return item.allowed
    enum = next((known for known in contract.enums if known.name == item.type), None)
    return [Code(code=name) for name, _ in enum.members] if enum else []


def _nested(
    contract: EndpointContract, owner: StructuredType, root: str, prefix: str, depth: int, above: tuple[str, ...]
) -> Iterator[NestedView]:
    targets, blocked = dict(contract.target_sets), contract.restrictions.non_insertable_navigations
    for navigation in owner.navigations:
        path = f"{prefix}/{navigation.name}".lstrip("/")
        target = contract.type(navigation.target_type)
        if target is None or target.name in above or not _can_nest(navigation) or path in blocked:
            continue
        yield NestedView(
            name=navigation.name,
            target=target.name,
            target_set=targets.get(f"{root}/{path}") or navigation.target_set,
            cardinality=navigation.cardinality,
            nesting=navigation.nesting,
            fields=tuple(_properties(contract, target, Verb.CREATE)),
            nested=tuple(_nested(contract, target, root, path, depth - 1, (*above, target.name))) if depth > 1 else (),
        )


def _can_nest(navigation: NavigationProperty) -> bool:
    """Not what metadata denies, and no undeclared way from a part back to one other thing (a reference, not a part)."""
    if navigation.deep_insert is Permission.UNDECLARED:
        return navigation.cardinality is Cardinality.MANY or navigation.contained
    return navigation.deep_insert is Permission.VERIFIED
