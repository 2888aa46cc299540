"""Table -> blocks that a phone can show: what all rows share is said once, what makes a row too wide stands below it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mail.cleaning import clean_label, clean_line
from mail.phrases import Phrases
from mail.view import Block, Fact, Facts, Grid, GridRow, Heading, Paragraph
from wire.approval import Table

WIDEST = 4
"""Columns beside the number of the row."""
MOST_ROWS = 20
"""A longer table shows its first rows and its sums before the answer, and all of it after."""
FIRST_ROWS = 10


@dataclass(frozen=True)
class TableBlocks:
    """``shown`` stands with the business content, ``whole`` (empty for a table that is shown whole) after the answer."""

    shown: Sequence[Block]
    whole: Sequence[Block] = ()


def table_blocks(table: Table, phrases: Phrases) -> TableBlocks:
    """How a table is shown."""
    title = clean_label(table.title, 200)
    columns = [clean_label(column) for column in table.columns]
    rows = [[clean_line(cell, 300) for cell in row] for row in table.rows]
    if len(rows) == 1 and columns:
        pairs = list(zip(columns, rows[0], strict=False))
        facts = [Fact(column, cell) for column, cell in (pairs[1:] if columns[0] == "#" else pairs) if cell]
        return TableBlocks([Facts(facts, title)])
    grid = _grid(title, columns, rows, [clean_line(cell, 100) for cell in table.totals], phrases)
    if len(rows) <= MOST_ROWS:
        return TableBlocks([grid])
    heading = phrases("all_lines", n=str(len(rows)), title=title)
    more = Paragraph(phrases("more_lines", n=str(len(rows) - FIRST_ROWS), heading=heading))
    first = replace(grid, rows=grid.rows[:FIRST_ROWS])
    return TableBlocks([first, more], [Heading(heading), replace(grid, long=True)])


def _grid(title: str, columns: list[str], rows: list[list[str]], totals: list[str], phrases: Phrases) -> Grid:
    summed = {index for index, total in enumerate(totals) if total}
    places = range(1, len(columns))
    shared = [i for i in places if i not in summed and len({tuple(row[i : i + 1]) for row in rows}) == 1 and rows[0][i]]
    if len(shared) == len(places):
        # Rows that are all alike still show what they are.
        shared = shared[WIDEST:]
    varying = [i for i in places if i not in shared]
    kept = {0, *summed, *(i for i in varying if i not in summed)}
    if len(kept) > WIDEST + 1:
        room = max(1, WIDEST - len(summed))
        kept = {0, *summed, *[i for i in varying if i not in summed][:room]}
    order = sorted(kept)
    total = [totals[i] for i in order] if summed else []
    if total and not total[0]:
        total[0] = phrases("total")
    return Grid(
        title,
        [columns[i] for i in order],
        [_row(columns, row, order, [i for i in varying if i not in kept]) for row in rows],
        total,
        [Fact(columns[i], rows[0][i]) for i in shared],
        phrases("same") if shared else "",
    )


def _row(columns: list[str], row: list[str], order: list[int], rest: list[int]) -> GridRow:
    return GridRow(
        [row[i] for i in order if i < len(row)], [Fact(columns[i], row[i]) for i in rest if i < len(row) and row[i]]
    )
