"""What says no without a word that limits: numbers, signs, pictures, form fields, indents, what stands apart below a name."""

from collections.abc import Iterator
from html import escape
from itertools import cycle

from evaluation.reply_matrix.case import Case, Group
from evaluation.reply_matrix.message import Body, Head, message
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import Words, languages

SIGNS = (
    "4 -> 3", "3", "0", "x2", "2x", "50 %", "-50%", "½", "②",
    "~2", "<= 2", "≠", "(2)", "#2", "2!", "€100", "👎", "❌", "🚫", "✋", "🛑", "🤔",
    "🤷", "🙄", "⚠️", "⏸", "❗", "✗", "☹", ":(", ":-(", "D:", ":/",
)  # fmt: skip
KIND = ("👍", "🙏", "😊", "👍🏻", ":)", ";-)", "🎉🎉", "❤️", "=====", "* * *")
APART = (
    "x2", "-50%", "2個", "Ask Bob", "Test", "con cambios", "you wish", "a dozen",
    "Preis neu verhandeln", "Kopie an Bob, er entscheidet",
)  # fmt: skip
SENT = (
    "Sent with wrong quantity please fix to 3", "I sent the mail to Bob and he wants another vendor", "来自供应商的价格太高",
    "M: buy from Smith", "[price to be renegotiated]", "| only 2 |",
)  # fmt: skip
SEEN = (
    "<p>{Y}</p><blockquote style='margin:0 0 0 40px;border:none;padding:0px'>2 of them</blockquote>",
    "<p>{Y}</p><blockquote style='margin-left:40px;border-left:none'>2 of them</blockquote>",
    "<p><img alt='Do not' src=x> {Y}</p>",
    "<p>{Y} <img alt='❌' src=x></p>",
    "<p>{Y}</p><p><img alt='👎' src=x></p>",
    "<p><input type=checkbox> {Y}</p>",
    "<p>{Y}</p><input type=text value='2 only'>",
    "<s><p>{Y}</p></s>",
    "<div style='--d:none;display:var(--d)'>{Y}</div>",
    "<div style='overflow:hidden;height:1px'>{Y}</div>",
    "<link rel=stylesheet href='https://x.example/a.css'><p>{Y}</p>",
    "<style>@import url(a.css);</style><p>{Y}</p>",
    "<p>{Y}</p><div id='Signature'><p>qty 2</p></div>",
)
LOGOS = (
    "<p><img alt='Corp' src=x></p><p>{Y}</p>",
    "<p>{Y}<img src=x width=1 height=1></p>",
    "<p>{Y}</p><p><img alt='👍' src=x></p>",
    "<div style='display:none!important'>ZjQcmQRYFpfptBannerStart</div>"
    "<div>This Message Is From an External Sender</div><p>{Y}</p>",
    "<link rel=stylesheet href='https://fonts.example/css'><p>{Y}</p>",
)


def wordless() -> Iterator[Case]:
    """Each in every language; the plain ones in the programs in turn."""
    for words in languages():
        turn = cycle(SHAPES.items())
        for group, said in _said(words):
            for number, below in enumerate(said):
                _, lay_out = next(turn)
                name = f"wordless-{words.language}-{group}-{number}"
                raw = message(Head(name), lay_out(words, [words.approve[0], *below]))
                want = ("accepted",) if group == "approval" else ("unclear",)
                yield Case(name, group, raw, want, " / ".join(below))
        yield from _seen(words)


def _said(words: Words) -> list[tuple[Group, list[list[str]]]]:
    return [("non-approval", _limiting(words)), ("approval", [["", sign] for sign in KIND])]


def _limiting(words: Words) -> list[list[str]]:
    """Lines below a yes."""
    apart = [["", *words.signoff, "", line] for line in APART]
    ruled = [["", "--", line] for line in (*words.limiting[:2], "2", "buy 2")]
    return [*(["", sign] for sign in (*SIGNS, *SENT)), *apart, *ruled]


def _seen(words: Words) -> Iterator[Case]:
    sets: list[tuple[Group, tuple[str, ...], str]] = [
        ("non-approval", SEEN, "unclear"),
        ("approval", LOGOS, "accepted"),
    ]
    for group, pages, want in sets:
        for number, page in enumerate(pages):
            name = f"seen-{words.language}-{group}-{number}"
            rich = f"<html><body>{page.replace('{Y}', escape(words.approve[0]))}</body></html>"
            yield Case(name, group, message(Head(name), Body(None, rich)), (want,), page)
