"""MIME within a budget: raw bytes in, the inline text that a person may have written out.

Attachments are never decoded, attached messages never looked into. What exceeds the budget is named, not read.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from email.utils import collapse_rfc2231_value

from mail.headers import split_message


@dataclass(frozen=True)
class Budget:
    """How much of a message is looked at (bytes, counts)."""

    size: int = 1 << 20
    header_section: int = 128 << 10
    header_line: int = 32 << 10
    depth: int = 12
    parts: int = 100
    references: int = 100
    plain_text: int = 256 << 10
    html: int = 512 << 10


@dataclass(frozen=True)
class TextPart:
    """One inline text body. ``alternatives`` holds the same words in other subtypes (multipart/alternative), best last."""

    subtype: str
    text: str
    alternatives: tuple["TextPart", ...] = ()


class Unreadable(Exception):
    """Raised when the budget is broken or a text cannot be decoded; the message names what."""


MailMessage = Message

_ENCODINGS = frozenset({"", "7bit", "8bit", "binary", "quoted-printable", "base64"})
"""RFC 2045: what is encoded in another way is not text to any reader."""

# Python's codecs that write plain ASCII for other text: a mail program shows something else than we would read.
_HIDING = frozenset(
    {"utf-7", "unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape", "idna", "punycode"}
)
# What mail programs call a charset, where Python's name differs; supersets where senders are known to use them.
_CHARSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030", "hz-gb-2312": "hz",
    "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "shift_jis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "utf-8", "ascii": "utf-8", "ansi_x3.4-1968": "utf-8",
    "iso-8859-8-i": "iso-8859-8", "iso-8859-9": "cp1254", "x-mac-roman": "mac_roman", "macintosh": "mac_roman",
    "utf8": "utf-8", "utf-8": "utf-8-sig", "unicode": "utf-16", "big5": "big5hkscs", "iso-2022-jp": "iso2022_jp_ext",
}  # fmt: skip


def check_budget(raw: bytes, budget: Budget) -> str | None:
    """What of the budget ``raw`` breaks, None if nothing; linear in its size, before any parser sees it."""
    if len(raw) > budget.size:
        return f"size {len(raw)} over {budget.size} bytes"
    section, body = split_message(raw)
    if len(section) > budget.header_section:
        return f"header section over {budget.header_section} bytes"
    if max(map(len, section.split(b"\n")), default=0) > budget.header_line:
        return f"header line over {budget.header_line} bytes"
    if b"\0" in raw:
        return "NUL byte"
    if len(re.findall(rb"(?im)^content-type[ \t]*:\s*(?:multipart|message)/", raw)) > budget.parts:
        return f"more than {budget.parts} multiparts"
    boundaries = set(re.findall(rb'(?i)boundary\s*=\s*"?([^";\s]{1,200})', raw))
    if len(boundaries) > budget.parts:
        return f"more than {budget.parts} boundaries"
    marks = re.findall(rb"(?m)^--([^\r\n]{1,200})", body)
    used = sum(1 for mark in marks if mark.rstrip().removesuffix(b"--") in boundaries or mark.rstrip() in boundaries)
    return f"more than {budget.parts} parts" if used > 2 * budget.parts else None


def read_message(raw: bytes, budget: Budget) -> MailMessage:
    """Parse ``raw``, whose budget was checked; raises Unreadable when it nests deeper than the budget allows."""
    message: MailMessage = message_from_bytes(raw, policy=policy.compat32)
    if _deeper_than(message, budget.depth):
        raise Unreadable(f"parts nest deeper than {budget.depth}")
    return message


def _deeper_than(message: MailMessage, depth: int) -> bool:
    level: list[MailMessage] = [message]
    for _ in range(depth + 1):
        level = [child for part in level for child in children(part)]
        if not level:
            return False
    return True


def children(part: MailMessage) -> list[MailMessage]:
    """Sub-parts of a multipart or an attached message; empty for a leaf."""
    # Asked first: the text of a leaf is decoded with whatever its charset parameter holds, which can be no text at all.
    payload = part.get_payload() if part.is_multipart() else None
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def leaves(part: MailMessage) -> Iterator[MailMessage]:
    """Every part that has no sub-parts, in order."""
    nested = children(part)
    if not nested:
        yield part
    for child in nested:
        yield from leaves(child)


def is_attachment(part: MailMessage) -> bool:
    """Was the part meant as a file rather than as words to read?"""
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def decode_text(part: MailMessage) -> str:
    """Decoded text of a text part. Broken bytes become U+FFFD, which equals no keyword; raises Unreadable on a charset."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    name = collapse_rfc2231_value(part.get_param("charset") or "us-ascii").strip().strip("'\"").lower()
    return decode_bytes(content, name)


def guessed_text(part: MailMessage) -> str:
    """Text of a leaf whatever charset it names, for who looks for ids and codes in it."""
    content = part.get_payload(decode=True)
    return _guess(content) if isinstance(content, bytes) else ""


def decode_bytes(content: bytes, charset: str) -> str:
    """Text of ``content``; a charset that Python does not know is unreadable, and so is one that can hide text."""
    codec = _CHARSETS.get(charset, charset)
    try:
        if charset in {"us-ascii", "ascii"} or charset.startswith("unknown"):
            return _guess(content)
        # Looked up, because a codec goes by many names (utf7, U7, csUTF7).
        if codecs.lookup(codec).name in _HIDING or charset == "unicode-1-1-utf-7":
            raise Unreadable(f"charset {charset[:40]}")
        text = content.decode(codec, "replace")
    except (LookupError, ValueError) as error:
        raise Unreadable(f"charset {charset[:40]}") from error
    return text


def _guess(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def text_parts(part: MailMessage, budget: Budget) -> tuple[TextPart, ...]:
    """The inline texts of a message in reading order."""
    kind = part.get_content_type()
    nested = children(part)
    if kind == "multipart/alternative":
        return _alternative(nested, budget)
    if kind in {"multipart/signed", "multipart/related"}:
        return text_parts(nested[0], budget) if nested and _is_root(nested[0], part) else ()
    if kind == "multipart/encrypted" or kind.startswith("message/"):
        return ()
    if nested:
        return tuple(found for child in nested for found in text_parts(child, budget))
    if part.get_content_maintype() != "text" or is_attachment(part):
        return ()
    if kind not in {"text/plain", "text/html"} or _encoding(part) not in _ENCODINGS:
        return ()
    text = _unflow(decode_text(part), part) if kind == "text/plain" else decode_text(part)
    limit = budget.plain_text if kind == "text/plain" else budget.html
    if len(text) > limit:
        raise Unreadable(f"text over {limit} characters")
    return (TextPart(part.get_content_subtype(), text),)


def _encoding(part: MailMessage) -> str:
    return re.sub(r"\(.*?\)|;.*", "", str(part.get("content-transfer-encoding") or "")).strip().lower()


def _is_root(first: MailMessage, whole: MailMessage) -> bool:
    """Is the first part the one that a related message shows (RFC 2387)?"""
    start = collapse_rfc2231_value(whole.get_param("start") or "").strip(" <>")
    return not start or start == str(first.get("content-id") or "").strip(" <>")


def _alternative(nested: list[MailMessage], budget: Budget) -> tuple[TextPart, ...]:
    """All renderings as one part: the first carries the others, so that a reader can compare them."""
    renderings = [parts for child in nested if (parts := text_parts(child, budget))]
    if not renderings:
        return ()
    joined = [
        TextPart(parts[0].subtype, "\n".join(part.text for part in parts), _nested(parts)) for parts in renderings
    ]
    return (TextPart(joined[0].subtype, joined[0].text, tuple(joined[1:]) + joined[0].alternatives),)


def _nested(parts: tuple[TextPart, ...]) -> tuple[TextPart, ...]:
    return tuple(other for part in parts for other in part.alternatives)


def _unflow(text: str, part: MailMessage) -> str:
    """RFC 3676: join soft line breaks and remove space-stuffing, so that one written line is one line again."""
    if str(part.get_param("format") or "").lower() != "flowed":
        return text
    delsp = str(part.get_param("delsp") or "").lower() == "yes"
    out: list[str] = []
    soft_depth: int | None = None
    for line in re.split(r"\r\n|\n|\r", text):
        marks = len(line) - len(line.lstrip(">"))
        content = line[marks:].removeprefix(" ")
        if soft_depth == marks and content != "-- ":
            out[-1] += content
        else:
            out.append(("> " if marks else "") + content)
        soft = content.endswith(" ") and content != "-- "
        soft_depth = marks if soft else None
        if soft and delsp:
            out[-1] = out[-1][:-1]
    return "\n".join(out)
