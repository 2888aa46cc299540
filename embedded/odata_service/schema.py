"""A metadata document as a service: collections of rows, how they relate, which properties are what.

A `Collection` is what rows are stored under: an entity set, a singleton, or the contained entities below a navigation.
A `Relation` says how the rows of one collection find those of another through a navigation property.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from embedded.odata_service.csdl_model import Document, EntitySet, NavigationProperty, Property


@dataclass(frozen=True)
class Collection:
    """`name` is the entity set, the singleton, or `Parent/Navigation` for contained rows; `keys` are its own."""

    name: str
    type: str
    keys: tuple[str, ...]
    kind: Literal["set", "singleton", "contained"]
    parent: Collection | None = None
    entity_set: EntitySet | None = field(default=None, compare=False, hash=False)


@dataclass(frozen=True)
class Relation:
    """How `nav` reaches its target.

    mode `keys`: rows whose properties are equal, pair by pair (here, there); `links`: pairs of row keys kept apart;
    `contained`: rows stored below the parent's key.
    """

    nav: NavigationProperty = field(compare=False, hash=False)
    source: Collection
    target: Collection
    pairs: tuple[tuple[str, str], ...]
    many: bool
    mode: Literal["keys", "links", "contained"]

    @property
    def name(self) -> str:
        return self.nav.name

    @property
    def parent_gives_key(self) -> bool:
        """True when the target takes its values from the source, so the source row has to be made first."""
        return self.mode != "keys" or self.many or all(own in self.source.keys for own, _ in self.pairs)


class Service:
    """One metadata document, ready to be served. Lookups are computed once and kept."""

    def __init__(self, name: str, document: Document, raw_metadata: bytes) -> None:
        self.name = name
        self.document = document
        self.raw_metadata = raw_metadata
        self.metadata_etag = f'"{hashlib.sha256(raw_metadata).hexdigest()[:32]}"'
        self.v4 = document.version == "V4"
        self._relations: dict[tuple[str, str, str], Relation | None] = {}
        self._properties: dict[str, dict[str, Property]] = {}
        self._owners: dict[str, tuple[str, ...]] = {}

    @cached_property
    def collections(self) -> dict[str, Collection]:
        """Entity sets and singletons by name."""
        return {
            name: Collection(
                name,
                item.type,
                tuple(self.document.key_of(item.type)),
                "singleton" if item.kind == "Singleton" else "set",
                None,
                item,
            )
            for name, item in self.document.all_sets().items()
        }

    def properties(self, type_name: str) -> dict[str, Property]:
        """Own and inherited structural properties."""
        if type_name not in self._properties:
            self._properties[type_name] = self.document.all_properties(type_name)
        return self._properties[type_name]

    def navigations(self, type_name: str) -> dict[str, NavigationProperty]:
        return self.document.all_navigations(type_name)

    def relation(self, source: Collection, type_name: str, nav_name: str) -> Relation | None:
        """The relation behind a navigation of a type, or None when the type has no such navigation."""
        cache_key = (source.name, type_name, nav_name)
        if cache_key not in self._relations:
            nav = self.navigations(type_name).get(nav_name)
            self._relations[cache_key] = self._build_relation(source, nav) if nav and nav.type.name else None
        return self._relations[cache_key]

    def _build_relation(self, source: Collection, nav: NavigationProperty) -> Relation:
        many = nav.type.collection
        target = self._target_collection(source, nav)
        if target is None:
            below = Collection(
                f"{source.name}/{nav.name}",
                nav.type.name,
                tuple(self.document.key_of(nav.type.name)),
                "contained",
                source,
            )
            return Relation(nav, source, below, (), many, "contained")
        pairs = (
            tuple(nav.constraints) or self._partner_pairs(source, nav) or self._same_name_pairs(source, target, many)
        )
        return Relation(nav, source, target, pairs, many, "keys" if pairs else "links")

    def _partner_pairs(self, source: Collection, nav: NavigationProperty) -> tuple[tuple[str, str], ...]:
        partner = self.navigations(nav.type.name).get(nav.partner or "")
        # A partner of another type than ours is an error of the document (seen in real files): not believed.
        if partner is None or not self.document.is_a(source.type, partner.type.name):
            return ()
        return tuple((there, here) for here, there in partner.constraints)

    def _same_name_pairs(self, source: Collection, target: Collection, many: bool) -> tuple[tuple[str, str], ...]:
        """SAP names a foreign key like the key it refers to. Never trusted between rows of one type."""
        if source.type == target.type:
            return ()
        here, there = self.properties(source.type), self.properties(target.type)
        if not many and target.keys and all(name in here for name in target.keys):
            return tuple((name, name) for name in target.keys)
        if source.keys and all(name in there for name in source.keys):
            return tuple((name, name) for name in source.keys)
        return ()

    def _target_collection(self, source: Collection, nav: NavigationProperty) -> Collection | None:
        if nav.contains_target:
            return None
        name = self._association_target(source, nav) if nav.relationship else self._binding_target(source, nav)
        if name in self.collections:
            return self.collections[name]
        same_type = [found for found in self.collections.values() if found.type == nav.type.name]
        return same_type[0] if len(same_type) == 1 else None

    def _association_target(self, source: Collection, nav: NavigationProperty) -> str:
        for container in self.document.containers.values():
            for found in container.association_sets.values():
                ends = dict(found.ends)
                if found.association == nav.relationship and ends.get(nav.from_role or "") == source.name:
                    return ends.get(nav.to_role or "", "")
        return ""

    def _binding_target(self, source: Collection, nav: NavigationProperty) -> str:
        root, path = source, [nav.name]
        while root.parent is not None:
            path.insert(0, root.name.rpartition("/")[2])
            root = root.parent
        bindings = root.entity_set.bindings if root.entity_set else {}
        wanted = "/".join(path)
        for written, target in bindings.items():
            plain = "/".join(part for part in written.split("/") if "." not in part)
            if plain == wanted:
                return target.rpartition("/")[2]
        return ""

    def owner_keys(self, collection: Collection) -> tuple[str, ...]:
        """The key properties that a parent document gives to rows here; empty for documents of their own."""
        if collection.name not in self._owners:
            found: tuple[str, ...] = ()
            for source in self.collections.values():
                if source.type != collection.type:
                    found = max(found, self._owned_from(source, collection), key=len)
            self._owners[collection.name] = found
        return self._owners[collection.name]

    def _owned_from(self, source: Collection, collection: Collection) -> tuple[str, ...]:
        best: tuple[str, ...] = ()
        for name, nav in self.navigations(source.type).items():
            if not nav.type.collection or nav.type.name != collection.type:
                continue
            relation = self.relation(source, source.type, name)
            if relation is None or relation.target.name != collection.name or relation.mode != "keys":
                continue
            here = {own for own, _ in relation.pairs}
            there = tuple(other for _, other in relation.pairs)
            if here == set(source.keys) and set(there) < set(collection.keys):
                best = max(best, there, key=len)
        return best

    def underlying(self, type_name: str) -> str:
        """Type definitions replaced by the primitive type below them."""
        definition = self.document.type_definitions.get(type_name)
        return definition.underlying if definition else type_name

    def is_structured(self, type_name: str) -> bool:
        return type_name in self.document.types
