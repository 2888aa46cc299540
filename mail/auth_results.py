"""Authentication-Results (RFC 8601, section 2.2): one field value in, values out. Strict: what is no such field raises."""

import re
from dataclasses import dataclass

_NAME = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;="()]+)|([;=]))')
# What follows an equals sign may hold further ones (base64 in header.b).
_VALUE = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"()]+)|([;]))')
_AUTHSERV_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?")


class ResultsError(ValueError):
    """Raised when the value is not of the form of RFC 8601; the message says what is wrong."""


@dataclass(frozen=True)
class Result:
    """One method's result with its properties (``ptype.property`` -> value), names in lower case."""

    method: str
    value: str
    properties: dict[str, str]


@dataclass(frozen=True)
class AuthResults:
    """A whole field. ``authserv_id`` is lower case."""

    authserv_id: str
    results: tuple[Result, ...]


def parse_results(value: str) -> AuthResults:
    """Parse a field value; comments may stand anywhere. Raises ResultsError."""
    statements = _statements(_tokens(_without_comments(value)))
    head = statements[0]
    if not head or len(head) > 2 or not _AUTHSERV_ID.fullmatch(head[0]):
        raise ResultsError("no authserv-id at the start")
    if len(head) == 2 and not head[1].isdigit():
        raise ResultsError("something other than a version follows the authserv-id")
    found = [_result(statement) for statement in statements[1:] if statement and statement != ["none"]]
    return AuthResults(head[0].lower(), tuple(found))


def parse_nameless_results(value: str) -> tuple[Result, ...]:
    """The results of a field without authserv-id, as Exchange Online writes it. Raises ResultsError, also when it has one."""
    statements = _statements(_tokens(_without_comments(value)))
    return tuple(_result(statement) for statement in statements if statement)


def _without_comments(value: str) -> str:
    """Comments (nested, with quoted pairs) replaced by a space; quoted strings stay."""
    out: list[str] = []
    depth, quoted, position = 0, False, 0
    while position < len(value):
        char = value[position]
        step = 2 if char == "\\" and (quoted or depth) else 1
        if depth:
            depth += {"(": 1, ")": -1}.get(char, 0) if step == 1 else 0
        elif not quoted and char == "(":
            depth = 1
            out.append(" ")
        else:
            quoted = quoted != (char == '"' and step == 1)
            out.append(value[position : position + step])
        position += step
    if depth or quoted:
        raise ResultsError("a comment or quoted string is not closed")
    return "".join(out)


def _tokens(text: str) -> list[str]:
    """Words, quoted strings and the separators ``;`` and ``=``. Separators inside quotes are part of their string."""
    tokens: list[str] = []
    position = 0
    text = text.strip()
    while position < len(text):
        found = (_VALUE if tokens[-1:] == ["="] else _NAME).match(text, position)
        if found is None:
            raise ResultsError(f"unexpected {text[position : position + 10]!r}")
        word = found[2] if found[2] is not None else found[3]
        tokens.append(word if word is not None else "\0" + re.sub(r"\\(.)", r"\1", found[1]))
        position = found.end()
    return tokens


def _statements(tokens: list[str]) -> list[list[str]]:
    statements: list[list[str]] = [[]]
    for token in tokens:
        if token == ";":
            statements.append([])
        else:
            statements[-1].append(token)
    return [[token.lstrip("\0") if token != "=" else token for token in statement] for statement in statements]


def _result(statement: list[str]) -> Result:
    """``method[/version] = value [reason = …] (ptype.property = value)*``; a word without ``=`` is malformed."""
    pairs = [statement[start : start + 3] for start in range(0, len(statement), 3)]
    if any(len(pair) != 3 or pair[1] != "=" for pair in pairs):
        raise ResultsError(f"not name=value: {' '.join(statement)[:60]!r}")
    method, _, value = pairs[0]
    properties: dict[str, str] = {}
    for name, _, content in pairs[1:]:
        if properties.setdefault(name.lower(), content) != content:
            raise ResultsError(f"two values of {name.lower()}")
    return Result(method.partition("/")[0].lower(), value.lower(), properties)
