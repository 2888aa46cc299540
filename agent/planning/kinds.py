"""Kinds of documents that the goal asks for and the code list of the type field does not have."""

import re
from collections.abc import Sequence

from agent.planning import codes
from agent.planning.draft import Draft, Problem
from agent.planning.reading import Reading
from agent.planning.slots import Slot
from agent.planning.text import endpoint_words, label_words, name_words
from agent.planning.words import FILLERS, word_set
from wire.context import EndpointView

_PLAIN = word_set(
    """new another further same this that following ordinary normal usual separate small large urgent own single whole
    complete above next last first second third existing open our corresponding related respective"""
)


def unlisted_kind(view: EndpointView, draft: Draft, slots: Sequence[Slot], own: Reading) -> Problem | None:
    """``a consignment fill-up order``: words before the document's noun that no type of the list means."""
    heads = {words[-1] for words in (endpoint_words(view.endpoint), label_words(view.label)) if words}
    for slot in slots:
        is_type = (
            not slot.path and slot.field.codes and not slot.field.codes_cut and name_words(slot.name)[-1:] == ("type",)
        )
        if not is_type or draft.has(slot) or not heads & set(name_words(slot.name)):
            continue
        asked = _asked_kind(view, slot, heads, own)
        if asked and not codes.mentions(slot, own.tokens):
            return Problem("code", slot, asked)
    return None


def _asked_kind(view: EndpointView, slot: Slot, heads: set[str], own: Reading) -> str:
    """The words between the article or verb and the document's noun, when they qualify it; else ""."""
    plain = {*endpoint_words(view.endpoint), *label_words(view.label), *name_words(slot.name)}
    for index, token in enumerate(own.tokens):
        if not set(token.words) & heads:
            continue
        before: list[str] = []
        for earlier in reversed(own.tokens[:index]):
            words = set(earlier.words)
            gap = own.goal[earlier.end : own.tokens[index - len(before)].start]
            stops = words & FILLERS or re.search(r"[,.;:()]", gap)
            if stops or not earlier.text.replace("-", "").isalpha():
                break
            before.insert(0, earlier.text)
        telling = [w for w in before if w.casefold() not in _PLAIN and not set(label_words(w)) <= plain]
        opened = index > len(before) and own.tokens[index - len(before) - 1].text.casefold() in _ARTICLES
        if telling and opened:
            return own.goal[own.tokens[index - len(before)].start : token.end]
    return ""


_ARTICLES = word_set("a an one the ein eine einen einem un une uno una el la le il lo")
