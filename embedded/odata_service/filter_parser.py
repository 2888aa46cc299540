"""`$filter` and `$orderby` text -> syntax tree. Grammar of V2 and V4; what belongs to the other version is refused.

Precedence, lowest first: or, and, not, comparison (eq ne gt ge lt le has in), add/sub, mul/div/mod, unary minus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from embedded.odata_service import edm
from embedded.odata_service.values import read_literal


@dataclass(frozen=True, slots=True)
class Literal:
    type: str
    value: Any


@dataclass(frozen=True, slots=True)
class EnumLiteral:
    """V4 `NS.Enum'Member'`."""

    type: str
    members: str


@dataclass(frozen=True, slots=True)
class Path:
    """Property path; the first part may be a lambda variable, the last `$count`."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    path: Path
    kind: str
    variable: str
    body: Node | None


@dataclass(frozen=True, slots=True)
class Call:
    """Function call; operators are calls under their own name (`eq`, `and`, `not`, `add`, `neg`, `in`)."""

    name: str
    arguments: tuple[Node, ...]


Node = Literal | EnumLiteral | Path | Lambda | Call

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<prefixed>[A-Za-z_][\w.]*'(?:[^']|'')*')
    |(?P<string>'(?:[^']|'')*')
    |(?P<guid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})
    |(?P<moment>\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[mMlLdDfF]?(?![\w]))
    |(?P<name>[A-Za-z_$@][\w.$@-]*(?:/[A-Za-z_$][\w.$]*)*)
    |(?P<symbol>[(),:-])
    )""",
    re.VERBOSE,
)
_COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le", "has", "in"}
_FUNCTIONS: dict[str, tuple[int, int]] = {
    "startswith": (2, 2), "endswith": (2, 2), "length": (1, 1), "indexof": (2, 2), "substring": (2, 3),
    "tolower": (1, 1), "toupper": (1, 1), "trim": (1, 1), "concat": (2, 2), "year": (1, 1), "month": (1, 1),
    "day": (1, 1), "hour": (1, 1), "minute": (1, 1), "second": (1, 1), "round": (1, 1), "floor": (1, 1),
    "ceiling": (1, 1),
}  # fmt: skip
_V2_ONLY = {"substringof": (2, 2), "replace": (3, 3)}
_V4_ONLY = {"contains": (2, 2), "date": (1, 1), "time": (1, 1), "now": (0, 0), "fractionalseconds": (1, 1)}


def tokenize(text: str) -> list[tuple[str, str]]:
    """(kind, text) pairs. Raises ValueError at the first character that starts no token."""
    tokens: list[tuple[str, str]] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unexpected {text[position:].strip()[:12]!r} at position {position}")
        tokens.append((str(match.lastgroup), match.group(str(match.lastgroup))))
        position = match.end()
    return tokens


class Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str, v4: bool) -> None:
        self._tokens = tokenize(text)
        self._position = 0
        self._v4 = v4
        self._functions = {**_FUNCTIONS, **(_V4_ONLY if v4 else _V2_ONLY)}

    def parse(self) -> Node:
        node = self._or()
        if self._position < len(self._tokens):
            raise ValueError(f"unexpected {self._tokens[self._position][1]!r} after the expression")
        return node

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._position] if self._position < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        if token[0] == "end":
            raise ValueError("the expression ends too early")
        self._position += 1
        return token

    def _accept(self, *words: str) -> str | None:
        kind, text = self._peek()
        if kind in ("name", "symbol") and text in words:
            self._position += 1
            return text
        return None

    def _expect(self, symbol: str) -> None:
        if not self._accept(symbol):
            raise ValueError(f"expected {symbol!r}, found {self._peek()[1] or 'the end'!r}")

    def _or(self) -> Node:
        nodes = [self._and()]
        while self._accept("or"):
            nodes.append(self._and())
        return nodes[0] if len(nodes) == 1 else Call("or", tuple(nodes))

    def _and(self) -> Node:
        nodes = [self._not()]
        while self._accept("and"):
            nodes.append(self._not())
        return nodes[0] if len(nodes) == 1 else Call("and", tuple(nodes))

    def _not(self) -> Node:
        return Call("not", (self._not(),)) if self._accept("not") else self._comparison()

    def _comparison(self) -> Node:
        node = self._sum()
        operator = self._accept(*_COMPARISONS)
        if operator is None:
            return node
        if operator in ("has", "in") and not self._v4:
            raise ValueError(f"{operator!r} is no operator of OData V2")
        if operator == "in":
            self._expect("(")
            return Call("in", (node, *self._arguments()))
        return Call(operator, (node, self._sum()))

    def _sum(self) -> Node:
        node = self._product()
        while operator := self._accept("add", "sub"):
            node = Call(operator, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._unary()
        while operator := self._accept("mul", "div", "mod"):
            node = Call(operator, (node, self._unary()))
        return node

    def _unary(self) -> Node:
        if self._accept("-"):
            kind, text = self._peek()
            if kind == "number":
                self._position += 1
                return Literal(*read_literal(f"-{text}", self._v4))
            return Call("neg", (self._unary(),))
        return self._primary()

    def _arguments(self) -> tuple[Node, ...]:
        """After the opening parenthesis, through the closing one."""
        if self._accept(")"):
            return ()
        arguments = [self._or()]
        while self._accept(","):
            arguments.append(self._or())
        self._expect(")")
        return tuple(arguments)

    def _primary(self) -> Node:
        kind, text = self._next()
        if text == "(" and kind == "symbol":
            node = self._or()
            self._expect(")")
            return node
        if kind == "prefixed" and self._v4 and "." in text.partition("'")[0]:
            type_name, _, rest = text.partition("'")
            return EnumLiteral(type_name, rest[:-1])
        if kind in ("prefixed", "string", "guid", "moment", "number") or text in ("null", "true", "false"):
            return Literal(*read_literal(text, self._v4))
        if kind != "name":
            raise ValueError(f"unexpected {text!r}")
        return self._name(text)

    def _name(self, text: str) -> Node:
        if self._v4 and text in ("INF", "NaN"):
            return Literal("Edm.Double", edm.parse_float(text))
        if not self._accept("("):
            return Path(tuple(text.split("/")))
        head, _, last = text.rpartition("/")
        if self._v4 and head and last in ("any", "all"):
            return self._lambda(Path(tuple(head.split("/"))), last)
        if text not in self._functions:
            raise ValueError(f"{text!r} is no function of OData {'V4' if self._v4 else 'V2'}")
        arguments = self._arguments()
        low, high = self._functions[text]
        if not low <= len(arguments) <= high:
            raise ValueError(f"{text} takes {low} argument(s), got {len(arguments)}")
        return Call(text, arguments)

    def _lambda(self, path: Path, kind: str) -> Node:
        if self._accept(")"):
            return Lambda(path, kind, "", None)
        _, variable = self._next()
        self._expect(":")
        body = self._or()
        self._expect(")")
        return Lambda(path, kind, variable, body)


def parse_filter(text: str, v4: bool) -> Node:
    """Raises ValueError with a sentence that says what is wrong."""
    try:
        return Parser(text, v4).parse()
    except RecursionError:
        raise ValueError("the expression is nested too deeply") from None
