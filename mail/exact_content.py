"""A request as it will be sent, in text that two different requests never share. Pure.

The business lines are for people: they shorten, fold blanks and break up links. Here nothing is lost: what ``clean_line`` would
change, and whatever would be an answer if a program broke the line before it, is written with a JSON escape instead.
"""

import re
from collections.abc import Iterator

from mail.cleaning import BREAKABLE
from mail.wrapping import held_together
from wire.approval import Line
from wire.call import PreparedRequest

PIECE = 1_500
"""Characters a line; a mail line of ours holds 2,000."""
# One that could be taken for the beginning of an escape, or together with one for a Windows share.
_BACKSLASH = re.compile(r"\\(?=[u\\ ]|[^ -~]|$)")
_ESCAPED = re.compile(r"[^ -~]|(?<= ) |^ | $")


def exact_lines(request: PreparedRequest, masked: PreparedRequest | None = None) -> tuple[Line, ...]:
    """Method and address, headers and body; long ones in numbered pieces. With ``masked`` that is shown, and marked as such."""
    shown = _parts(masked or request)
    real = _parts(request)
    labelled = ((label if text == real[label] else f"{label} (masked)", text) for label, text in shown.items())
    return tuple(line for label, text in labelled for line in _pieces(label, text))


def _parts(request: PreparedRequest) -> dict[str, str]:
    headers = "; ".join(f"{name}: {value}" for name, value in request.headers)
    parts = {"Request": f"{request.method} {request.service}/{request.path}", "Headers": headers}
    return parts if request.body is None else {**parts, "Exact content": request.body}


def exact_text(text: str) -> str:
    """Printable ASCII that ``clean_line`` leaves as it is; other characters as ``\\uXXXX`` (RFC 8259, section 7)."""
    doubled = _BACKSLASH.sub(_escape, text)
    visible = held_together(_ESCAPED.sub(_escape, doubled), "\\u0020")
    return BREAKABLE.sub(lambda found: re.sub(r"[:.]", _escape, found[0]), visible)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _pieces(label: str, text: str) -> Iterator[Line]:
    exact = exact_text(text)
    # A blank at an edge would be lost.
    pieces = [re.sub(r"^ | $", _escape, exact[start : start + PIECE]) for start in range(0, len(exact), PIECE)]
    for number, piece in enumerate(pieces, start=1):
        yield Line(label=label if len(pieces) == 1 else f"{label} {number}/{len(pieces)}", value=piece)
