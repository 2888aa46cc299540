"""The HTML of a request: for a screen reader, in the dark, on a phone, and in programs that drop style sheets."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from mail.compose_html import _SHEET, DARK
from mail.html_colors import read_color
from mail.html_text import HIDDEN, STRUCK, html_to_text
from mail.keywords import languages_known
from mail.reply_parser import parse_reply
from tests.unit.mail.sample_content import bodies, with_
from wire.approval import Line, MessageType, Table

BACKGROUNDS = {"light": "#ffffff", "dark": "#121212"}
ROWS = tuple((str(n), *"abcde", f"f{n}") for n in range(30))
MANY = Table(title="Items", columns=("#", "A", "B", "C", "D", "E", "F"), rows=ROWS)
WIDE = with_(
    tables=(MANY,), message_type=MessageType.FRESH_REVIEW_REQUEST, differences=(Line(label="P", value="2", old="1"),)
)


def page(content=WIDE):
    return lxml_html.document_fromstring(bodies(content)[1])


def contrast(one: str, other: str) -> float:
    """WCAG 2, 1.4.3."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    found = read_color(color)
    assert found is not None
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in found[0])]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def styles(element) -> dict[str, str]:
    return dict(part.split(":", 1) for part in (element.get("style") or "").split(";") if part)


@pytest.mark.parametrize("language", languages_known())
def test_one_language_one_title_one_first_heading(language):
    root = page(with_(language=language))
    assert root.get("lang") == language == root.find("body/div").get("lang")
    assert [h.tag for h in root.iter("h1", "h2")].index("h1") == 0
    assert len(list(root.iter("h1"))) == 1
    assert root.findtext("head/title").endswith("[Approval abcdef/2]")


def test_every_table_of_data_has_headers_with_a_scope_and_every_grid_a_caption():
    tables = [table for table in page().iter("table") if table.get("role") != "presentation"]
    assert tables
    assert all(head.get("scope") in {"row", "col"} for table in tables for head in table.iter("th"))
    assert all(next(table.iter("th"), None) is not None for table in tables)
    assert all(table.find("caption") is not None for table in tables if table.find("thead") is not None)


def test_text_is_readable_in_light_and_dark():
    root = page()
    coloured = [(e.get("class"), styles(e)["color"]) for e in root.iter() if "color" in styles(e)]
    assert coloured
    assert all(contrast(color, BACKGROUNDS["light"]) >= 4.5 for _, color in coloured)
    # What has a colour of its own has a class that gives it another in the dark.
    assert all(contrast(DARK[name.split()[0]], BACKGROUNDS["dark"]) >= 4.5 for name, _ in coloured)
    assert not [e for e in root.iter() if "background" in (e.get("style") or "")]


def test_nothing_but_the_record_is_smaller_than_14_pixels():
    sizes = [(e, float(styles(e)["font-size"].removesuffix("px"))) for e in page().iter() if "font-size" in styles(e)]
    small = [e for e, size in sizes if size < 14]
    assert all(e.tag in {"table", "p"} and "cs-record" in (e.get("class") or "").split() for e in small)
    assert len(small) == 2


def test_links_say_what_they_do():
    texts = [a.text_content() for a in page().iter("a")]
    assert texts == ["Write a reply that says APPROVE", "Write a reply that says REJECT"]


def test_no_change_is_told_by_colour_alone():
    assert "P: 1 → 2" in " ".join(html_to_text(bodies(WIDE)[1]).split())


def test_what_matters_needs_no_style_sheet():
    """Gmail drops sheets of some mails, and desktop Outlook reads no layout that is newer than tables."""
    bare = page()
    for sheet in bare.iter("style"):
        sheet.text = ""
    assert all(styles(e) for e in bare.iter("h1", "h2", "a", "p", "blockquote", "table"))
    every = " ".join(e.get("style") or "" for e in bare.iter())
    assert not re.search(r"flex|grid|position|float|calc\(|var\(|url\(|@|#[0-9a-f]{4}\b|#[0-9a-f]{8}\b", every)
    assert not {"img", "svg", "script", "details", "button", "form", "input"} & {str(e.tag) for e in bare.iter()}


def test_the_sheet_names_no_element_so_that_no_reply_is_read_otherwise_for_quoting_it():
    assert re.findall(r"[}{]\s*([a-z][\w-]*)[^{}]*\{", _SHEET.replace("@media", "")) == []
    reply = f"<html><head><style>{_SHEET}</style></head><body><p>APPROVE</p>{bodies(WIDE)[1]}</body></html>"
    raw = f"From: ann@corp.example\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{reply}".encode()
    assert not {HIDDEN, STRUCK} & set(html_to_text(reply))
    assert "hidden" not in parse_reply(raw, languages=["en"], own_addresses=[]).answer_reason


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)


@settings(deadline=None)
@given(
    texts,
    texts,
    st.sampled_from(list(MessageType)),
    st.sampled_from(languages_known()),
    st.integers(1, 30),
    st.integers(1, 9),
)
def test_text_and_html_say_the_same_in_the_same_order(one, other, kind, language, rows, columns):
    cells = [(str(row), *(f"{other}{row % 3}{column % 2}" for column in range(columns))) for row in range(rows)]
    totals = ("", *("9" * (columns > 1) for _ in range(columns)))
    table = Table(title=one, columns=("#", *(f"C{n}" for n in range(columns))), rows=tuple(cells), totals=totals)
    content = with_(
        language=language,
        message_type=kind,
        title=one,
        tables=(table,),
        reason=other,
        note=f"{one}\n{other}",
        masked=("m",),
    )
    text, rich = bodies(content)
    plain = re.sub(r"mailto:\S+|[\u2068\u2069]", "", text)
    assert re.findall(r"\w+", plain) == re.findall(r"\w+", html_to_text(rich))
