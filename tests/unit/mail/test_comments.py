"""What may stand below an answer."""

import tomllib
from pathlib import Path

import pytest

from mail.keywords import languages_known, word_for
from mail.reply_parser import parse_reply
from tests.unit.mail.client_shapes import QM, plain

COMMENTS = tomllib.loads(Path(__file__).with_name("comments.toml").read_text(encoding="utf-8"))


def answer(first: str, comment: str) -> str:
    raw = plain(f"{first}\n\n{comment}\n\nOn Mon, 2 Nov 2026 at 09:00, Agent <a@agent.example> wrote:\n{QM}")
    return parse_reply(raw, languages=languages_known(), own_addresses=[]).answer


@pytest.mark.parametrize("language", languages_known())
def test_limiting_comments_make_an_approval_unclear(language):
    passed = [
        text for text in COMMENTS[language]["limiting"] if answer(word_for("approve", language), text) != "unclear"
    ]
    assert passed == []


@pytest.mark.parametrize("language", languages_known())
def test_harmless_comments_leave_an_approval_clear(language):
    lost = [text for text in COMMENTS[language]["harmless"] if answer(word_for("approve", language), text) != "approve"]
    assert lost == []


@pytest.mark.parametrize("language", languages_known())
def test_a_rejection_may_give_its_reasons(language):
    reasons = [
        text for text in COMMENTS[language]["harmless"] if answer(word_for("reject", language), text) != "reject"
    ]
    assert reasons == []


def test_the_opposite_word_of_another_language_contradicts():
    assert answer("APPROVE", "Abgelehnt") == answer("拒绝", "Approvato") == "unclear"
