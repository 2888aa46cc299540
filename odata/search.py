"""$search: words, phrases, AND, OR, NOT and parentheses (OData ABNF Construction Rules 4.01, searchExpr)."""

import re

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[()]|[^\s()"]+)')
_JOINING = frozenset({"AND", "OR"})


def search_problem(text: str) -> str:
    """Why the text is no search expression, or an empty string."""
    tokens: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            return f"cannot read {text[position:]!r}: a phrase ends with a quote"
        tokens.append(match[1])
        position = match.end()
    if not tokens:
        return "a search has at least one word"
    return _problem(tokens)


def _problem(tokens: list[str]) -> str:
    depth, wants_operand = 0, True
    for token in tokens:
        if token == "(":
            depth += 1
            wants_operand = True
        elif token == ")":
            depth -= 1
            if depth < 0 or wants_operand:
                return "a parenthesis closes nothing"
        elif token in _JOINING:
            if wants_operand:
                return f"{token} joins two terms, one is missing before it"
            wants_operand = True
        elif token == "NOT":
            wants_operand = True
        else:
            wants_operand = False
    if wants_operand:
        return "the expression ends too early"
    return "a parenthesis is not closed" if depth else ""
