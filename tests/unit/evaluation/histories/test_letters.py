"""What generated letters say clearly is read as it was meant, in the words of every language and program."""

from random import Random

from evaluation.histories import letters
from evaluation.histories.scenes import ADDRESSES, APPROVALS
from evaluation.histories.shown import Shown
from evaluation.reply_matrix.words import languages
from mail.reply_parser import parse_reply

ASKED = Shown(
    "a@agent.example",
    "approval_request",
    "approvals+abcdefghijklmnopqrstuvwxyz@agent.example",
    None,
    "POST",
    "x",
    (),
    "T0x0",
)


def test_footers_of_programs_are_no_comment():
    words = next(words for words in languages() if words.language == "zh")
    envelope = letters.answer_to(ASKED, "m1", "bob", ADDRESSES["bob"][0], Random(1))
    told = letters.Envelope(**(vars(envelope) | {"shape": "k9"}))
    raw = letters.write(told, words, (words.approve[0],), Random(1))
    assert parse_reply(raw, languages=("zh",), own_addresses=(APPROVALS,)).answer == "approve"


def test_clear_letters_are_read_as_meant():
    for number in range(200):
        rng = Random(number)
        words, lines = letters.said(meaning := rng.choice(("yes", "no")), rng)
        raw = letters.write(letters.answer_to(ASKED, "m1", "bob", ADDRESSES["bob"][0], rng), words, lines, rng)
        read = parse_reply(raw, languages=(words.language,), own_addresses=(APPROVALS,))
        assert read.answer == {"yes": "approve", "no": "reject"}[meaning], (words.language, lines, read.answer_reason)
