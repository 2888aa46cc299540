"""The whole check of one property value: primitive or enumeration, then codes, allowed values, pattern and bounds."""

import re
from decimal import Decimal
from typing import Any

from odata.findings import Fault, did_you_mean
from odata.model import Model
from odata.primitives import Check, builder_of, is_number, parse_bound
from wire.endpoint import Code, EnumType, Property

# Up to here a remainder is exact in the default context of 28 digits.
_EXACT = Decimal("1e18")


def compile_check(prop: Property, model: Model) -> Check:
    """The check of one non-null, non-collection value of a property or parameter that is no complex type."""
    enum = model.enums.get(prop.type)
    if enum is not None:
        return _check_enum(prop, enum)
    resolved = model.underlying(prop)
    build = builder_of(resolved.type, model.v4)
    if build is None:
        return lambda value: None
    checks = [build(resolved, model.v4), *_value_checks(resolved)]
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> Fault | None:
        for single in checks:
            fault = single(value)
            if fault is not None:
                return fault
        return None

    return check


def _value_checks(prop: Property) -> list[Check]:
    checks: list[Check] = []
    if prop.allowed:
        checks.append(_check_codes("R25", prop, prop.allowed, "Validation.AllowedValues"))
    if prop.code_list is not None and prop.code_list.fixed and prop.code_list.codes:
        checks.append(_check_codes("R26", prop, prop.code_list.codes, prop.code_list.source))
    if prop.pattern is not None:
        checks.append(_check_pattern(prop, prop.pattern))
    if prop.minimum is not None or prop.maximum is not None:
        checks.append(_check_bounds(prop))
    step = parse_bound(prop.multiple_of)
    if step:
        checks.append(_check_step(prop, step))
    return checks


def _check_step(prop: Property, step: Decimal) -> Check:
    def check(value: Any) -> Fault | None:
        number = _number(value)
        if number is None or number.copy_abs() >= _EXACT or number % step == 0:
            return None
        return Fault("R29", f"{prop.name} must be a multiple of {step}")

    return check


def _check_codes(rule: str, prop: Property, codes: tuple[Code, ...], source: str) -> Check:
    known = {code.code for code in codes}
    listed = tuple(f"{code.code} ({code.text})" if code.text else code.code for code in codes)
    # An ABAP service reads "" as the initial value, that is as "not given".
    initial = not prop.required and prop.type == "Edm.String"

    def check(value: Any) -> Fault | None:
        text = value if isinstance(value, str) else str(value)
        if text in known or (initial and text == ""):
            return None
        return Fault(rule, f"{prop.name} has a fixed list ({source})", listed, did_you_mean(text, known))

    return check


def _check_pattern(prop: Property, pattern: str) -> Check:
    try:
        compiled = re.compile(pattern)
    except re.error:
        # Patterns are ECMAScript in the specification; one that Python cannot read decides nothing.
        return lambda value: None

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str) or compiled.search(value):
            return None
        return Fault("R29", f"{prop.name} does not match the pattern {pattern}")

    return check


def _check_bounds(prop: Property) -> Check:
    low, high = parse_bound(prop.minimum), parse_bound(prop.maximum)

    def check(value: Any) -> Fault | None:
        number = _number(value)
        if number is None:
            return None
        if low is not None and (number < low or (prop.exclusive_minimum and number == low)):
            above = "more than" if prop.exclusive_minimum else "at least"
            return Fault("R29", f"{prop.name} must be {above} {low}")
        if high is not None and (number > high or (prop.exclusive_maximum and number == high)):
            below = "less than" if prop.exclusive_maximum else "at most"
            return Fault("R29", f"{prop.name} must be {below} {high}")
        return None

    return check


def _number(value: Any) -> Decimal | None:
    if is_number(value) or isinstance(value, str):
        return parse_bound(str(value))
    return None


def _check_enum(prop: Property, enum: EnumType) -> Check:
    names = {name for name, _ in enum.members}
    values = {number for _, number in enum.members}
    listed = tuple(name for name, _ in enum.members)

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str):
            return Fault("R24", f"{prop.name} is {enum.name}: the member as a string", listed)
        parts = [part.strip() for part in value.split(",")]
        if len(parts) > 1 and not enum.flags:
            return Fault("R24", f"{enum.name} takes one member only (it is not IsFlags)", listed)
        wrong = next((p for p in parts if not _is_member(p, enum.flags, names, values)), None)
        if wrong is None:
            return None
        return Fault("R24", f"{wrong} is no member of {enum.name}", listed, did_you_mean(wrong, names))

    return check


def _is_member(text: str, flags: bool, names: set[str], values: set[int]) -> bool:
    if text in names:
        return True
    if not re.fullmatch(r"-?\d+", text):
        return False
    number = int(text)
    if number in values:
        return True
    every = 0
    for value in values:
        every |= value
    return flags and number >= 0 and number & ~every == 0
