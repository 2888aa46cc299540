"""Placing: a value into its slot, with its code, its unit or currency, and the dates that share it."""

from collections.abc import Sequence

from agent.planning import codes
from agent.planning.draft import Draft, Problem, Stated
from agent.planning.facts import Fact, FactKind
from agent.planning.reading import Reading
from agent.planning.slots import Slot, is_date, role
from agent.planning.text import dice, fold, name_words
from agent.planning.words import CURRENCIES, UNITS

_FEW_SLOTS = 8
"""Up to here a call's only date field needs no name: it is an operation with few parameters."""


def put(draft: Draft, slots: Sequence[Slot], slot: Slot, fact: Fact, reading: Reading) -> bool:
    """Place the value, its code when the field has a list, and the unit or currency that stands with it."""
    value = fact.value
    if slot.field.codes:
        code = codes.by_word(slot.field, fact.value)
        if code is None and not slot.field.codes_cut:
            draft.problems.append(Problem("code", slot, fact.value))
            return True
        value = code.code if code else fact.value
    if not draft.place(slot, Stated(value, "goal", fact.start)):
        return False
    if fact.each and role(slot) == "price":
        draft.share(slot, Stated(value, "goal", fact.start))
    if fact.unit and role(slot) in ("quantity", "price"):
        _put_unit(draft, slots, slot, fact)
    return True


def _put_unit(draft: Draft, slots: Sequence[Slot], slot: Slot, fact: Fact) -> None:
    money = fact.kind is FactKind.AMOUNT
    beside = [s for s in slots if role(s) == ("currency" if money else "unit") and s.path == slot.path]
    above = [s for s in slots if money and role(s) == "currency" and s.path == ()]
    required = [s for s in (*beside, *above) if s.field.required]
    candidates = required or beside or above
    if not candidates:
        return
    target = max(candidates, key=lambda s: (_pairs(s, slot), s.field.required, -len(s.name)))
    value = unit_code(target, fact.unit)
    if value is None:
        draft.problems.append(Problem("code", target, fact.unit))
    elif target.path == slot.path:
        draft.current(target.path).values.setdefault(target.name, Stated(value, "goal", fact.start))
    else:
        draft.root.values.setdefault(target.name, Stated(value, "goal", fact.start))


def unit_code(slot: Slot, word: str) -> str | None:
    """The unit's or currency's code for this field, or None when the field's list has none."""
    if slot.field.codes:
        code = codes.by_word(slot.field, word)
        if code is not None:
            return code.code
        if not slot.field.codes_cut:
            return None
    folded = fold(word)
    return UNITS.get(folded) or CURRENCIES.get(folded) or (word.upper() if len(word) <= 3 else None)


def _pairs(unit: Slot, quantity: Slot) -> float:
    plain = 0.0 if name_words(unit.name)[-2:] != ("iso", "code") and "SAP" not in unit.name else -0.5
    return dice(name_words(unit.name), (*name_words(quantity.name), "unit")) + plain


def place_codes(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """Code texts in the text (``standard order``), the longest first; words serve one field of a record only."""
    found = []
    for slot in slots:
        if slot.field.codes and not draft.has(slot) and (not slot.path or draft.at(slot.path)):
            found += [(size, slot, code, start, end) for code, size, start, end in codes.mentions(slot, reading.tokens)]
    taken: list[tuple[int, int]] = []
    for size, slot, code, start, end in sorted(
        found, key=lambda f: (-f[0], not f[1].field.required, len(f[1].path), f[3])
    ):
        overlaps = [t for t in taken if start < t[1] and t[0] < end]
        weak = size == 1 and not slot.field.required and not _named_before(slot, reading, start)
        if draft.has(slot) or weak or any(t != (start, end) for t in overlaps):
            continue
        if overlaps and not slot.field.required:
            continue
        taken.append((start, end))
        draft.problems = [p for p in draft.problems if p.slot is not slot]
        draft.share(slot, Stated(code.code, "code text", start))


def _named_before(slot: Slot, reading: Reading, start: int) -> bool:
    """Whether a name of the field stands directly before the text: ``purpose: Repair`` is no chance word."""
    words = tuple(word for token in reading.tokens if token.end <= start for word in token.words)
    return any(alias and words[-len(alias) :] == alias for alias in slot.aliases)


def place_sole_date(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """One unplaced date belongs to the date that the text names elsewhere, or to the only required one without a value."""
    dates = [i for i, f in enumerate(reading.facts) if f.kind is FactKind.DATE and i not in draft.used]
    open_dates = [s for s in slots if is_date(s.field) and not draft.has(s) and (not s.path or draft.at(s.path))]
    words = tuple(w for t in reading.tokens for w in t.words)
    named = sorted((s for s in open_dates if within(s, words)), key=lambda s: -len(_telling(s, words)))
    required = [s for s in open_dates if s.field.required]
    only = open_dates if len(slots) <= _FEW_SLOTS else required
    chosen = named[0] if named else only[0] if len(only) == 1 else None
    if len(dates) == 1 and chosen is not None:
        fact = reading.facts[dates[0]]
        draft.share(chosen, Stated(fact.value, "goal", fact.start))
        draft.used.add(dates[0])


def place_same_day(
    draft: Draft, slots: Sequence[Slot], fact: Fact, phrase: tuple[str, ...], chosen: Slot | None
) -> None:
    """``document date and posting date 2026-03-02``: one day for every date that the words name."""
    for slot in slots:
        other = chosen is None or not set(slot.aliases) & set(chosen.aliases)
        home = len(slot.path) < 2 or bool(draft.at(slot.path))
        if (
            slot is not chosen
            and other
            and home
            and is_date(slot.field)
            and not draft.has(slot)
            and within(slot, phrase)
        ):
            draft.place(slot, Stated(fact.value, "goal", fact.start))


def _telling(slot: Slot, words: Sequence[str]) -> set[str]:
    """The words of the slot's name that the text uses and that its record's own name does not hold."""
    return {w for a in slot.aliases if set(a) <= set(words) for w in a} - set(slot.record)


def within(slot: Slot, phrase: tuple[str, ...]) -> bool:
    return any(len(a) > 1 and set(a) <= set(phrase) for a in slot.aliases)
