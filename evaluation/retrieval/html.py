"""Pieces of a page: tables and sections. Everything that comes from outside is escaped here."""

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2127; max-width: 1000px; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: .6em 0 1.2em; font-size: 13px }
th, td { border-bottom: 1px solid #dde1e6; padding: .2em .6em; text-align: right; white-space: nowrap }
th:first-child, td:first-child, td.word { text-align: left; white-space: normal }
th { background: #f3f5f7 } tr.ours td { font-weight: 600 } td.no { color: #a33 } td.yes { color: #27713f }
h2 { margin-top: 2em; border-bottom: 2px solid #1f6f8b } p.note { color: #555; font-size: 13px }
"""

Cell = str | int | float | bool | None


def page(title: str, sections: Iterable[str]) -> str:
    """A whole document, with nothing loaded from elsewhere."""
    body = "\n".join(sections)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and what stands under it."""
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(parts)


def text(words: str) -> str:
    """A paragraph."""
    return f"<p>{escape(words)}</p>"


def note(words: str) -> str:
    """A paragraph in small print."""
    return f'<p class="note">{escape(words)}</p>'


def listing(items: Iterable[str]) -> str:
    """Points, one below the other."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def p_value(value: float) -> str:
    """Four digits, since the least one can be 0.0001."""
    return f"{value:.4f}"


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]], *, ours: str = "countersign") -> str:
    """Numbers to three digits, truth as yes and no, None as a dash; rows that begin with ``ours`` are set off."""
    lines = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"]
    for row in rows:
        kind = ' class="ours"' if row and row[0] == ours else ""
        lines.append(f"<tr{kind}>" + "".join(_cell(value) for value in row) + "</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def _cell(value: Cell) -> str:
    match value:
        case None:
            return "<td>–</td>"
        case bool():
            return f'<td class="{"yes" if value else "no"}">{"yes" if value else "no"}</td>'
        case float():
            return f"<td>{value:.3f}</td>"
        case int():
            return f"<td>{value}</td>"
        case _:
            return f'<td class="word">{escape(value)}</td>'
