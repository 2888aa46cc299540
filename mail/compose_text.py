"""View -> plain text. No line of it equals a keyword, so that a quote without marks can never be read as an answer."""

import textwrap
import unicodedata
from collections.abc import Sequence

from mail.first_line import is_answer
from mail.view import Action, Actions, Block, Fact, Facts, Grid, Heading, Paragraph, Quoted, View

WIDTH = 76


def render_text(view: View) -> str:
    """The whole text, lines ended by ``\\n``."""
    lines: list[str] = []
    for block in view.blocks:
        lines += [*_block(block), ""]
    if view.ref:
        lines += [f"Ref: {view.ref}", ""]
    return "\n".join(_no_answer(line) for line in lines)


def _no_answer(line: str) -> str:
    return f"· {line}" if is_answer(line) else line


def _block(block: Block) -> list[str]:
    match block:
        case Heading(text):
            return [*_wrap(text), "-" * min(WIDTH, max(3, _width(text)))]
        case Paragraph(text):
            return _wrap(text)
        case Facts(items):
            return [line for item in items for line in _fact(item)]
        case Grid():
            return _grid(block)
        case Quoted(lines):
            return [f"| {part}" for line in lines for part in (_wrap(line, WIDTH - 2) or [""])]
        case Actions(items):
            return [line for item in items for line in _action(item)]


def _wrap(text: str, width: int = WIDTH) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _fact(fact: Fact) -> list[str]:
    value = fact.value if fact.old is None else f"{fact.old or '(empty)'} -> {fact.value or '(empty)'}"
    return textwrap.wrap(
        f"{fact.label}: {value}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _action(action: Action) -> list[str]:
    return [f"{action.label}:", f"  {action.url}"]


def _grid(grid: Grid) -> list[str]:
    """Columns aligned where they fit; a wide row keeps its cells on one line for the reader's program to wrap."""
    rows: list[Sequence[str]] = [grid.columns, *grid.rows]
    widths = [
        max((_width(row[index]) for row in rows if index < len(row)), default=0) for index in range(len(grid.columns))
    ]
    lines = [f"| {' | '.join(_pad(cell, width) for cell, width in zip(row, widths, strict=False))} |" for row in rows]
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return [f"{grid.title}:", lines[0], rule, *lines[1:]]


def _width(text: str) -> int:
    """Columns that ``text`` takes in a fixed-width font: wide characters count twice, combining ones not at all."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
