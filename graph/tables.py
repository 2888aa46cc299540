"""CSV bytes -> rows, with errors that name file and line. Columns are found by their header, so extra ones do no harm."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.errors import TableError


@dataclass(frozen=True)
class Row:
    """One line of a table; ``line`` counts from 1 with the header as line 1. ``element`` names what has no line."""

    file: str
    line: int
    values: Mapping[str, str]
    element: str = ""

    def __getitem__(self, column: str) -> str:
        """The stripped value; empty when the column is optional and absent."""
        return self.values.get(column, "")

    @property
    def place(self) -> str:
        """Where the row stands, for messages."""
        return f"{self.file}, {self.element or f'line {self.line}'}"


def read_table(data: bytes, file: str, required: Sequence[str]) -> list[Row]:
    """Rows of a UTF-8 CSV file (a BOM is allowed). Raises ``TableError`` for wrong bytes or missing columns."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(file, None, f"byte {error.start}", "is not UTF-8", "save the table as UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [name.strip() for name in next(reader, [])]
        missing = [name for name in required if name not in header]
        if missing:
            raise TableError(file, 1, "header", f"lacks {', '.join(missing)}", f"begin with {','.join(required)}")
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise TableError(file, reader.line_num, "row", str(error), "mend the quoting") from None
    return [
        Row(file, line, {name: cell.strip() for name, cell in zip(header, cells, strict=False)}) for line, cells in rows
    ]


def service_of(file_name: str) -> str:
    """The service id of a ``service_file`` cell: the file's stem."""
    for suffix in (".edmx", ".xml"):
        if file_name.lower().endswith(suffix):
            return file_name[: -len(suffix)]
    return file_name
