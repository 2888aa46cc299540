"""Which lines of a text did the writer write? Quotes, attributions, banners, footers and small print are told apart.

When in doubt a line counts as written: an extra line can only make an answer unclear, a missing one could make it wrong.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import takewhile

from mail.comments import CONTACT
from mail.html_text import SIGNATURE
from mail.patterns import Patterns, patterns

_QUOTED = re.compile(r"^\s{0,3}(?:>|»|\| (?!.*\|\s*$)|[A-Z]{1,3}>)")
_TIME = re.compile(r"\d{1,2}[:.hH時点]\s?\d{2}|\d{1,4}[./年-]\d{1,2}|\d{4}|\d{1,2}:\d{2}")
_ANGLE = re.compile(r"<?[\w.+-]{1,64}@[\w.-]+>?|&lt;|\[mailto:")
_START = re.compile(
    r"^\s*(?:on|at|am|le|el|il|em|op|den|w dniu|dnia|在|于|pe|dne|kl|fra|från|\d{1,4}[\s./年-]"
    r"|[\"'“]?[\w .,'“”\"-]{1,60}[\"'”]?\s*<)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[*_\s]*[^\s:：][^:：<@]{0,30}[:：](?:\s|[*_]|\S)")
_ENDS = (".", "!", ":", "?", ")", ">", "]", "*", "。", "！", "？", "：", "।", "॥", "…", "）")
_ANSWERS = re.compile(
    r"approv|reject|genehmig|freigeb|freigegeb|einverstanden|ablehn|abgelehnt|approuv|refus|valid[ée]|aprob|aprueb|rechaz|approva"
    r"|rifiut|aprova|rejeit|goedkeur|goedgekeurd|akkoord|afgewezen|zatwierdz|akcept|odrzuc|स्वीकृ|स्वीकार|मंजूर|मंज़ूर|अनुमोद|खारिज"
    r"|મંજૂર|મંજુર|સ્વીકાર|સ્વીકૃ|承認|却下|否認|拒否|批准|同意|拒绝|拒絕|驳回|駁回|核准",
    re.IGNORECASE,
)
_RULE_LINE = re.compile(r"^[_=*~#‐‑‒–—―─━═＿-]{5,}\s*$")
_BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_DATE_LINE = re.compile(
    r"^(?:on|am|le|el|il|em|op|den)\s[^<@]{0,24}\d{4},?\s+(?:at |um |à )?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:\s*[+-]\d{4}(?:\s\([A-Z]{2,5}\))?|\s+[A-Z]{2,5})?,?$",
    re.IGNORECASE,
)
_NAME_AND_DATE = re.compile(
    r"^[^\d<>@:]{1,60}\s[–—-]\s[^\d<>@]{0,20}\d[^<>@]{3,30}\d{1,2}[:.]\d{2}(?:\s?[AP]M)?$", re.IGNORECASE
)
_QUOTED_REF = re.compile(r"^[>»|\s]*Ref\s*:\s*\S+\s*$", re.IGNORECASE)
_REF = re.compile(r"^\s*Ref\s*:\s*\S+\s*$", re.IGNORECASE)
_EDGES = "\ufeff\u200b\u200e\u200f\u2060\u061c\u00a0 \t\r\n\f\v"
_LONGEST = 1000
_ARMOR = "-----BEGIN PGP SIGNED MESSAGE-----"
_ARMOR_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_ARMOR_END = "-----END PGP SIGNATURE-----"


@dataclass
class Written:
    """What is left of a text. ``lines`` were written above or between quotes, ``signature`` stands below a ``-- `` line."""

    lines: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)


def written_lines(text: str, own_addresses: Collection[str] = ()) -> Written:
    """The lines that the writer of a reply wrote, without invisible edges, empty lines kept.

    ``own_addresses`` (lower case) are those that our requests come from: a header block that names one starts a quote.
    """
    lines = [line.strip(_EDGES) for line in re.split(r"\r\n|\n|\r|\u2028|\u2029|\x85", _without_armor(text))]
    return _Reader(lines, patterns(), own_addresses).read()


def _without_armor(text: str) -> str:
    """Inline PGP: the signed text without its armor; the signature is not ours to verify."""
    if text.count(_ARMOR) != 1 or text.count(_ARMOR_SIGNATURE) != 1 or text.count(_ARMOR_END) != 1:
        return text
    before, _, rest = text.partition(_ARMOR)
    signed, _, rest = rest.partition(_ARMOR_SIGNATURE)
    # Armor headers (Hash: …) end at the first empty line.
    _, empty, content = signed.replace("\r\n", "\n").partition("\n\n")
    return before + (re.sub(r"(?m)^- ", "", content) if empty else signed) + rest.partition(_ARMOR_END)[2]


class _Reader:
    """One pass over the lines."""

    def __init__(self, lines: list[str], known: Patterns, own_addresses: Collection[str]) -> None:
        self._lines = lines
        self._known = known
        self._own = [address.lower().rpartition("@") for address in own_addresses]
        self._written = Written()
        self._in_signature = False
        self._banner_open = False
        # Kept beside the lines: looking through them again at every line would cost their number squared.
        self._worded = False

    def read(self) -> Written:
        """Walk the lines until an unmarked quote swallows the rest."""
        position = 0
        while position < len(self._lines):
            taken = self._step(position)
            if taken is None:
                break
            position += taken
        self._drop_small_print()
        return self._written

    def _step(self, position: int) -> int | None:
        """Lines taken at ``position``, None when everything from here on is quoted."""
        line = self._lines[position]
        if not line or _RULE_LINE.match(line):
            self._banner_open = False
            if line and self._worded and self._is_card(position + 1):
                self._in_signature = True
            if not (line or self._in_signature):
                self._written.lines.append(line)
            return 1
        if self._starts_unmarked_quote(position):
            return None
        if _QUOTED.match(line):
            self._in_signature = False
            return 1
        if line.startswith(SIGNATURE):
            self._written.signature.append(line.removeprefix(SIGNATURE))
            return 1
        attribution = self._attribution(position)
        if attribution:
            self._in_signature = False
            return attribution if self._quote_follows(position + attribution) else None
        if line in {"--", "—"}:
            self._in_signature = True
            return 1
        if not self._is_machinery(line):
            (self._written.signature if self._in_signature else self._written.lines).append(line)
            self._worded = self._worded or not self._in_signature
        return 1

    def _is_card(self, position: int) -> bool:
        """Do the lines below a rule say where somebody is found?"""
        card = list(takewhile(lambda line: line and not _RULE_LINE.match(line), self._lines[position : position + 9]))
        return 2 <= len(card) <= 8 and all(len(line) <= 90 for line in card) and any(map(CONTACT.search, card))

    def _is_machinery(self, line: str) -> bool:
        """Did a program or a gateway add this line?"""
        if len(line) > _LONGEST:
            return False
        continued, self._banner_open = self._banner_open, False
        if _REF.match(line) or self._known.footer.match(line):
            return True
        if self._worded or not line or _ANSWERS.search(line):
            return False
        banner = continued or bool(self._known.banner.match(line))
        # A banner that was wrapped in the middle of a sentence goes on in the next line.
        self._banner_open = banner and len(line) >= 55 and not line.endswith(_ENDS)
        return banner

    def _starts_unmarked_quote(self, position: int) -> bool:
        line = self._lines[position]
        if not line or len(line) > _LONGEST:
            return False
        if self._known.separator.match(line.replace("&nbsp;", " ")):
            return True
        following = self._lines[position + 1 : position + 8]
        if self._is_own_block(line, following) or self._dated_block(line, following):
            return True
        if not self._known.header_from.match(line):
            return False
        labels = sum(1 for other in following if self._known.header_other.match(other))
        # A header block says when or from where; what a person lays out like one does not.
        together = list(takewhile(bool, following)) or following[:5]
        if not any("@" in other or _TIME.search(other) for other in (line, *together)):
            return False
        return labels >= 2 or (labels >= 1 and "@" in line)

    def _is_own_block(self, line: str, following: list[str]) -> bool:
        """A line with a label and an address of ours, and two more labelled lines below it, in whatever language."""
        if not (self._own and _LABEL.match(line) and self._names_us(line)):
            return False
        return sum(1 for other in following[:3] if _LABEL.match(other)) >= 2

    def _dated_block(self, line: str, following: list[str]) -> bool:
        """A header block that begins with the date (GMX, web.de)."""
        if not (self._known.header_other.match(line) and following and self._known.header_from.match(following[0])):
            return False
        return sum(1 for other in following[1:4] if self._known.header_other.match(other)) >= 1

    def _names_us(self, line: str) -> bool:
        lowered = line.lower()
        return any(
            re.search(rf"\b{re.escape(local)}(?:\+[^@\s]*)?@{re.escape(domain)}", lowered)
            for local, _, domain in self._own
        )

    def _attribution(self, position: int) -> int:
        """Number of lines of the attribution that starts at ``position`` (programs wrap them), 0 if none does."""
        opening = self._lines[position]
        if len(opening) > _LONGEST:
            return 0
        if self._is_attribution(opening) or self._introduces_request(position):
            return 1
        starts = bool(_START.match(opening)) or bool(
            (_ANGLE.search(opening) or opening.endswith("<")) and _TIME.search(opening)
        )
        if not starts or self._known.banner.match(self._lines[position][:_LONGEST]):
            return 0
        for count in (2, 3):
            chunk = self._lines[position : position + count]
            if len(chunk) < count or not all(chunk) or any(_QUOTED.match(line) for line in chunk):
                return 0
            if self._is_attribution(chunk[-1]) and _START.match(chunk[-1]) and not _DATE_LINE.match(opening):
                return 0
            if self._is_attribution(" ".join(chunk)):
                return count
        return 0

    def _introduces_request(self, position: int) -> bool:
        """A short line right above a marked quote that holds our own Ref: whatever it says, it says whose words follow."""
        line = self._lines[position]
        named = len(line) <= 80 and line.endswith((":", "：")) and self._known.attribution.search(line)
        if not (named or _NAME_AND_DATE.match(line)):
            return False
        following = [other for other in self._lines[position + 1 :] if other]
        quoted = list(takewhile(_QUOTED.match, following))
        return any(_QUOTED_REF.match(other) for other in quoted)

    def _is_attribution(self, line: str) -> bool:
        line = _BIDI.sub("", line)
        if not line or len(line) > _LONGEST or not re.search(r"(?:[:：]|-{3,})\s*$", line):
            return False
        address, time = bool(_ANGLE.search(line)), bool(_TIME.search(line))
        return (bool(self._known.attribution.search(line)) and (address or time)) or (address and time)

    def _quote_follows(self, position: int) -> bool:
        """Is the next line that is not empty a marked quote? Otherwise the quote has no marks and takes the rest."""
        following = next((line for line in self._lines[position:] if line), None)
        return following is None or bool(_QUOTED.match(following))

    def _drop_small_print(self) -> None:
        """Remove paragraphs and lines of disclaimers, but never the first written one."""
        kept: list[str] = []
        paragraph: list[str] = []
        worded = False
        for line in [*self._written.lines, ""]:
            if line:
                paragraph.append(line)
                continue
            if not (worded and self._is_small_print(paragraph)):
                for part in paragraph:
                    if not (worded and self._is_small_print([part])):
                        kept.append(part)
                        worded = True
            kept.append("")
            paragraph = []
        self._written.lines = kept

    def _is_small_print(self, paragraph: list[str]) -> bool:
        text = " ".join(paragraph)
        # Two different marks of small print: a person may well write "confidential" into a condition. Bytes, because a
        # Chinese sentence has a third of the letters.
        marks = {found[0].casefold() for found in self._known.disclaimer.finditer(text[:4000])}
        return len(text.encode("utf-8", "replace")) >= 60 and len(marks) >= (4 if _ANSWERS.search(text) else 2)
