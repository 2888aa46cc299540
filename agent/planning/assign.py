"""Assignment: every fact of a step's text to the slot that it fills, in reading order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.planning import codes, phrases
from agent.planning.addresses import find_addresses, slot_for
from agent.planning.draft import Draft, Problem, Stated
from agent.planning.facts import Fact, FactKind
from agent.planning.slots import ACCEPTED, Slot, is_date, is_numeric, role
from agent.planning.text import Token, dice, fold, name_words
from agent.planning.words import CURRENCIES, DATE_WORDS, LEGAL_FORMS, UNITS

_ADDRESS_WORDS = frozenset({"address", "adresse", "anschrift", "direccion", "indirizzo", "adres", "at", "in"})
UNIT_PHRASES = frozenset({("piece",), ("unit",), ("pc",), ("each",)})
_SALES_AREA = ("organization", "channel", "division")
_YEAR_LINKS = frozenset({"of", "from", "aus", "von", "in", "/", "de"})


@dataclass(frozen=True)
class Reading:
    """The text that a step may take values from: tokens and facts of its window."""

    goal: str
    tokens: tuple[Token, ...]
    facts: tuple[Fact, ...]


def assign(reading: Reading, slots: Sequence[Slot], accepted: float = ACCEPTED) -> Draft:
    """A draft with all facts placed that some slot can hold. ``accepted``: how well a label has to fit, 0 to 1."""
    draft = Draft()
    _place_addresses(draft, slots, reading)
    _place_sales_areas(draft, slots, reading)
    draft.used |= _inside_code_texts(slots, reading)
    last: Slot | None = None
    for index, fact in enumerate(reading.facts):
        if index in draft.used:
            continue
        phrase = phrases.before(reading.goal, reading.tokens, reading.facts, index)
        slot = None
        if not phrase and last is not None and _continues(reading, index) and fits(last, fact):
            slot = last
        slot = slot or _year(slots, reading, index) or _labelled(draft, slots, fact, phrase, accepted)
        slot = slot or _by_after(draft, slots, reading, index) or _by_role(draft, slots, reading, index, phrase)
        if fact.kind is FactKind.DATE:
            _also_dates(draft, slots, fact, phrase, slot)
        if slot is not None and _put(draft, slots, slot, fact, reading):
            draft.used.add(index)
            last = slot
    _place_codes(draft, slots, reading)
    _sole_dates(draft, slots, reading)
    _places(draft, slots, reading)
    return draft


def _place_addresses(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """Addresses first: their numbers and names mean nothing apart from each other."""
    start, end = (reading.tokens[0].start, reading.tokens[-1].end) if reading.tokens else (0, 0)
    for parts in find_addresses(reading.goal, _ADDRESS_WORDS):
        inside = [p for p in parts if start <= p.start < end]
        targets = [(p, slot_for(p, slots)) for p in inside]
        if len([t for _, t in targets if t]) < 3:
            continue
        for part, slot in targets:
            if slot is not None:
                draft.place(slot, Stated(part.value, "goal", part.start))
        spans = [(p.start, p.end) for p in parts]
        draft.used |= {i for i, f in enumerate(reading.facts) if any(f.start < e and s < f.end for s, e in spans)}


def _inside_code_texts(slots: Sequence[Slot], reading: Reading) -> set[int]:
    """Facts within the text of a code: the 30 of ``30 days net`` is no quantity."""
    spans = {
        (a, b)
        for s in slots
        for _, size, a, b in (codes.mentions(s, reading.tokens) if s.field.codes else [])
        if size > 1
    }
    inside = [i for i, f in enumerate(reading.facts) if any(a <= f.start and f.end <= b for a, b in spans)]
    return {i for i in inside if reading.facts[i].kind is not FactKind.QUOTED}


def fits(slot: Slot, fact: Fact) -> bool:
    """Whether the field's type and length can hold the fact."""
    field = slot.field
    if is_date(field):
        return fact.kind is FactKind.DATE
    if is_numeric(field):
        return fact.numeric
    if field.type == "Edm.Boolean" or field.type == "Edm.Guid":
        return field.type == "Edm.Guid" and fact.kind is FactKind.IDENTIFIER and len(fact.value) == 36
    if fact.kind is FactKind.DATE:
        return False
    if field.codes and fact.kind is FactKind.NAME:
        return codes.by_word(field, fact.value) is not None
    if field.codes and fact.kind is not FactKind.QUANTITY:
        return fact.kind is not FactKind.AMOUNT
    return not fact.unit and (field.max_length is None or len(fact.value) <= field.max_length)


def _labelled(
    draft: Draft, slots: Sequence[Slot], fact: Fact, phrase: tuple[str, ...], accepted: float = ACCEPTED
) -> Slot | None:
    """The best slot that the words before the fact name."""
    for reading in _readings(fact, phrase):
        scored = [(round(s.score(reading), 3), fits(s, fact), s) for s in slots if reading]
        # The deeper a record lies, the more clearly it has to be meant.
        scored = [r for r in scored if len(r[2].path) < 2 or r[0] >= 0.95 or draft.at(r[2].path[:-1])]
        best = max((score for score, _, _ in scored), default=0.0)
        good = [(score, s) for score, fit, s in scored if fit and score >= accepted]
        top = max((score for score, _ in good), default=0.0)
        # A value that does not fit the field its words name best must not slide into a field that they name worse.
        if good and not (best > top and best >= 0.9):
            below = {s.name for _, s in good if s.path}
            return max(good, key=lambda p: (p[0], *_said(p[1], reading), *_preference(draft, p[1], fact, below)))[1]
    return None


def _said(slot: Slot, phrase: tuple[str, ...]) -> tuple[bool, bool]:
    """Of fields that share a label: what the document itself requires first, then what the technical name says too."""
    name = name_words(slot.name)
    return not slot.path and slot.field.required, phrase[-len(name) :] == name


def _year(slots: Sequence[Slot], reading: Reading, index: int) -> Slot | None:
    """``5105600102 of 2026``: a year right behind a number."""
    fact = reading.facts[index]
    between = reading.goal[reading.facts[index - 1].end : fact.start].strip().casefold() if index else ""
    if between not in _YEAR_LINKS or not re.fullmatch(r"(?:19|20)\d\d", fact.value):
        return None
    return next((s for s in slots if "year" in name_words(s.name) and fits(s, fact)), None)


def _also_dates(draft: Draft, slots: Sequence[Slot], fact: Fact, phrase: tuple[str, ...], chosen: Slot | None) -> None:
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
            and _within(slot, phrase)
        ):
            draft.place(slot, Stated(fact.value, "goal", fact.start))


def _continues(reading: Reading, index: int) -> bool:
    """``roles A and B``: the second value belongs where the first went."""
    alike = reading.facts[index].kind is reading.facts[index - 1].kind
    return alike and phrases.joined(reading.goal, reading.facts, index)


def _readings(fact: Fact, phrase: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The phrase itself, and for a date what its last word says of it."""
    if fact.kind is FactKind.DATE and phrase and phrase[-1] in DATE_WORDS:
        return [phrase, *((*phrase[:-1], *words.split()) for words in DATE_WORDS[phrase[-1]])]
    return [phrase]


def _preference(draft: Draft, slot: Slot, fact: Fact, nested: set[str]) -> tuple[int, ...]:
    """Among equals: a code list that knows the value, the record being filled, required, shallow, short name."""
    known = 1 if slot.field.codes and codes.by_word(slot.field, fact.value) else 0
    rows = draft.at(slot.path)
    if not slot.path and slot.name in nested:
        # The same field stands in the items: what the goal says once is said of the whole document.
        known += 1
    open_row = 1 if slot.path and rows and slot.name not in rows[-1].values else 0
    near = 1 if len(slot.path) < 2 or rows else 0
    return known, open_row, near, int(slot.field.required), -len(slot.path), -len(slot.name)


def _by_after(draft: Draft, slots: Sequence[Slot], reading: Reading, index: int) -> Slot | None:
    """A label behind the value; ``(posting and document date)`` fills both and yields the first."""
    fact = reading.facts[index]
    phrase = phrases.after(reading.goal, reading.tokens, reading.facts, index)
    if not phrase:
        return None
    named = [s for s in slots if fits(s, fact) and _within(s, phrase) and not draft.has(s)]
    if fact.kind is FactKind.DATE and len(named) > 1:
        for other in named[1:]:
            draft.place(other, Stated(fact.value, "goal", fact.start))
    if named:
        return named[0]
    return _labelled(draft, slots, fact, phrase[:1]) or _labelled(draft, slots, fact, phrase[:2])


def _telling(slot: Slot, words: Sequence[str]) -> set[str]:
    """The words of the slot's name that the text uses and that its record's own name does not hold."""
    return {w for a in slot.aliases if set(a) <= set(words) for w in a} - set(slot.record)


def _within(slot: Slot, phrase: tuple[str, ...]) -> bool:
    return any(len(a) > 1 and set(a) <= set(phrase) for a in slot.aliases)


def _by_role(draft: Draft, slots: Sequence[Slot], reading: Reading, index: int, phrase: tuple[str, ...]) -> Slot | None:
    """Values whose kind says what they are: quantities, prices, goods after a quantity, shares."""
    fact = reading.facts[index]
    previous = reading.facts[index - 1] if index else None
    wanted = ""
    if fact.kind is FactKind.QUANTITY:
        wanted = "quantity"
    elif fact.kind is FactKind.AMOUNT and (fact.each or not phrase):
        wanted = "price"
    elif fact.kind is FactKind.PERCENT:
        wanted = "percent"
    elif fact.kind is FactKind.IDENTIFIER and (
        (previous and previous.kind is FactKind.QUANTITY) or phrase[-1:] in UNIT_PHRASES
    ):
        wanted = "product"
    elif fact.kind is FactKind.NAME:
        return _organization(slots, fact)
    candidates = [s for s in slots if wanted and role(s) == wanted and fits(s, fact)]
    if not candidates:
        return None
    return max(candidates, key=lambda s: (s.field.required, len(s.path) == 1, s.field.writable, -slots.index(s)))


def _place_sales_areas(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """``1010/10/00``: organization, channel and division in one word, as sales areas are written."""
    for index, fact in enumerate(reading.facts):
        parts = fact.value.split("/")
        if len(parts) != 3 or [len(p) for p in parts] != [4, 2, 2]:
            continue
        homes = [next((s for s in slots if not s.path and name_words(s.name)[-1:] == (w,)), None) for w in _SALES_AREA]
        if all(homes):
            for slot, value in zip(homes, parts, strict=True):
                if slot is not None:
                    draft.place(slot, Stated(value, "goal", fact.start))
            draft.used.add(index)


def _organization(slots: Sequence[Slot], fact: Fact) -> Slot | None:
    """A company's name without a label names the organization that the record is about."""
    legal = fold(fact.value.rsplit(" ", 1)[-1]).strip(".") in LEGAL_FORMS
    named = [s for s in slots if {"organization", "company"} & set(name_words(s.name)) and "name" in name_words(s.name)]
    fitting = [s for s in named if legal and not s.path and fits(s, fact)]
    return max(fitting, key=lambda s: (s.field.required, -len(s.name)), default=None)


def _put(draft: Draft, slots: Sequence[Slot], slot: Slot, fact: Fact, reading: Reading) -> bool:
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


def _place_codes(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
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
        weak = size == 1 and not slot.field.required
        if draft.has(slot) or weak or any(t != (start, end) for t in overlaps):
            continue
        if overlaps and not slot.field.required:
            continue
        taken.append((start, end))
        draft.problems = [p for p in draft.problems if p.slot is not slot]
        draft.share(slot, Stated(code.code, "code text", start))


def _sole_dates(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """One unplaced date belongs to the date that the text names elsewhere, or to the only required one without a value."""
    dates = [i for i, f in enumerate(reading.facts) if f.kind is FactKind.DATE and i not in draft.used]
    open_dates = [s for s in slots if is_date(s.field) and not draft.has(s) and (not s.path or draft.at(s.path))]
    words = tuple(w for t in reading.tokens for w in t.words)
    named = sorted((s for s in open_dates if _within(s, words)), key=lambda s: -len(_telling(s, words)))
    required = [s for s in open_dates if s.field.required]
    chosen = named[0] if named else required[0] if len(required) == 1 else None
    if len(dates) == 1 and chosen is not None:
        fact = reading.facts[dates[0]]
        draft.share(chosen, Stated(fact.value, "goal", fact.start))
        draft.used.add(dates[0])


def _places(draft: Draft, slots: Sequence[Slot], reading: Reading) -> None:
    """``CIF Hamburg``: a name right behind a code goes to the location that shares the code field's first word."""
    for row in draft.rows:
        for name, stated in list(row.values.items()):
            homes = [
                s for s in slots
                if s.path == row.path and {"location", "place"} & set(name_words(s.name)[1:])
                and name_words(s.name)[:1] == name_words(name)[:1] and s.name not in row.values
            ]  # fmt: skip
            fact = _name_behind(reading, stated.at) if homes and stated.at >= 0 else None
            if fact is not None and fits(homes[0], fact):
                row.values[homes[0].name] = Stated(fact.value, "goal", fact.start)


def _name_behind(reading: Reading, at: int) -> Fact | None:
    """The first proper name behind a place in the text, with no edge and at most a preposition before it."""
    for fact in reading.facts:
        between = reading.goal[at : fact.start]
        if fact.start > at and fact.kind is FactKind.NAME and len(between) < 60:
            return None if re.search(r"[.;:(]|,\s+\w+\s+\d", between) else fact
    return None


def window(reading: Reading, *spans: tuple[int, int]) -> Reading:
    """The parts of a reading that lie in one of the spans of the goal."""
    return replace(
        reading,
        tokens=tuple(t for t in reading.tokens if any(a <= t.start < b for a, b in spans)),
        facts=tuple(f for f in reading.facts if any(a <= f.start < b for a, b in spans)),
    )
