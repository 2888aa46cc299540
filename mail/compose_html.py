"""View -> HTML: the same words, readable on a phone, in dark mode and by a screen reader. Every text is escaped.

What matters is styled in the elements: Gmail drops style sheets of forwarded mail, and desktop Outlook knows little of CSS. No
rule of the sheet names an element, so that none applies to what a person types above a quote of the mail.
"""

from collections.abc import Sequence
from html import escape

from mail.first_line import is_answer
from mail.view import Actions, Block, Fact, Facts, Grid, Heading, Paragraph, Quoted, View

MUTED, ACCENT, LINE = "#595959", "#0b57d0", "#8a8a8a"
DARK = {"cs-muted": "#b8b8b8", "cs-accent": "#8ab4f8"}
"""Colours by class where the reader has it dark."""
_SHEET = (
    ":root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){"
    + "".join(f".{name}{{color:{color}!important;border-color:{color}!important}}" for name, color in DARK.items())
    + "}"
)
_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px"
_PAGE = f"max-width:640px;margin:0 auto;padding:16px;{_FONT};line-height:1.45;overflow-wrap:break-word"
# Tables of desktop Outlook do not inherit the font.
_TABLE = f"border-collapse:collapse;width:100%;margin:6px 0;{_FONT}"
_HEAD = f"text-align:left;vertical-align:top;padding:6px 10px 6px 0;border-bottom:1px solid {LINE}"
_CELL = f"{_HEAD};overflow-wrap:anywhere"
_NUMBER = f"{_HEAD};width:1%;font-weight:bold"
_LABEL = f"{_HEAD};width:38%;font-weight:normal;color:{MUTED}"
_CAPTION = "text-align:left;font-weight:bold;padding:8px 0 4px"
_STRONG = f"margin:12px 0;padding:4px 0 4px 12px;border-left:4px solid {ACCENT};font-weight:bold"
_QUOTE = f"margin:6px 0;padding:2px 0 2px 12px;border-left:4px solid {LINE}"
_BUTTON = f"border:2px solid {ACCENT};border-radius:6px;padding:12px 14px;text-align:center"
_ANSWER = f"display:block;color:{ACCENT};font-weight:bold;text-decoration:none"
_SMALL = f"font-size:12px;line-height:1.35;color:{MUTED}"
_RECORD = f'class="cs-muted cs-record" style="{_TABLE};{_SMALL}"'


def render_html(view: View) -> str:
    """The whole document."""
    body = "\n".join(_block(block, first=number == 0) for number, block in enumerate(view.blocks))
    ref = f'<p class="cs-muted cs-record" style="{_SMALL}">Ref: {escape(view.ref)}</p>\n' if view.ref else ""
    language = escape(view.language)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">'
        '<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">'
        f"<title>{escape(view.subject)}</title><style>{_SHEET}</style></head>\n"
        f'<body style="margin:0;padding:0"><div lang="{language}" style="{_PAGE}">\n{body}\n{ref}</div></body></html>\n'
    )


def _text(text: str) -> str:
    """Escaped; a text that would stand alone as an answer gets a dot before it."""
    return escape(f"· {text}" if is_answer(text) else text)


def _block(block: Block, first: bool) -> str:
    match block:
        case Heading(text):
            return f'<h2 style="font-size:17px;line-height:1.3;margin:24px 0 6px">{_text(text)}</h2>'
        case Paragraph(text, strong):
            if first:
                return f'<h1 style="font-size:21px;line-height:1.3;margin:0 0 12px" dir="auto">{_text(text)}</h1>'
            style = f' class="cs-strong" style="{_STRONG}"' if strong else ' style="margin:8px 0"'
            return f"<p{style}>{_text(text)}</p>"
        case Facts():
            return _facts(block)
        case Grid():
            return _grid(block)
        case Quoted(lines):
            words = "<br>".join(_text(line) for line in lines)
            return f'<blockquote dir="auto" style="{_QUOTE}">{words}</blockquote>'
        case Actions(items):
            answers = "".join(_answer(item.label, item.url) for item in items)
            return (
                '<table role="presentation" style="width:100%;border-collapse:separate;border-spacing:0 8px">'
                f"{answers}</table>"
            )


def _answer(label: str, url: str) -> str:
    link = f'<a class="cs-accent" style="{_ANSWER}" href="{escape(url)}">{_text(label)}</a>'
    return f'<tr><td class="cs-accent" style="{_BUTTON}">{link}</td></tr>\n'


def _facts(facts: Facts) -> str:
    caption = f'<caption style="{_CAPTION}">{escape(facts.title)}:</caption>' if facts.title else ""
    rows = "".join(_fact(item) for item in facts.items)
    look = _RECORD if facts.record else f'style="{_TABLE}"'
    return f"<table {look}>{caption}{rows}</table>"


def _fact(fact: Fact) -> str:
    value = f"<bdi>{escape(fact.value)}</bdi>"
    if fact.old is not None:
        # Not struck through: replies quote this, and struck text is read as taken back.
        value = f"<bdi>{escape(fact.old)}</bdi> → <strong>{value}</strong>"
    label = f'<th scope="row" class="cs-muted" style="{_LABEL}">{escape(fact.label)}:</th>'
    return f'<tr>{label}<td style="{_CELL}">{value}</td></tr>'


def _long_grid(grid: Grid) -> str:
    """Hundreds of rows weigh little: styled as a whole, not cell by cell (Gmail shows 102 KB at once)."""
    head = "".join(f'<th scope="col">{_text(c)}</th>' for c in grid.columns)
    rows = "".join(_bare_row(row.cells, row.more) for row in grid.rows)
    total = f"<tfoot>{_bare_row(grid.totals)}</tfoot>" if grid.totals else ""
    return (
        f'<table border="1" cellpadding="4" style="border-collapse:collapse;width:100%;font-size:14px;text-align:left">'
        f'<caption style="{_CAPTION}">{escape(grid.title)}:</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>{total}</table>{_same(grid)}"
    )


def _bare_row(cells: Sequence[str], more: Sequence[Fact] = ()) -> str:
    first = "".join(f'<th scope="row">{_text(cell)}</th>' for cell in cells[:1])
    rest = "".join(f'<td dir="auto">{_text(cell)}</td>' for cell in cells[1:])
    below = f'<tr><td colspan="{len(cells)}">{_flat(more)}</td></tr>' if more else ""
    return f"<tr>{first}{rest}</tr>{below}"


def _same(grid: Grid) -> str:
    return f'<p style="margin:8px 0">{escape(grid.same_label)}: {_flat(grid.same)}</p>' if grid.same else ""


def _grid(grid: Grid) -> str:
    if grid.long:
        return _long_grid(grid)
    head = "".join(
        f'<th scope="col" class="cs-muted" style="{_HEAD};color:{MUTED}">{_text(c)}</th>' for c in grid.columns
    )
    rows = "".join(f"{_row(row.cells)}{_more(row.more, len(grid.columns))}" for row in grid.rows)
    total = f"<tfoot>{_row(grid.totals, bold=True)}</tfoot>" if grid.totals else ""
    return (
        f'<table style="{_TABLE}"><caption style="{_CAPTION}">{escape(grid.title)}:</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>{total}</table>{_same(grid)}"
    )


def _row(cells: Sequence[str], bold: bool = False) -> str:
    """The first cell, the number of the row or the word for the sum, heads its row."""
    style = f"{_CELL};font-weight:bold" if bold else _CELL
    first = "".join(f'<th scope="row" style="{_NUMBER}">{_text(cell)}</th>' for cell in cells[:1])
    rest = "".join(f'<td style="{style}"><bdi>{_text(cell)}</bdi></td>' for cell in cells[1:])
    return f"<tr>{first}{rest}</tr>"


def _more(more: Sequence[Fact], columns: int) -> str:
    cell = f'<td colspan="{columns}" class="cs-muted" style="{_CELL};font-size:14px;color:{MUTED}">{_flat(more)}</td>'
    return f"<tr>{cell}</tr>" if more else ""


def _flat(facts: Sequence[Fact]) -> str:
    return " · ".join(f"{escape(fact.label)}: <bdi>{escape(fact.value)}</bdi>" for fact in facts)
