"""Assignment: every fact of a step's text to the slot that it fills, in reading order."""

from collections.abc import Sequence

from agent.planning import phrases
from agent.planning.draft import Draft
from agent.planning.facts import FactKind
from agent.planning.matching import by_after, by_role, continues, fits, labelled, year_slot
from agent.planning.placing import place_codes, place_same_day, place_sole_date, put
from agent.planning.reading import Reading
from agent.planning.slots import ACCEPTED, Slot
from agent.planning.wholes import inside_code_texts, place_addresses, place_locations, place_sales_areas


def assign(reading: Reading, slots: Sequence[Slot], accepted: float = ACCEPTED) -> Draft:
    """A draft with all facts placed that some slot can hold. ``accepted``: how well a label has to fit, 0 to 1."""
    draft = Draft()
    place_addresses(draft, slots, reading)
    place_sales_areas(draft, slots, reading)
    draft.used |= inside_code_texts(slots, reading)
    last: Slot | None = None
    for index, fact in enumerate(reading.facts):
        if index in draft.used:
            continue
        phrase = phrases.before(reading.goal, reading.tokens, reading.facts, index)
        slot = None
        if not phrase and last is not None and continues(reading, index) and fits(last, fact):
            slot = last
        slot = slot or year_slot(slots, reading, index) or labelled(draft, slots, fact, phrase, accepted)
        slot = slot or by_after(draft, slots, reading, index) or by_role(draft, slots, reading, index, phrase)
        if fact.kind is FactKind.DATE:
            place_same_day(draft, slots, fact, phrase, slot)
        if slot is not None and put(draft, slots, slot, fact, reading):
            draft.used.add(index)
            last = slot
    place_codes(draft, slots, reading)
    place_sole_date(draft, slots, reading)
    place_locations(draft, slots, reading)
    return draft
