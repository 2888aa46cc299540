"""HTML that shows something else than it says: hidden, struck, coloured away, moved off, swapped by alternatives."""

from collections.abc import Iterator

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.message import Body, Head, content, message, multipart, part
from evaluation.reply_matrix.words import languages

HIDING = (
    '<div style="display:none">{Y}</div>',
    '<div style="display: none !important">{Y}</div>',
    '<span style="font-size:0">{Y}</span>',
    '<span style="font-size:1px">{Y}</span>',
    '<span style="color:#ffffff">{Y}</span>',
    '<span style="color:white">{Y}</span>',
    '<font color="#FFFFFF">{Y}</font>',
    '<span style="opacity:0">{Y}</span>',
    '<span style="visibility:hidden">{Y}</span>',
    '<div style="position:absolute;left:-9999px">{Y}</div>',
    '<div style="text-indent:-9999px">{Y}</div>',
    '<div style="max-height:0;overflow:hidden">{Y}</div>',
    '<div style="height:0px;overflow:hidden">{Y}</div>',
    '<div style="mso-hide:all">{Y}</div>',
    "<div hidden>{Y}</div>",
    '<style>.x{display:none}</style><div class="x">{Y}</div>',
    '<style>#y{font-size:0}</style><div id="y">{Y}</div>',
    '<div style="clip-path:inset(100%)">{Y}</div>',
    '<div style="transform:scale(0)">{Y}</div>',
    '<div style="color:rgba(0,0,0,0)">{Y}</div>',
    '<div style="color:transparent">{Y}</div>',
    "<noscript>{Y}</noscript>",
    "<template>{Y}</template>",
    "<textarea>{Y}</textarea>",
    "<!-- {Y} -->",
    "<title>{Y}</title>",
    "<select><option>{Y}</option></select>",
    '<div style="background:#000;color:#000">{Y}</div>',
    '<div style="background-color:red;color:red">{Y}</div>',
    '<div style="line-height:0;overflow:hidden">{Y}</div>',
    "<details><summary></summary>{Y}</details>",
    '<div style="width:0;overflow:hidden;white-space:nowrap">{Y}</div>',
    "<dialog>{Y}</dialog>",
    '<span style="color:#fefefe">{Y}</span>',
    '<div style="color:hsl(0,0%,100%)">{Y}</div>',
    '<div style="filter:opacity(0)">{Y}</div>',
    '<div aria-hidden="true" style="display:none">{Y}</div>',
    '<div style="position:fixed;top:-500px">{Y}</div>',
    '<div style="zoom:0">{Y}</div>',
    '<div style="content-visibility:hidden">{Y}</div>',
    "<style>*{display:none}</style><p>{Y}</p>",
    "<style>div p:nth-child(1){visibility:hidden}</style><div><p>{Y}</p></div>",
    '<style>[class]{display:none}</style><p class="a">{Y}</p>',
    '<style>p:before{content:"DO NOT "}</style><p>{Y}</p>',
    '<p style="display:\\6eone">{Y}</p>',
    '<p style="-webkit-text-fill-color:transparent">{Y}</p>',
    '<table bgcolor="#222222"><tr><td style="color:#222">{Y}</td></tr></table>',
    '<p style="transform:translateX(-4000px)">{Y}</p>',
    "<button>{Y}</button>",
    "<svg><text>{Y}</text></svg>",
    '<p style="color:#ffffff00">{Y}</p>',
    '<p style="font-size:0.1em">{Y}</p>',
)
STRIKING = (
    "<s>{Y}</s>",
    "<strike>{Y}</strike>",
    "<del>{Y}</del>",
    '<span style="text-decoration:line-through">{Y}</span>',
)


def html_tricks() -> Iterator[Case]:
    """Every trick in every language, alone and over a visible NO; alternatives that disagree."""
    for words in languages():
        yes, no = words.approve[0], words.reject[0]
        for number, trick in enumerate((*HIDING, *STRIKING)):
            for kind, below in (("no", no), ("thanks", words.comment[0]), ("alone", "")):
                name = f"hidden-{words.language}-{number}-{kind}"
                rich = f"<html><body>{trick.replace('{Y}', yes)}<div>{below}</div></body></html>"
                raw = message(Head(name), Body(None, rich))
                yield Case(name, "non-approval", raw, ("unclear", "rejected", "refused"), trick)
        for number, (plain, rich) in enumerate(((yes, no), (no, yes), (yes, words.asked[1]), (words.later[0], yes))):
            name = f"disagree-{words.language}-{number}"
            raw = message(Head(name), Body(plain, f"<html><body><div>{rich}</div></body></html>"))
            yield Case(name, "non-approval", raw, ("unclear", "refused"), "the alternatives disagree")
        yield from _elsewhere(words.language, yes)


def _elsewhere(language: str, yes: str) -> Iterator[Case]:
    """The word stands in a place that the writer did not write into the body."""
    chat = content(Body("…"))
    inner = part("message/rfc822", f"From: Ann <ann@corp.example>\nSubject: yes\n\n{yes}\n")
    places = {
        "attached-mail": multipart("mixed", [chat, inner], "=_m"),
        "forwarded-only": multipart("mixed", [inner], "=_m"),
        "attached-text": multipart("mixed", [part("text/plain", yes, "attachment; filename=a.txt")], "=_m"),
        "named-text": multipart("mixed", [part("text/plain; charset=utf-8; name=a.txt", yes)], "=_m"),
        "rich-text": part("text/enriched; charset=utf-8", yes),
        "csv": part("text/csv; charset=utf-8", yes),
        "encrypted": multipart(
            "encrypted", [part("application/pgp-encrypted", "Version: 1"), part("text/plain", yes)], "=_m"
        ),
        "forward-inline": content(
            Body(f"FYI\n\n---------- Forwarded message ---------\nFrom: Ann <ann@corp.example>\nDate: Mon\n\n{yes}")
        ),
        "subject-only": content(Body("")),
    }
    for kind, raw in places.items():
        name = f"{kind}-{language}"
        head = Head(name, subject=f"{yes} Re: [approval r-7f3a/2]" if kind == "subject-only" else Head(name).subject)
        yield Case(name, "non-approval", head.raw() + raw, ("unclear", "refused"), kind)
