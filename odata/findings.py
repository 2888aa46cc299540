"""Collecting what is wrong with a call: faults of values, findings at JSON pointers, "did you mean"."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, NamedTuple

from odata.rules import RULES
from wire.call import Finding

# More would not help a reader, and a prompt is paid by the token.
ALLOWED_SHOWN = 40


class Fault(NamedTuple):
    """What is wrong with one value, before anybody knows where it stands."""

    rule: str
    message: str
    allowed: tuple[str, ...] = ()
    suggestion: str = ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that ``name`` probably stands for, or an empty string. Case is the most frequent slip."""
    names = list(known)
    folded = name.casefold()
    same = next((k for k in names if k.casefold() == folded), None)
    if same is not None:
        return same
    by_fold = {k.casefold(): k for k in names}
    close = get_close_matches(folded, list(by_fold), n=1, cutoff=0.75)
    return by_fold[close[0]] if close else ""


def escape(token: str) -> str:
    """One reference token of a JSON pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")


def shown(value: Any) -> Any:
    """The value as it may stand in a finding: decimals as text, long things cut."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, str) and len(value) > 200:
        return value[:200] + "…"
    if isinstance(value, (dict, list)) and len(str(value)) > 200:
        return str(value)[:200] + "…"
    return value


class Report:
    """Findings and undecided points of one call, in the order in which they were met."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.undecided: list[Finding] = []

    def add(
        self,
        rule: str,
        pointer: str,
        message: str,
        value: Any = None,
        allowed: Sequence[str] = (),
        suggestion: str = "",
    ) -> None:
        """Record a fault."""
        self.findings.append(_finding(rule, pointer, message, value, allowed, suggestion))

    def add_fault(self, fault: Fault, pointer: str, value: Any, rule: str | None = None) -> None:
        """Record the fault of a value at its place, under another rule when ``rule`` says so."""
        self.add(rule or fault.rule, pointer, fault.message, value, fault.allowed, fault.suggestion)

    def defer(self, rule: str, pointer: str, message: str, value: Any = None, allowed: Sequence[str] = ()) -> None:
        """Record what only data can decide."""
        self.undecided.append(_finding(rule, pointer, message, value, allowed, ""))


def _finding(rule: str, pointer: str, message: str, value: Any, allowed: Sequence[str], suggestion: str) -> Finding:
    return Finding(
        rule=rule,
        pointer=pointer,
        message=message,
        value=shown(value),
        allowed=tuple(allowed[:ALLOWED_SHOWN]),
        suggestion=suggestion,
        source=RULES[rule].source,
    )
