"""Matching: which slot a fact belongs to, by the words beside it, by its kind, by what stands before it."""

import re
from collections.abc import Sequence

from agent.planning import codes, phrases
from agent.planning.draft import Draft, Stated
from agent.planning.facts import Fact, FactKind
from agent.planning.placing import within
from agent.planning.reading import Reading
from agent.planning.slots import ACCEPTED, Slot, is_date, is_numeric, role
from agent.planning.text import fold, name_words, same_word
from agent.planning.words import DATE_WORDS, FILLERS, LEGAL_FORMS

UNIT_PHRASES = frozenset({("piece",), ("unit",), ("pc",), ("each",)})
_FROM = (" from", " von", " bei", " de", " da")
_YEAR_LINKS = frozenset({"of", "from", "aus", "von", "in", "/", "de"})


def fits(slot: Slot, fact: Fact) -> bool:
    """Whether the field's type and length can hold the fact."""
    field = slot.field
    if is_date(field):
        return fact.kind is FactKind.DATE
    if is_numeric(field):
        return fact.numeric
    if field.type == "Edm.Boolean" or field.type == "Edm.Guid":
        return field.type == "Edm.Guid" and fact.kind is FactKind.IDENTIFIER and len(fact.value) == 36
    if fact.kind in (FactKind.DATE, FactKind.QUANTITY, FactKind.AMOUNT, FactKind.PERCENT):
        return False
    if field.codes and fact.kind is FactKind.NAME:
        return codes.by_word(field, fact.value) is not None
    return bool(field.codes) or field.max_length is None or len(fact.value) <= field.max_length


def labelled(
    draft: Draft, slots: Sequence[Slot], fact: Fact, phrase: tuple[str, ...], accepted: float = ACCEPTED
) -> Slot | None:
    """The best slot that the words before the fact name."""
    for reading in _readings(fact, phrase):
        scored = [(round(s.score(reading), 3), fits(s, fact), s) for s in slots if reading]
        # The deeper a record lies, the more clearly it has to be meant.
        scored = [r for r in scored if len(r[2].path) < 2 or r[0] >= 0.95 or draft.at(r[2].path[:-1])]
        scored = [r for r in scored if r[0] >= 0.95 or _listed(r[2], fact)]
        best = max((score for score, _, _ in scored), default=0.0)
        good = [(score, s) for score, fit, s in scored if fit and score >= accepted]
        top = max((score for score, _ in good), default=0.0)
        # A value that does not fit the field its words name best must not slide into a field that they name worse.
        if good and not (best > top and best >= 0.9):
            below = {s.name for _, s in good if s.path}
            return max(good, key=lambda p: (p[0], *_said(p[1], reading), *_preference(draft, p[1], fact, below)))[1]
    return None


def _listed(slot: Slot, fact: Fact) -> bool:
    """Whether a code list, if there is one, knows the value; only words that name the field fully make it a question."""
    field = slot.field
    return not field.codes or field.codes_cut or bool(fact.unit) or codes.by_word(field, fact.value) is not None


def _said(slot: Slot, phrase: tuple[str, ...]) -> tuple[bool, int]:
    """Of fields that share a label: what the document itself requires first, then what the technical name says too."""
    name = name_words(slot.name)
    tail = phrase[-len(name) :]
    whole = len(tail) == len(name) and all(same_word(a, b) for a, b in zip(tail, name, strict=True))
    longer = len(name) if whole else 0
    needed = slot.field.required or slot.field.key
    return not slot.path and needed and longer <= 1, longer


def year_slot(slots: Sequence[Slot], reading: Reading, index: int) -> Slot | None:
    """``5105600102 of 2026``: a year right behind a number."""
    fact = reading.facts[index]
    between = reading.goal[reading.facts[index - 1].end : fact.start].strip().casefold() if index else ""
    if between not in _YEAR_LINKS or not re.fullmatch(r"(?:19|20)\d\d", fact.value):
        return None
    return next((s for s in slots if "year" in name_words(s.name) and fits(s, fact)), None)


def continues(reading: Reading, index: int) -> bool:
    """``roles A and B``: the second value belongs where the first went."""
    alike = reading.facts[index].kind is reading.facts[index - 1].kind
    return alike and phrases.joined(reading.goal, reading.facts, index)


def _readings(fact: Fact, phrase: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The phrase itself, and for a date what its last word says of it."""
    if fact.kind is FactKind.DATE and phrase and phrase[-1] in DATE_WORDS:
        said = [tuple(w for w in words.split() if w not in FILLERS) for words in DATE_WORDS[phrase[-1]]]
        return [phrase, *((*phrase[:-1], *words) for words in said), *said]
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


def by_after(draft: Draft, slots: Sequence[Slot], reading: Reading, index: int) -> Slot | None:
    """A label behind the value; ``(posting and document date)`` fills both and yields the first."""
    fact = reading.facts[index]
    phrase = phrases.after(reading.goal, reading.tokens, reading.facts, index)
    if not phrase:
        return None
    named = [s for s in slots if fits(s, fact) and within(s, phrase) and not draft.has(s)]
    if fact.kind is FactKind.DATE and len(named) > 1:
        for other in named[1:]:
            draft.place(other, Stated(fact.value, "goal", fact.start))
    if named:
        return named[0]
    # A number is often named behind (``12.50 EUR gross``), a name or an identifier hardly ever.
    accepted = ACCEPTED if fact.numeric or fact.kind is FactKind.DATE else 0.95
    return labelled(draft, slots, fact, phrase[:1], accepted) or labelled(draft, slots, fact, phrase[:2], accepted)


def by_role(draft: Draft, slots: Sequence[Slot], reading: Reading, index: int, phrase: tuple[str, ...]) -> Slot | None:
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
    elif fact.kind is FactKind.NUMBER and reading.goal[: fact.start].rstrip().casefold().endswith(_FROM):
        parties = [s for s in slots if not s.path and ("supplier",) in s.aliases and fits(s, fact) and not draft.has(s)]
        return max(parties, key=lambda s: s.field.required, default=None)
    candidates = [s for s in slots if wanted and role(s) == wanted and fits(s, fact)]
    if not candidates:
        return None
    return max(candidates, key=lambda s: (s.field.required, len(s.path) == 1, s.field.writable, -slots.index(s)))


def _organization(slots: Sequence[Slot], fact: Fact) -> Slot | None:
    """A company's name without a label names the organization that the record is about."""
    legal = fold(fact.value.rsplit(" ", 1)[-1]).strip(".") in LEGAL_FORMS
    named = [s for s in slots if {"organization", "company"} & set(name_words(s.name)) and "name" in name_words(s.name)]
    fitting = [s for s in named if legal and not s.path and fits(s, fact)]
    return max(fitting, key=lambda s: (s.field.required, -len(s.name)), default=None)
