"""The frame of our mails: whole in every language, and no line of it an answer."""

import re

import pytest

from ledger.notices import CLARIFICATION, REFUSALS
from mail.first_line import is_answer
from mail.keywords import languages_known
from mail.phrases import Phrases, _load, _notes


@pytest.mark.parametrize("language", languages_known())
def test_every_language_has_every_phrase_with_the_same_places(language):
    english, table = _load()["en"], _load()[language]
    places = {name: set(re.findall(r"{\w+}", str(text))) for name, text in english.items()}
    assert {name: set(re.findall(r"{\w+}", str(text))) for name, text in table.items()} == places
    assert (len(Phrases(language).items("weekdays")), len(Phrases(language).items("months"))) == (7, 12)


@pytest.mark.parametrize("language", languages_known())
def test_no_phrase_reads_as_an_answer(language):
    assert [
        name for name, text in _load()[language].items() if isinstance(text, str) and is_answer(text.strip(" :："))
    ] == []


def test_every_note_is_one_that_the_product_writes_and_stands_in_every_language():
    written = {CLARIFICATION, *REFUSALS.values(), "three quarters of the window have passed", "nobody answered in time"}
    texts: dict[str, set[str]] = {}
    for (text, language), said in _notes().items():
        texts.setdefault(text, set()).add(language)
        assert not is_answer(said)
    assert texts.keys() <= written
    assert all(languages == set(languages_known()) for languages in texts.values())


def test_a_note_is_said_in_the_readers_language_and_a_rare_one_as_it_is():
    assert Phrases("de").note("nobody answered in time") == "Niemand hat rechtzeitig geantwortet."
    assert Phrases("de").note("halted: run-a") == "halted: run-a"
