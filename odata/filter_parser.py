"""Boolean and other expressions of $filter and $orderby, parsed and typed against the contract in one pass.

Recursive descent over the text; a syntax error ends the parse, faults of binding and typing are collected.
Source: OData ABNF Construction Rules 4.01 (boolCommonExpr); OData 2.0 URI Conventions 4.5.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from odata.filter_functions import COUNTERPART, FUNCTIONS_V2, FUNCTIONS_V4, OF_COLLECTIONS, Signature
from odata.filter_paths import Operand, PathFault, Step, element_type, resolve_path
from odata.filter_text import NAME, Cursor, FilterSyntaxError
from odata.filter_types import arithmetic_problem, calculated, comparable, is_boolean, type_word
from odata.findings import Fault, did_you_mean
from odata.model import Model
from odata.url_literals import foreign_literal_at, literal_at

_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le", "has", "in")
# Each level costs a dozen frames of the interpreter, whose stack is not ours alone.
_DEPTH = 30


class Parsed(NamedTuple):
    """The operand that the expression is, the faults found, the paths that it used, and (path, operator) of comparisons."""

    operand: Operand
    faults: list[Fault]
    paths: list[tuple[str, list[Step]]]
    comparisons: list[tuple[str, str]]


class Names(NamedTuple):
    """Names beside those of the metadata. ``aliases``: the parameter aliases (``@p``) that the query defines, None when
    nobody knows; ``computed``: what $compute or $apply of the same query introduce."""

    aliases: frozenset[str] | None = None
    computed: frozenset[str] = frozenset()


_NO_NAMES = Names()


class FilterParser(Cursor):
    """Parses one expression. ``rule`` names faults of binding: R46 in $filter, R48 in $orderby."""

    def __init__(self, model: Model, root: str, text: str, rule: str = "R46", names: Names = _NO_NAMES) -> None:
        super().__init__(text, any_case=model.contract.version == "4.01")
        self._model, self._root, self._rule, self._names = model, root, rule, names
        self._depth = 0
        self._variables: dict[str, Operand] = {}
        self._functions = FUNCTIONS_V4 if model.v4 else FUNCTIONS_V2
        self.faults: list[Fault] = []
        self.paths: list[tuple[str, list[Step]]] = []
        self.comparisons: list[tuple[str, str]] = []

    def parse(self) -> Parsed:
        """The whole text as one expression. Raises FilterSyntaxError."""
        operand = self._expression()
        self._skip()
        if self._at < len(self._text):
            raise FilterSyntaxError(f"cannot read {self._text[self._at :]!r}")
        return Parsed(operand, self.faults, self.paths, self.comparisons)

    def _fault(self, message: str, rule: str = "", allowed: tuple[str, ...] = (), suggestion: str = "") -> None:
        self.faults.append(Fault(rule or self._rule, message, allowed, suggestion))

    # -- operators, loosest first

    def _expression(self) -> Operand:
        self._depth += 1
        if self._depth > _DEPTH:
            raise FilterSyntaxError(f"nested deeper than {_DEPTH}")
        operand = self._logical(("or",), lambda: self._logical(("and",), self._negation))
        self._depth -= 1
        return operand

    def _logical(self, words: tuple[str, ...], inner: Callable[[], Operand]) -> Operand:
        left = inner()
        while word := self._word(*words):
            right = inner()
            for side in (left, right):
                if not is_boolean(side):
                    self._fault(f"{word} joins conditions, {type_word(side)} is none")
            left = Operand("Edm.Boolean")
        return left

    def _negation(self) -> Operand:
        negations = 0
        while self._word("not"):
            negations += 1
        if negations > _DEPTH:
            raise FilterSyntaxError(f"nested deeper than {_DEPTH}")
        operand = self._comparison()
        if not negations:
            return operand
        if not is_boolean(operand):
            self._fault(f"not wants a condition, {type_word(operand)} is none")
        return Operand("Edm.Boolean")

    def _comparison(self) -> Operand:
        left = self._arithmetic(("add", "sub"), lambda: self._arithmetic(("mul", "div", "divby", "mod"), self._unary))
        while word := self._word(*_COMPARISONS):
            if word == "in":
                self._members(left)
            else:
                right = self._arithmetic(
                    ("add", "sub"), lambda: self._arithmetic(("mul", "div", "divby", "mod"), self._unary)
                )
                self._compare(left, word, right)
            left = Operand("Edm.Boolean")
        return left

    def _members(self, left: Operand) -> None:
        if not self._model.v4:
            self._fault("OData 2.0 has no operator in: join comparisons with or")
        self._skip()
        if not self._peek("("):
            right = self._unary()
            if not right.collection and (right.type is not None or right.structured is not None):
                self._fault(f"in wants a list in parentheses or a collection, {type_word(right)} is none")
            elif right.path and (prop := self.paths[-1][1][-1].property) is not None:
                self._compare(left, "eq", Operand(self._model.underlying(prop).type))
            return
        self._expect("(")
        self._compare(left, "eq", self._expression())
        while self._take(","):
            self._compare(left, "eq", self._expression())
        self._expect(")")

    def _compare(self, left: Operand, word: str, right: Operand) -> None:
        if word == "has":
            self._has(left, right)
            return
        self.comparisons += [(side.path, word) for side in (left, right) if side.path]
        for side in (left, right):
            if side.collection:
                self._fault("a collection cannot be compared: use any or all")
                return
        why = comparable(self._model, left, right)
        if why:
            self._fault(why)

    def _has(self, left: Operand, right: Operand) -> None:
        if not self._model.v4:
            self._fault("OData 2.0 has no operator has")
        elif left.collection or right.collection:
            self._fault("has compares single values: use any or all")
        elif left.structured is not None or (left.type is not None and left.type not in self._model.enums):
            self._fault(f"has wants an enumeration, {type_word(left)} is none")
        elif (
            right.type is not None
            and right.type not in self._model.enums
            and not (self._any_case and right.type == "Edm.String")
        ):
            self._fault(f"has wants a member of an enumeration on the right, {type_word(right)} is none")

    def _arithmetic(self, words: tuple[str, ...], inner: Callable[[], Operand]) -> Operand:
        left = inner()
        while word := self._word(*words):
            right = inner()
            if why := arithmetic_problem(left, word, right, self._model.v4):
                self._fault(why)
            left = calculated(left, word, right)
        return left

    def _unary(self) -> Operand:
        self._skip()
        while self._peek("-") and not re.match(r"-(\d|INF)", self._text[self._at : self._at + 4]):
            self._at += 1
            self._skip()
        return self._primary()

    # -- operands

    def _primary(self) -> Operand:
        if self._take("("):
            operand = self._expression()
            self._expect(")")
            return operand
        foreign = foreign_literal_at(self._text, self._at, self._model.v4)
        literal = literal_at(self._text, self._at, self._model.v4)
        if literal is not None and not (foreign and len(foreign) > len(literal.text)):
            self._at += len(literal.text)
            if literal.problem:
                self._fault(f"{literal.text}: {literal.problem}", "R45")
                return Operand(None)
            return Operand(literal.type, literal=literal.text)
        if foreign:
            self._at += len(foreign)
            version = self._model.contract.version
            self._fault(f"{foreign} is no literal of OData {version}", "R45", (), self._advice(foreign))
            return Operand(None)
        match = NAME.match(self._text, self._at)
        if match is None:
            raise FilterSyntaxError(self._unreadable())
        return self._named(match)

    def _unreadable(self) -> str:
        rest = self._text[self._at :]
        if not rest:
            return "the expression ends too early"
        if rest.startswith("'"):
            return f"the string {rest!r} has no end: a quote inside a string is doubled"
        return f"cannot read {rest!r}; operators are words: eq ne gt ge lt le and or not"

    def _advice(self, foreign: str) -> str:
        if self._model.v4:
            inner = foreign.split("'")
            if len(inner) == 1 and "T" in foreign:
                return foreign + "Z"
            return inner[1] if len(inner) > 2 else foreign.rstrip("mMlLdDfF")
        if re.fullmatch(r"[0-9a-fA-F]{8}-.*", foreign):
            return f"guid'{foreign}'"
        return f"datetime'{foreign if 'T' in foreign else foreign + 'T00:00:00'}'" if "-" in foreign else ""

    def _named(self, match: re.Match[str]) -> Operand:
        name = match[0]
        self._at = match.end()
        if self._peek("'"):
            return self._enum_literal(name)
        if self._peek("("):
            return self._call(name)
        if name.startswith("@"):
            if self._names.aliases is not None and name not in self._names.aliases:
                self._fault(f"the query defines no alias {name}")
            return Operand(None)
        return self._path(name)

    def _enum_literal(self, name: str) -> Operand:
        match = re.compile(r"'([^']*)'").match(self._text, self._at)
        if match is None:
            raise FilterSyntaxError(self._unreadable())
        self._at = match.end()
        name = self._model.canonical(name)
        enum = self._model.enums.get(name)
        if enum is None:
            known = tuple(self._model.enums)
            self._fault(f"{name} is no enumeration of this service", "", known, did_you_mean(name, known))
            return Operand(None)
        members = tuple(member for member, _ in enum.members)
        values = {str(value) for _, value in enum.members}
        for part in match[1].split(","):
            if part.strip() not in members and part.strip() not in values:
                self._fault(f"{part} is no member of {name}", "", members, did_you_mean(part, members))
        return Operand(name)

    def _call(self, name: str) -> Operand:
        self._expect("(")
        if self._any_case and "." not in name and name not in self._functions:
            name = name.lower()
        if name in ("cast", "isof"):
            return self._type_function(name)
        if name == "case" and self._any_case:
            return self._case()
        signature = self._functions.get(name)
        arguments: list[Operand] = []
        if not self._take(")"):
            if signature is None and "." in name:
                return self._custom_call()
            arguments.append(self._expression())
            while self._take(","):
                arguments.append(self._expression())
            self._expect(")")
        if signature is None:
            if "." in name:
                return Operand(None)
            hint = COUNTERPART.get(name) or did_you_mean(name, self._functions)
            self._fault(
                f"{name} is no function of OData {self._model.contract.version}", "", tuple(self._functions), hint
            )
            return Operand(None)
        self._check_arguments(name, signature, arguments)
        return Operand(signature.returns)

    def _case(self) -> Operand:
        """``case(condition:value, …)`` of 4.01."""
        result = Operand(None)
        while True:
            condition = self._expression()
            if not is_boolean(condition):
                self._fault(f"case wants conditions, {type_word(condition)} is none")
            self._expect(":")
            result = self._expression()
            if not self._take(","):
                self._expect(")")
                return Operand(result.type, result.structured)

    def _custom_call(self) -> Operand:
        """A function of the service: ``Ns.Name(parameter=value, …)``. Its parameters are not typed here."""
        while True:
            match = NAME.match(self._text, self._at)
            if match is not None and self._text.startswith("=", match.end()):
                self._at = match.end() + 1
            self._expression()
            if not self._take(","):
                self._expect(")")
                return Operand(None)
            self._skip()

    def _type_function(self, name: str) -> Operand:
        depth, start = 1, self._at
        while depth and self._at < len(self._text):
            depth += {"(": 1, ")": -1}.get(self._text[self._at], 0)
            self._at += 1
        if depth:
            raise FilterSyntaxError(f"{name}( is not closed")
        target = self._text[start : self._at - 1].rsplit(",", 1)[-1].strip()
        if not self._model.v4:
            target = target.strip("'")
        target = self._model.canonical(target)
        known = target.startswith("Edm.") or target in self._model.types or target in self._model.enums
        if not known and target not in self._model.definitions:
            self._fault(f"{target} is no type of this service")
        return Operand("Edm.Boolean" if name == "isof" else target if target.startswith("Edm.") else None)

    def _check_arguments(self, name: str, signature: Signature, arguments: list[Operand]) -> None:
        most = len(signature.arguments)
        if not most - signature.optional <= len(arguments) <= most:
            self._fault(f"{name} takes {most} arguments, not {len(arguments)}")
            return
        for index, (accepted, argument) in enumerate(zip(signature.arguments, arguments, strict=False)):
            many = argument.collection and not (self._any_case and name in OF_COLLECTIONS)
            wrong = argument.type is not None and argument.type != "null" and argument.type not in accepted
            if accepted and (wrong or many or (argument.structured is not None and not argument.collection)):
                wanted = " or ".join(sorted(accepted))
                self._fault(f"argument {index + 1} of {name} is {type_word(argument)}, it must be {wanted}")

    def _path(self, first: str) -> Operand:
        segments = [first]
        while self._peek("/"):
            match = NAME.match(self._text, self._at + 1)
            if match is None:
                raise FilterSyntaxError(f"a name must follow / in {self._text!r}")
            after = match.end()
            if match[0] in ("any", "all") and self._text.startswith("(", after):
                self._at = after
                return self._lambda(segments, match[0])
            self._at = after
            segments.append(match[0])
        operand, _ = self._resolve(segments)
        return operand

    def _resolve(self, segments: list[str]) -> tuple[Operand, list[Step]]:
        start, rest, prefix = self._root, segments, self._variables.get(segments[0])
        if segments[0] == "$it" or prefix is not None:
            rest = segments[1:]
            if prefix is not None and (not rest or prefix.structured is None):
                return prefix, []
            start = prefix.structured if prefix is not None and prefix.structured else self._root
        elif segments[0].startswith("$") or segments[0] in self._names.computed:
            return Operand(None), []
        try:
            operand, steps = resolve_path(self._model, start, rest)
        except PathFault as fault:
            self._fault(fault.message, "", fault.allowed, fault.suggestion)
            return Operand(None), []
        path = "/".join(segments)
        self.paths.append((path, steps))
        return operand._replace(path=path), steps

    def _lambda(self, segments: list[str], word: str) -> Operand:
        if self._model.contract.version == "2.0":
            self._fault("OData 2.0 has no any and all")
        operand, steps = self._resolve(segments)
        if not operand.collection and (operand.type or operand.structured):
            self._fault(f"{'/'.join(segments)} is no collection: any and all stand behind collections")
        self._expect("(")
        if self._take(")"):
            if word == "all":
                raise FilterSyntaxError("all takes a condition: all(x:x/Name eq 'a')")
            return Operand("Edm.Boolean")
        self._skip()
        match = NAME.match(self._text, self._at)
        if match is None or not self._text.startswith(":", match.end()):
            raise FilterSyntaxError("any and all take a variable and a colon: any(x:x/Name eq 'a')")
        self._at = match.end() + 1
        element = element_type(steps[-1]) if steps and operand.structured is None else None
        outer = dict(self._variables)
        self._variables[match[0]] = Operand(element, operand.structured)
        inner = self._expression()
        if not is_boolean(inner):
            self._fault(f"any and all want a condition, {type_word(inner)} is none")
        self._variables = outer
        self._expect(")")
        return Operand("Edm.Boolean")
