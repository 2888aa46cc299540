"""The frame of our mails: whole in every language, and no line of it an answer."""

import re

import pytest

from mail.first_line import is_answer
from mail.keywords import languages_known
from mail.phrases import Phrases, _load


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
