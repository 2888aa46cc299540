"""View -> HTML: the same words, readable on a phone, in dark mode and by a screen reader. Every text is escaped."""

from html import escape

from mail.first_line import is_answer
from mail.view import Actions, Block, Fact, Facts, Grid, Heading, Paragraph, Quoted, View

_STYLE = "".join(
    (
        ":root{color-scheme:light dark;supported-color-schemes:light dark}",
        "body{margin:0;padding:16px;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}",
        "main{max-width:680px;margin:0 auto}h1{font-size:20px;margin:0 0 12px}h2{font-size:16px;margin:22px 0 6px}",
        "table{border-collapse:collapse;width:100%;margin:6px 0}",
        "th,td{text-align:left;vertical-align:top;padding:5px 8px;border-bottom:1px solid #8884;overflow-wrap:anywhere}",
        "blockquote{margin:6px 0;padding:6px 12px;border-left:4px solid #8888}",
        "a.answer{display:block;margin:8px 0;padding:12px 14px;border:2px solid currentColor;border-radius:6px;",
        "text-decoration:none;font-weight:600}caption{text-align:left;font-weight:600;padding:6px 0}",
    )
)


def render_html(view: View) -> str:
    """The whole document."""
    body = "\n".join(_block(block, first=number == 0) for number, block in enumerate(view.blocks))
    ref = f"<p>Ref: {escape(view.ref)}</p>\n" if view.ref else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(view.language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(view.subject)}</title><style>{_STYLE}</style></head>\n<body><main>\n{body}\n{ref}</main></body></html>\n"
    )


def _text(text: str) -> str:
    """Escaped; a text that would stand alone as an answer gets a dot before it."""
    return escape(f"· {text}" if is_answer(text) else text)


def _block(block: Block, first: bool) -> str:
    match block:
        case Heading(text):
            return f"<h2>{_text(text)}</h2>"
        case Paragraph(text, strong):
            if first:
                return f"<h1>{_text(text)}</h1>"
            return f"<p><strong>{_text(text)}</strong></p>" if strong else f"<p>{_text(text)}</p>"
        case Facts(items):
            rows = "".join(_fact(item) for item in items)
            return f"<table>{rows}</table>"
        case Grid():
            return _grid(block)
        case Quoted(lines):
            return f"<blockquote>{'<br>'.join(_text(line) for line in lines)}</blockquote>"
        case Actions(items):
            return "".join(f'<a class="answer" href="{escape(item.url)}">{_text(item.label)}</a>\n' for item in items)


def _fact(fact: Fact) -> str:
    value = escape(fact.value or "(empty)" if fact.old is not None else fact.value)
    if fact.old is not None:
        # Not struck through: replies quote this, and struck text is read as taken back.
        value = f"{escape(fact.old or '(empty)')} -&gt; <strong>{value}</strong>"
    return f'<tr><th scope="row">{escape(fact.label)}:</th><td>{value}</td></tr>'


def _grid(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in grid.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    return f"<table><caption>{escape(grid.title)}:</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
