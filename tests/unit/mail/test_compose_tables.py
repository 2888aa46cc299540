"""Tables on a phone: nothing is lost, and what comes before the answer stays short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.compose_tables import FIRST_ROWS, MOST_ROWS, WIDEST, table_blocks
from mail.phrases import Phrases
from mail.view import Facts, Grid
from tests.unit.mail.sample_content import bodies, with_
from wire.approval import Table

ENGLISH = Phrases("en")


def table(count: int, columns: int = 3, **changes) -> Table:
    names = tuple(f"C{n}" for n in range(columns))
    cells = tuple((str(r), *(f"r{r}c{n}" for n in range(columns))) for r in range(1, count + 1))
    return Table(title="Items", columns=("#", *names), rows=cells).model_copy(update=changes)


def test_one_row_is_a_list_of_facts():
    (facts,) = table_blocks(table(1), ENGLISH).shown
    assert isinstance(facts, Facts)
    assert [(f.label, f.value) for f in facts.items] == [("C0", "r1c0"), ("C1", "r1c1"), ("C2", "r1c2")]


def test_what_all_rows_share_is_said_once():
    (grid,) = table_blocks(table(2, rows=(("1", "a", "x", "y"), ("2", "b", "x", "y"))), ENGLISH).shown
    assert isinstance(grid, Grid)
    assert [f.label for f in grid.same] == ["C1", "C2"]
    assert grid.columns == ["#", "C0"]


def test_rows_that_are_all_alike_still_show_what_they_are():
    (grid,) = table_blocks(table(2, rows=(("1", "a", "x", "y"), ("2", "a", "x", "y"))), ENGLISH).shown
    assert isinstance(grid, Grid)
    assert (grid.columns, grid.same) == (["#", "C0", "C1", "C2"], [])


def test_what_makes_a_row_too_wide_stands_below_it_and_sums_stay():
    (grid,) = table_blocks(table(2, 8, totals=("", *("" for _ in range(7)), "9.00 EUR")), ENGLISH).shown
    assert isinstance(grid, Grid)
    assert grid.columns == ["#", "C0", "C1", "C2", "C7"]
    assert grid.totals == ["Total", "", "", "", "9.00 EUR"]
    assert [f.label for f in grid.rows[0].more] == ["C3", "C4", "C5", "C6"]


def test_a_long_table_shows_its_first_rows_and_its_sum_before_the_answer():
    long = table(200, totals=("", "", "", "9.00 EUR"))
    text, rich = bodies(with_(tables=(long,)))
    before, after = text.split("How to answer")
    assert ("r10c0" in before, "r11c0" in before, "9.00 EUR" in before) == (True, False, True)
    assert "190 more lines stand further below, under “All 200 lines: Items”." in " ".join(before.split())
    assert all(f"r{n}c2" in after for n in range(1, 201))
    # Gmail shows the first 102 KB of a mail: the answers are among them.
    assert rich.index("mailto:") < 50_000


@pytest.mark.parametrize("rows", [MOST_ROWS, MOST_ROWS + 1])
def test_the_limit_of_rows_is_kept(rows):
    shown, *_ = table_blocks(table(rows), ENGLISH).shown
    assert isinstance(shown, Grid)
    assert len(shown.rows) == (rows if rows <= MOST_ROWS else FIRST_ROWS)


def rows_of(columns: int) -> st.SearchStrategy[list[list[str]]]:
    row = st.lists(st.sampled_from("abc"), min_size=columns, max_size=columns)
    return st.lists(row, min_size=2, max_size=25)


@given(st.integers(1, 8).flatmap(rows_of))
def test_every_cell_stands_in_the_mail_and_no_table_is_too_wide(drawn):
    cells = tuple((str(number), *row) for number, row in enumerate(drawn, 1))
    blocks = table_blocks(table(len(cells), len(drawn[0]), rows=cells), ENGLISH)
    *_, whole = (block for block in (*blocks.shown, *blocks.whole) if isinstance(block, Grid))
    assert len(whole.columns) <= WIDEST + 1
    same = [fact.value for fact in whole.same]
    shown = [sorted([*row.cells, *(fact.value for fact in row.more), *same]) for row in whole.rows]
    assert shown == [sorted(row) for row in cells]
