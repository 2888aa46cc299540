"""Numbers and dates as people write them."""

import re
from datetime import date
from decimal import Decimal

from agent.planning.text import fold
from agent.planning.words import MONTHS

NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\d])|\d+(?:[.,]\d+)?"
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE_FORMS = (
    re.compile(r"(?<![\w-])(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?![\w-])"),
    re.compile(r"(?<![\w.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})(?!\w)"),
    re.compile(r"(?<![\w/])(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![\w/])"),
    re.compile(
        rf"(?<!\w)(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?P<n>{_MONTH})\.?,?\s+(?:de\s+)?(?P<y>\d{{4}})(?!\w)"
    ),
    re.compile(rf"(?<!\w)(?P<n>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\w)"),
    re.compile(r"(?<![\w/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})(?![\w/])"),
)


def find_dates(text: str) -> list[tuple[int, int, date]]:
    """Every date with its place. ``3/4/2026`` is left out: it names two days, and the planner does not guess."""
    found: list[tuple[int, int, date]] = []
    folded = fold_in_place(text)
    for form in _DATE_FORMS:
        for match in form.finditer(folded):
            day = _date_of(match.groupdict())
            if day and not any(s < match.end() and match.start() < e for s, e, _ in found):
                found.append((match.start(), match.end(), day))
    return sorted(found)


def parse_number(text: str) -> Decimal:
    """A number with points or commas: ``4,403.00``, ``1.200,50``, ``12,5``, ``2000``."""
    if "," in text and "." in text:
        decimal = max(text.rfind(","), text.rfind("."))
        head = re.sub(r"[.,]", "", text[:decimal])
        return Decimal(f"{head}.{text[decimal + 1 :]}")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
        return Decimal(text.replace(",", ""))
    if text.count(".") > 1:
        return Decimal(text.replace(".", ""))
    return Decimal(text.replace(",", "."))


def fold_in_place(text: str) -> str:
    """Folded, letter by letter, so that offsets stay those of the original."""
    return "".join(f if len(f := fold(c)) == 1 else c for c in text)


def _date_of(parts: dict[str, str | None]) -> date | None:
    year = int(parts["y"] or 0)
    if parts.get("a"):
        first, second = int(parts["a"] or 0), int(parts["b"] or 0)
        if first <= 12 and second <= 12 and first != second:
            return None
        month, day = (second, first) if first > 12 else (first, second)
    else:
        name = parts.get("n")
        month, day = MONTHS[name] if name else int(parts["m"] or 0), int(parts["d"] or 0)
    try:
        return date(year, month, day)
    except ValueError:
        return None
