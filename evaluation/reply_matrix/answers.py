"""What people write in answer, in every language and mail program: clear answers, and what only looks like one."""

from collections.abc import Iterator
from itertools import cycle

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.message import ENCODINGS, Body, Head, message, signed
from evaluation.reply_matrix.shapes import SHAPES
from evaluation.reply_matrix.words import Words, languages

CHARSETS = {
    "en": ("utf-8", "us-ascii", "iso-8859-1"),
    "de": ("utf-8", "iso-8859-1", "windows-1252", "iso-8859-15"),
    "fr": ("utf-8", "iso-8859-15", "windows-1252"),
    "es": ("utf-8", "iso-8859-1", "windows-1252"),
    "it": ("utf-8", "iso-8859-1", "windows-1252"),
    "pt": ("utf-8", "iso-8859-1", "windows-1252"),
    "nl": ("utf-8", "iso-8859-1", "windows-1252"),
    "pl": ("utf-8", "iso-8859-2", "windows-1250"),
    "hi": ("utf-8",),
    "gu": ("utf-8",),
    "ja": ("utf-8", "iso-2022-jp", "shift_jis", "euc-jp"),
    "zh": ("utf-8", "gb18030", "gb2312", "gbk"),
}
DECORATIONS = ("bare", "comment", "signoff", "dashes", "disclaimer", "banner", "print", "smime", "pgp")


def approvals() -> Iterator[Case]:
    """Clear approvals: every language in every program, decorated in turn."""
    for words in languages():
        turn = zip(cycle(DECORATIONS), cycle(words.approve), strict=False)
        for (name, _), (decoration, word) in zip(SHAPES.items(), turn, strict=False):
            yield _clear(words, name, word, decoration, "approval")


def rejections() -> Iterator[Case]:
    """Clear rejections, with reasons in turn."""
    for number, words in enumerate(languages()):
        turn = zip(cycle(DECORATIONS[number % 3 :]), cycle(words.reject), strict=False)
        for (name, _), (decoration, word) in zip(SHAPES.items(), turn, strict=False):
            yield _clear(words, name, word, decoration, "rejection")


def _clear(words: Words, shape: str, word: str, decoration: str, group: str) -> Case:
    name = f"{'yes' if group == 'approval' else 'no'}-{words.language}-{shape}-{decoration}"
    lines = _decorated(words, word, decoration)
    body = encoded(SHAPES[shape](words, lines), words, name)
    raw = message(Head(name), body)
    if decoration in ("smime", "pgp"):
        head, _, inner = raw.partition(b"MIME-Version: 1.0\r\n")
        raw = head + b"MIME-Version: 1.0\r\n" + signed(decoration, inner)
    want = ("accepted",) if group == "approval" else ("rejected",)
    return Case(name, "approval" if group == "approval" else "rejection", raw, want, f"{word} in {shape}, {decoration}")


def _decorated(words: Words, word: str, decoration: str) -> list[str]:
    extras = {
        "comment": ["", *words.comment],
        "signoff": ["", *words.signoff],
        "dashes": ["", "-- ", *words.signoff],
        "disclaimer": ["", *words.signoff, "", words.disclaimer],
        "print": ["", *words.signoff, "", words.print],
    }
    above = [words.banner, ""] if decoration == "banner" else []
    return [*above, word, *extras.get(decoration, [])]


def encoded(body: Body, words: Words, name: str) -> Body:
    """The same body in a charset and transfer encoding that the case's name picks."""
    seed = sum(name.encode())
    charset = CHARSETS[words.language][seed % len(CHARSETS[words.language])]
    encoding = ENCODINGS[seed // 7 % 3]
    text = (body.plain or "") + (body.html or "")
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        charset = "utf-8"
    if charset == "iso-2022-jp" and encoding == "8bit":
        encoding = "base64"
    return Body(body.plain, body.html, charset, encoding, body.parameters)


def near_misses() -> Iterator[Case]:
    """Mails by the approver that are no approval, in every language and program."""
    for words in languages():
        said = cycle(_unclear(words))
        for name in SHAPES:
            for number in range(4):
                kind, lines = next(said)
                case = f"not-{words.language}-{name}-{kind}-{number}"
                raw = message(Head(case), encoded(SHAPES[name](words, lines), words, case))
                want = ("unclear", "rejected") if kind in ("negated", "contradiction") else ("unclear",)
                yield Case(case, "non-approval", raw, want, f"{kind}: {lines[0] if lines else 'nothing written'}")


def _unclear(words: Words) -> list[tuple[str, list[str]]]:
    """Kind and authored lines, more than a language has programs."""
    yes, no = words.approve[0], words.reject[0]
    single = [
        (kind, [line])
        for kind in ("negated", "asked", "conditional", "later", "chatter")
        for line in getattr(words, kind)
    ]
    below = [("limited", [word, "", line]) for word in words.approve[:2] for line in words.limiting]
    other = [
        ("empty", []),
        ("signature-only", ["", *words.signoff]),
        ("contradiction", [yes, no]),
        ("choice", [f"{yes} / {no}"]),
        ("greeting", [f"{words.signoff[0]} {yes}"]),
        ("within", [f"{words.comment[0]} {yes}"]),
        ("homoglyph", [yes.replace("A", "\u0410").replace("E", "\u0415") if yes.isascii() else f"{yes}\u0430"]),
        ("zero-width", [f"{yes[:1]}\u200b{yes[1:]}"]),
        ("struck-text", [f"~~{yes}~~"]),
        ("quoted-word", [f"“{yes}”?"]),
        ("prefixed", [f"Re: {yes}"]),
        ("listed", [f"1. {yes}"]),
    ]
    return [*single, *below, *other]


def commented() -> Iterator[Case]:
    """A yes with a comment below it, in every language: harmless ones leave it a yes, limiting ones ask again."""
    for words in languages():
        shapes = cycle(SHAPES.items())
        said = [("non-approval", "limits", text) for text in words.taken_back]
        said += [("approval", "agrees", text) for text in words.agreed]
        for number, (group, kind, text) in enumerate(said):
            shape, lay_out = next(shapes)
            name = f"{kind}-{words.language}-{number}"
            lines = [words.approve[number % len(words.approve)], *([""] if number % 2 else []), text]
            raw = message(Head(name), encoded(lay_out(words, lines), words, name))
            want = ("accepted",) if group == "approval" else ("unclear", "rejected")
            yield Case(name, "approval" if group == "approval" else "non-approval", raw, want, f"{text} in {shape}")
