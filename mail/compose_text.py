"""View -> plain text. No line of it equals a keyword, so that a quote without marks can never be read as an answer."""

import unicodedata
from collections.abc import Sequence

from mail.first_line import is_answer
from mail.view import Action, Actions, Block, Fact, Facts, Grid, Heading, Paragraph, Quoted, View
from mail.wrapping import WIDTH, held_together, width, wrap


def render_text(view: View) -> str:
    """The whole text, lines ended by ``\\n``."""
    lines: list[str] = []
    for block in view.blocks:
        lines += [*_block(block), ""]
    if view.ref:
        lines += [f"Ref: {view.ref}", ""]
    return "\n".join(_no_answer(line) for line in lines)


def isolated(text: str) -> str:
    """Text that runs from right to left must not turn what stands around it (Unicode bidi, FSI … PDI)."""
    right = any(unicodedata.bidirectional(char) in {"R", "AL", "AN"} for char in text)
    return f"\u2068{text}\u2069" if right else text


def _no_answer(line: str) -> str:
    return f"· {line}" if is_answer(line) else line


def _block(block: Block) -> list[str]:
    match block:
        case Heading(text):
            return [*wrap(text, following="  "), "-" * min(WIDTH, max(3, width(text)))]
        case Paragraph(text):
            # Further lines are indented: data inside cannot begin one that looks like a heading of ours.
            return wrap(isolated(text), following="  ")
        case Facts(items, title, record):
            return [*(_titled(title) if title else []), *(line for item in items for line in _fact(item, record))]
        case Grid():
            return _grid(block)
        case Quoted(lines):
            return [part for line in lines for part in (wrap(isolated(line), "| ", "| ") or ["| "])]
        case Actions(items):
            return [line for item in items for line in _action(item)]


def _fact(fact: Fact, record: bool = False) -> list[str]:
    value = isolated(fact.value)
    if fact.old is not None:
        value = f"{isolated(fact.old)} → {value}"
    text = f"{isolated(fact.label)}: {value}"
    # What is exact stays on one line, however long: a soft line break of the encoding is no blank.
    return [f"  {held_together(text)}"] if record else wrap(text, "  ", "      ")


def _action(action: Action) -> list[str]:
    return [f"{action.label}:", f"  {action.url}"]


def _grid(grid: Grid) -> list[str]:
    rows = [grid.columns, *(row.cells for row in grid.rows), *([grid.totals] if grid.totals else [])]
    widths = [max((width(row[i]) for row in rows if i < len(row)), default=0) for i in range(len(grid.columns))]
    if sum(widths) + 3 * len(widths) + 1 > WIDTH:
        widths = [0] * len(widths)
    head, *body = [_cells(row, widths) for row in rows]
    rule = ["|" + "|".join("-" * max(3, columns + 2) for columns in widths) + "|"]
    lines = [*_titled(grid.title), *head, *rule]
    for number, row in enumerate(body):
        more = grid.rows[number].more if number < len(grid.rows) else ()
        lines += [*row, *wrap(_flat(more), "|     ", "|     ")]
    return [*lines, *wrap(f"{grid.same_label}: {_flat(grid.same)}", "| ", "| ")] if grid.same else lines


def _titled(title: str) -> list[str]:
    return wrap(f"{isolated(title)}:", following="  ")


def _flat(facts: Sequence[Fact]) -> str:
    return " · ".join(f"{isolated(fact.label)}: {isolated(fact.value)}" for fact in facts)


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Columns aligned where they fit, else on as many lines as they need."""
    padded = [isolated(cell) + " " * (columns - width(cell)) for cell, columns in zip(row, widths, strict=False)]
    if not any(widths):
        return wrap(f"{' | '.join(padded)} |", "| ", "|     ")
    return [held_together(f"| {' | '.join(padded)} |")]
