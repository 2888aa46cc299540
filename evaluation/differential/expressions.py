"""Random query options over a contract, right and wrong, the same in every run: who else reads and types them as we do?"""

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
    """Made with the generator of numbers that is passed in."""

    def __init__(self, contract: EndpointContract, random: Random) -> None:
        self._types = {t.name: t for t in contract.types if t.properties}
        self._enums = [f"{e.name}'{e.members[0][0]}'" for e in contract.enums if e.members]
        self._root = self._types[contract.entity_type or ""]
        self._random = random

    def options(self, count: int) -> Iterator[tuple[str, str]]:
        """(option, value): six filters, two orders, one selection and two expansions of eleven."""
        for _ in range(count):
            kind = self._random.randrange(11)
            if kind < 6:
                yield "$filter", self._condition(self._root, 0)
            elif kind < 8:
                yield "$orderby", self._operand(self._root, 1) + self._random.choice(("", " desc"))
            elif kind == 8:
                yield "$select", ",".join(self._selected(self._root) for _ in range(self._random.randint(1, 3)))
            else:
                yield "$expand", self._expanded(self._root, 0)

    def _selected(self, owner: StructuredType) -> str:
        prop = self._random.choice(owner.properties)
        kind = self._random.random()
        if kind < 0.6:
            # Paths through collections of complex values are left out: the ABNF has them, not every server does.
            inner = None if prop.collection else self._types.get(prop.type)
            return f"{prop.name}/{self._selected(inner)}" if inner is not None else prop.name
        names = [nav.name for nav in owner.navigations] or [prop.name]
        wrong = (f"{prop.name}/*", f"{self._random.choice(names)}/{prop.name}", "NoSuchName", f"{prop.name} ", "*")
        return self._random.choice((*names, *wrong))

    def _expanded(self, owner: StructuredType, depth: int) -> str:
        navs = [nav for nav in owner.navigations if nav.target_type in self._types]
        if not navs or self._random.random() < 0.1:
            return self._random.choice(("NoSuchName", self._random.choice(owner.properties).name))
        nav = self._random.choice(navs)
        target, path = self._types[nav.target_type], nav.name
        if self._random.random() < 0.15:
            path += self._random.choice(("/$ref", "/$count", f"/{self._selected(target)}"))
        if depth >= _DEEP or self._random.random() < 0.4:
            return path
        options = (self._nested(target, depth) for _ in range(self._random.randint(1, 2)))
        return f"{path}({';'.join(options)})"

    def _nested(self, owner: StructuredType, depth: int) -> str:
        made = (
            f"$select={self._selected(owner)}",
            f"$expand={self._expanded(owner, depth + 1)}",
            f"$filter={self._condition(owner, 2)}",
            f"$orderby={self._path(owner, 0)}{self._random.choice(('', ' desc', ' down'))}",
            f"$top={self._random.choice(('1', '-1', 'x'))}",
            f"$count={self._random.choice(('true', 'yes'))}",
            f"$levels={self._random.choice(('2', 'max', 'x'))}",
            f"$search={self._random.choice(('a', 'a AND', 'a b'))}",
            "$nosuch=1",
        )
        return self._random.choice(made)

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
