"""Text from data and from the agent, made harmless: it can be read, but is no header, no HTML, no link and no instruction."""

import re
import unicodedata

# Bidi controls and invisible characters can make a text look other than it is; tags and private use characters show nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ue000-\uf8ff\ufff0-\uffff\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_REF = re.compile(r"\bref(\s*)[:：]", re.IGNORECASE)
_LINK = re.compile(
    r"(?i)\b(https?|ftp|file|mailto|javascript|data|tel|sms|vbscript|callto|sips?|skype|news|webcal|facetime|whatsapp|onenote|xmpp"
    r"|magnet|intent|ms-\w+)(:)(?=\S)|\b[a-z][a-z0-9+-]{1,20}(:)(?=//)|\bwww(\.)"
)
_SHARE = re.compile(r"\\\\(?=[^\W_])")
# What mail programs take for the name of a host: a dot before a word of letters ("pump.example/pay", "a@b.example").
_HOST = re.compile(r"(?<=[^\W_])(?P<dot>[.。．｡])(?=[^\W\d_]{2})")
MOST_MARKS = 4
"""Combining characters on one letter that are shown: more hide the lines around it, and no language needs them."""

BREAKABLE = re.compile(f"{_LINK.pattern.removeprefix('(?i)')}|{_REF.pattern}|{_HOST.pattern}", re.IGNORECASE)
"""What ``clean_line`` breaks up in visible text."""


def clean_line(text: str, limit: int = 2000) -> str:
    """One line of visible text without controls; web addresses are broken up so that no mail program makes a link of them."""
    flat = "".join(" " if _is_control(char) else char for char in unicodedata.normalize("NFC", text[: 4 * limit]))
    flat = _without_piles(" ".join(_INVISIBLE.sub("", flat).split()))
    flat = _LINK.sub(lambda found: found[0].replace(":", "[:]").replace(".", "[.]"), flat)
    # Outlook makes links of the names of Windows shares.
    flat = _SHARE.sub(lambda found: f"[{found[0]}]", flat)
    flat = _HOST.sub(lambda found: f"[{found[0]}]", flat)
    flat = _REF.sub(lambda found: f"{found[0][:3]} -", flat)
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def clean_label(text: str, limit: int = 100) -> str:
    """A text that stands before a colon of ours: a label ``Ref`` must not make a ``Ref:`` line."""
    return clean_line(f"{text[: 4 * limit]}:", limit).removesuffix(":").rstrip()


def clean_lines(text: str, limit: int = 8000) -> list[str]:
    """Several lines, each as ``clean_line``; empty ones at the ends are dropped."""
    lines = [clean_line(line) for line in re.split(r"\r\n|\r|\n|\u2028|\u2029|\x85|\v|\f", text[:limit])]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _without_piles(text: str) -> str:
    marks, kept = 0, []
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
