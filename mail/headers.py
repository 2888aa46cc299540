"""Header section of a message: raw bytes in, (name, value) pairs out. Nothing here decides anything.

Values are unfolded, not decoded: decisions about identity must not depend on what an encoded word decodes to.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_MESSAGE_ID = re.compile(r"<\s*([^<>\s]{1,998})\s*>")
_RECIPIENT_FIELDS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-delivered-to", "resent-to")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:(.*)", re.DOTALL)


@dataclass(frozen=True)
class Headers:
    """Header fields in the order in which they stand, top first. ``defects`` names lines that are no field."""

    fields: tuple[tuple[str, str], ...]
    defects: tuple[str, ...] = ()

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of ``name``, top first."""
        wanted = name.lower()
        return tuple(value for key, value in self.fields if key == wanted)

    def first(self, name: str) -> str:
        """The topmost value of ``name``, or an empty string."""
        values = self.all(name)
        return values[0] if values else ""

    def has(self, name: str) -> bool:
        """Is there a field ``name``?"""
        return bool(self.all(name))


def split_message(raw: bytes) -> tuple[bytes, bytes]:
    """Header section and body, at the first empty line (RFC 5322, 2.1)."""
    found = re.search(rb"\r?\n\r?\n", raw)
    if raw[:1] == b"\n" or raw[:2] == b"\r\n":
        return b"", raw
    return (raw, b"") if found is None else (raw[: found.start()], raw[found.end() :])


def read_headers(raw: bytes) -> Headers:
    """The header section of ``raw`` (a whole message or only its headers)."""
    section, _ = split_message(raw)
    lines: list[bytes] = []
    for line in re.split(rb"\r\n|\n|\r", section):
        if line[:1] in (b" ", b"\t") and lines:
            lines[-1] += b" " + line.strip()
        elif line:
            lines.append(line)
    fields, defects = [], []
    for number, line in enumerate(lines):
        found = _FIELD.fullmatch(line)
        if found is not None:
            name = found[1].decode("ascii").lower()
            fields.append((name, found[2].strip().decode("utf-8", "surrogateescape")))
        elif not (number == 0 and line.startswith((b"From ", b">From "))):
            defects.append(line[:40].decode("ascii", "replace"))
    return Headers(tuple(fields), tuple(defects))


def decode_words(value: str) -> str:
    """RFC 2047 words decoded, for people only; control characters become spaces so that no line can be injected."""
    try:
        text = str(make_header(decode_header(value)))
    except (
        LookupError,
        ValueError,
        UnicodeError,
        MessageError,
    ):  # the last: broken base64, a charset's name that is none
        text = value
    text = text.encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


def addresses_in(values: Iterable[str]) -> tuple[str, ...]:
    """Addr-specs of address lists, lower case, each once. Display names (quoted strings, comments) are not looked into."""
    found: dict[str, None] = {}
    for value in values:
        for mailbox in re.split(r"[,;:]", strip_quoted(value)):
            # An angle address wins over anything that stands before it as an unquoted display name.
            angled = re.findall(r"<([^<>]*)>", mailbox)
            for address in _ADDRESS.findall(" ".join(angled) if angled else mailbox):
                found[address.lower()] = None
    return tuple(found)


def message_ids_in(values: Iterable[str], limit: int) -> tuple[str, ...]:
    """Message-IDs without angle brackets in order of appearance, at most the last ``limit``."""
    found = [identifier for value in values for identifier in _MESSAGE_ID.findall(value)]
    return tuple(found[-limit:])


def strip_quoted(value: str) -> str:
    """``value`` without quoted strings and (nested) comments: what is left of a structured field is its skeleton."""
    if '"' not in value and "(" not in value:
        return value  # most fields: looking at each character costs more than all else that is done with them
    out: list[str] = []
    depth, quoted, position = 0, False, 0
    while position < len(value):
        char = value[position]
        if char == "\\" and (quoted or depth):
            position += 2
            continue
        if quoted:
            quoted = char != '"'
        elif char == "(":
            depth += 1
        elif char == ")" and depth:
            depth -= 1
        elif depth == 0:
            quoted = char == '"'
            out.append(" " if quoted else char)
        position += 1
    return "".join(out)


def recipients_of(headers: Headers) -> tuple[str, ...]:
    """Every address that the mail went to, as any server on the way wrote it down; at most a hundred."""
    return addresses_in([value for name in _RECIPIENT_FIELDS for value in headers.all(name)])[:100]


def references_of(headers: Headers, limit: int) -> tuple[str, ...]:
    """References and In-Reply-To, the last (nearest) first, each once, at most ``limit``."""
    answered = message_ids_in(headers.all("in-reply-to"), limit)
    thread = message_ids_in(headers.all("references"), limit)
    return tuple(dict.fromkeys([*reversed(answered), *reversed(thread)]))[:limit]


def base_address(address: str) -> str:
    """``local+detail@domain`` without its detail, lower case."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"
