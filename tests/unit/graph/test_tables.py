"""CSV tables: header, quoting, encodings, line numbers."""

import pytest

from graph.errors import TableError
from graph.tables import read_table, service_of


def test_rows_know_their_line() -> None:
    rows = read_table(b'\xef\xbb\xbfa,b,extra\r\n1,"two\nlines",x\r\n\r\n3, 4 \r\n', "t.csv", ("a", "b"))
    assert [(row.line, row["a"], row["b"]) for row in rows] == [(3, "1", "two\nlines"), (5, "3", "4")]


def test_optional_column_reads_as_empty() -> None:
    assert read_table(b"a\n1\n", "t.csv", ("a",))[0]["unless"] == ""


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "t.csv, line 1, header: lacks a; begin with a"),
        (b"b\n1\n", "lacks a"),
        (b"a\n\xff\n", "is not UTF-8; save the table as UTF-8"),
    ],
)
def test_wrong_tables_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_table(data, "t.csv", ("a",))


@pytest.mark.parametrize(("cell", "service"), [("A_SRV.edmx", "A_SRV"), ("A.b.xml", "A.b"), ("A_SRV", "A_SRV")])
def test_service_of_a_cell(cell: str, service: str) -> None:
    assert service_of(cell) == service
