"""Random expressions over a contract, right and wrong, the same ones in every run: who else types them as we do?"""

from collections.abc import Iterator
from random import Random

from wire.endpoint import Cardinality, EndpointContract, NavigationProperty, Property, StructuredType

_LITERALS = (
    "'a'", "'O''Neil'", "5", "-5", "1.5", "5e3", "true", "null", "2026-01-01", "2026-01-01T00:00:00Z", "12:00:00",
    "duration'PT1H'", "6d3b3f0e-6d5c-4a0e-9a42-7b8c7a9f1e01",
)  # fmt: skip
_FUNCTIONS = (
    ("contains", 2), ("startswith", 2), ("endswith", 2), ("length", 1), ("indexof", 2), ("substring", 2), ("substring", 3),
    ("tolower", 1), ("toupper", 1), ("trim", 1), ("concat", 2), ("year", 1), ("month", 1), ("hour", 1), ("date", 1),
    ("round", 1), ("floor", 1), ("ceiling", 1), ("now", 0), ("fractionalseconds", 1), ("totaloffsetminutes", 1),
)  # fmt: skip
_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le", "eq", "ne", "has", "in")
_ARITHMETIC = ("add", "sub", "mul", "div", "mod")
_DEEP = 3


class Expressions:
    """``filter`` and ``orderby`` give one expression each, from the generator of numbers that is passed in."""

    def __init__(self, contract: EndpointContract, random: Random) -> None:
        self._types = {t.name: t for t in contract.types if t.properties}
        self._enums = [f"{e.name}'{e.members[0][0]}'" for e in contract.enums if e.members]
        self._root = self._types[contract.entity_type or ""]
        self._random = random

    def options(self, count: int) -> Iterator[tuple[str, str]]:
        """(option, expression): four filters to each order."""
        for _ in range(count):
            if self._random.random() < 0.8:
                yield "$filter", self._condition(self._root, 0)
            else:
                yield "$orderby", self._operand(self._root, 1) + self._random.choice(("", " desc"))

    def _path(self, owner: StructuredType, depth: int) -> str:
        reachable = [n for n in owner.navigations if n.target_type in self._types]
        if reachable and depth < 2 and self._random.random() < 0.25:
            nav = self._random.choice(reachable)
            return f"{nav.name}/{self._path(self._types[nav.target_type], depth + 1)}"
        prop = self._random.choice(owner.properties)
        if prop.type in self._types and self._random.random() < 0.7:
            return f"{prop.name}/{self._path(self._types[prop.type], depth + 1)}"
        return prop.name

    def _operand(self, owner: StructuredType, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.5:
            return self._path(owner, 0)
        if kind < 0.75 or depth >= _DEEP:
            return self._random.choice((*_LITERALS, *self._enums))
        if kind < 0.9:
            name, arity = self._random.choice(_FUNCTIONS)
            return f"{name}({','.join(self._operand(owner, depth + 1) for _ in range(arity))})"
        word = self._random.choice(_ARITHMETIC)
        return f"({self._operand(owner, depth + 1)} {word} {self._operand(owner, depth + 1)})"

    def _condition(self, owner: StructuredType, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.55 or depth >= _DEEP:
            word = self._random.choice(_COMPARISONS)
            return f"{self._operand(owner, depth)} {word} {self._operand(owner, depth)}"
        if kind < 0.7:
            word = self._random.choice(("and", "or"))
            return f"({self._condition(owner, depth + 1)}) {word} {self._condition(owner, depth + 1)}"
        if kind < 0.78:
            return f"not ({self._condition(owner, depth + 1)})"
        if kind < 0.9 and (found := self._lambda(owner, depth)):
            return found
        name, _ = self._random.choice(_FUNCTIONS[:3])
        return f"{name}({self._operand(owner, depth)},{self._operand(owner, depth)})"

    def _lambda(self, owner: StructuredType, depth: int) -> str:
        many = [n for n in owner.navigations if n.cardinality is Cardinality.MANY and n.target_type in self._types]
        several = [p for p in owner.properties if p.collection]
        members: list[NavigationProperty | Property] = [*many, *several]
        if not members:
            return ""
        member = self._random.choice(members)
        word = self._random.choice(("any", "all"))
        inner = self._types.get(member.target_type if isinstance(member, NavigationProperty) else member.type)
        left = "x" if inner is None else f"x/{self._path(inner, 1)}"
        return f"{member.name}/{word}(x:{left} {self._random.choice(('eq', 'ne', 'gt'))} {self._operand(owner, depth + 1)})"
