"""Does a call's content meet a condition of a rule? Yes, no, or it cannot be told: then a reason says why."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from wire.call import ProposedCall
from wire.policy import Condition, Policy

NUMERIC = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True)
class Answer:
    """``holds`` is None when it cannot be told; ``why`` is for people either way."""

    holds: bool | None
    why: str


class _Undecided(Exception):
    """Raised inside with the reason."""


def evaluate(policy: Policy, condition: Condition, call: ProposedCall) -> Answer:
    """Judge one condition."""
    said = f"{condition.property} {condition.op} {_wanted(condition)}".strip()
    found = list(_values(call, condition.property))
    if condition.op in ("present", "missing"):
        there = any(value is not None for value, _ in found)
        return Answer(there == (condition.op == "present"), f"{said}: {'there' if there else 'not there'}")
    try:
        return _compared(policy, condition, found, said)
    except _Undecided as error:
        return Answer(None, f"{said}: {error}")


def _compared(policy: Policy, condition: Condition, found: list[tuple[Any, dict[str, Any]]], said: str) -> Answer:
    if not found or any(value is None for value, _ in found):
        raise _Undecided(f"the call has no {condition.property}")
    numbers = condition.op in NUMERIC or isinstance(condition.value, Decimal) or condition.of == "sum"
    values = [_amount(policy, condition, value, around) if numbers else value for value, around in found]
    if condition.of == "sum":
        values = [sum(values, Decimal(0))]
    met = [_holds(condition, value) for value in values]
    holds = all(met) if condition.of == "all" else any(met)
    return Answer(holds, f"{said}: {'yes' if holds else 'no'} ({', '.join(map(str, values[:5]))})")


def _holds(condition: Condition, value: Any) -> bool:
    wanted = condition.value
    if condition.op in ("in", "not in"):
        return (_plain(value) in {_plain(one) for one in condition.values}) == (condition.op == "in")
    if condition.op in ("==", "!="):
        return bool((_plain(value) == _plain(wanted)) == (condition.op == "=="))
    if not isinstance(wanted, Decimal):
        raise _Undecided("the policy names no number")
    return bool({"<": value < wanted, "<=": value <= wanted, ">": value > wanted, ">=": value >= wanted}[condition.op])


def _plain(value: Any) -> Any:
    """Numbers by their value, all else as text: a policy's "4711" and a call's 4711 are the same code."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return Decimal(str(value)).normalize()
    except InvalidOperation:
        return str(value)


def _amount(policy: Policy, condition: Condition, value: Any, around: dict[str, Any]) -> Decimal:
    """The number of ``value``, in the condition's currency when it names one."""
    number = _number(value)
    if not condition.currency:
        return number
    given = around.get(condition.currency_property) if condition.currency_property else None
    if not isinstance(given, str) or not given:
        raise _Undecided(f"no currency in {condition.currency_property or '(no currency_property)'}")
    if given.upper() == condition.currency.upper():
        return number
    return number * _rate(policy, given) / _rate(policy, condition.currency)


def _number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise _Undecided(f"{str(value)[:40]!r} is no number")
    text = str(value).strip()
    if not re.fullmatch(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", text):
        raise _Undecided(f"{text[:40]!r} is no number")
    return Decimal(text)


def _rate(policy: Policy, currency: str) -> Decimal:
    if policy.base_currency and currency.upper() == policy.base_currency.upper():
        return Decimal(1)
    rate = next((rate for name, rate in policy.rates.items() if name.upper() == currency.upper()), None)
    if rate is None or rate <= 0:
        raise _Undecided(f"policy has no rate of {currency}")
    return rate


def _values(call: ProposedCall, path: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every value at ``path`` with the object that it stands in, whose own fields (a currency) or its parents' count."""
    if path.startswith("@key."):
        name = path.removeprefix("@key.")
        if call.key is not None and name in call.key:
            yield call.key[name], dict(call.key)
        return
    yield from _walk(call.payload or {}, path.split("."), {})


def _walk(node: Any, names: list[str], above: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    if isinstance(node, list):
        for item in node:
            yield from _walk(item, names, above)
        return
    if not isinstance(node, dict):
        return
    here = above | {name: value for name, value in node.items() if not isinstance(value, dict | list)}
    # V2 nests items as {"results": [...]}.
    if names[0] not in node and list(node) == ["results"]:
        yield from _walk(node["results"], names, above)
    elif names[0] not in node:
        yield None, here
    elif len(names) == 1:
        yield node[names[0]], here
    else:
        yield from _walk(node[names[0]], names[1:], here)


def _wanted(condition: Condition) -> str:
    if condition.op in ("present", "missing"):
        return ""
    if condition.op in ("in", "not in"):
        return ", ".join(map(str, condition.values))
    return f"{condition.value} {condition.currency}".strip()
