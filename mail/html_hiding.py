"""What of an HTML body is not shown: by style, by style sheet, by element, by colour.

In doubt it is not shown: then the line is marked and an approval becomes unclear, while nothing is read that nobody saw.
"""

import re
from dataclasses import dataclass

from lxml import html as lxml_html

from mail.html_colors import RGB, WHITE, read_color, readable

_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|(?<![-\w])opacity:0?(?:\.[01]\d*)?(?![\d.])"
    r"|filter:[^;]*opacity\(0|mso-hide:all|(?<![-\w])zoom:0|text-indent:-\d{3,}|letter-spacing:-"
    r"|font-size:(?:0(?:\.0+)?|[0-3](?:\.\d+)?(?:px|pt)|0?\.[0-2]\d*(?:r?em|px|pt)|[0-9](?:\.\d+)?%)(?:px|pt|em|rem|%|vw)?(?:;|!|$)"
    r"|(?<![-\w])(?:max-)?(?:height|width):0(?:px|pt|em|%)?(?:;|!|$)"
    r"|(?:left|right|top|bottom|margin|margin-left|margin-top):-\d{3,}|clip:rect\(|clip-path:(?!none)"
    r"|transform:[^;]*(?:scale[xy3]?d?\(0|translate[xyz3]?d?\([^)]*-?\d{3,}|rotate[xy]\(90)|mask(?:-image)?:"
    r"|(?<![-\w])(?:display|visibility|opacity|font|font-size|color|height|width|position|content):[^;]*var\("
    r"|-webkit-text-fill-color:(?:transparent|white|#fff)"
)
_FLAT = re.compile(
    r"line-height:0(?:px|pt|em|%)?(?:;|!|$)|(?<![-\w])(?:max-)?(?:height|width):(?:[0-5](?:\.\d+)?(?:px|pt)|0?\.\d+r?em)(?:;|!|$)"
)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SHEET_COLOR = re.compile(
    r"(?<![-\w])color:(?:transparent|white|#fff(?:fff)?(?![0-9a-f])|rgb\(255,255,255\)|rgba\([^)]*,0(?:\.0*)?\))"
)
_WRITES = re.compile(r"(?<![-\w])content:(?!none|normal|\"\"|''|\"\\?a0|attr\(x)")
_COLOR = re.compile(r"(?<![-\w])color:([^;!]+)")
_BACKGROUND = re.compile(r"(?<![-\w])background(?:-color)?:([^;!]+)")
_NAME = re.compile(r"[\w-]+")
_UNOPENED = frozenset({"details", "dialog"})
# Programs differ in whether they show the text in these: nobody writes an answer there.
_UNCERTAIN = frozenset(
    {
        "noscript",
        "template",
        "object",
        "embed",
        "select",
        "textarea",
        "button",
        "svg",
        "math",
        "iframe",
        "noframes",
        "noembed",
    }
    | {"canvas", "video", "audio", "datalist", "applet", "marquee", "meter", "progress"}
)


@dataclass(frozen=True)
class Sheets:
    """Style sheets of a mail: names (``.class``, ``#id``, element) that they hide, and whether they hide or write what we
    cannot tell."""

    hidden: frozenset[str] = frozenset()
    doubtful: bool = False


def read_sheets(root: lxml_html.HtmlElement) -> Sheets:
    """What the ``style`` elements of a mail hide or strike (the last simple selector of each rule)."""
    found: set[str] = set()
    doubtful = any(
        "stylesheet" in (link.get("rel") or "").lower() and not _is_font(link.get("href")) for link in root.iter("link")
    )
    for sheet in root.iter("style"):
        text = re.sub(r"/\*.*?\*/|<!--|-->", "", sheet.text_content(), flags=re.DOTALL)
        doubtful = doubtful or any(not _is_font(rule) for rule in re.findall(r"(?i)@import[^;]*", text))
        for selectors, body in _RULE.findall(text):
            compact = re.sub(r"\s+", "", body).lower()
            doubtful = doubtful or bool(_WRITES.search(compact))
            if _hides(compact) or _SHEET_COLOR.search(compact) or "line-through" in compact:
                names = _last_names(selectors)
                found.update(name for name in names if name is not None)
                doubtful = doubtful or None in names
    return Sheets(frozenset(found), doubtful)


def _is_font(address: str | None) -> bool:
    """Does a style sheet from elsewhere only name a typeface? Any other may hide what we read."""
    return bool(re.search(r"//fonts?\.|/fonts?[/.?]|typekit|webfont", (address or "").lower()))


def is_hidden(element: lxml_html.HtmlElement, sheets: Sheets) -> bool:
    """Whether this element itself hides what it holds."""
    tag, style = str(element.tag), style_of(element)
    if element.get("hidden") is not None or _hides(style) or tag in _UNCERTAIN:
        return True
    if tag in _UNOPENED and element.get("open") is None:
        return True
    if (_COLOR.search(style) or tag == "font") and not _is_readable(element):
        return True
    names = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}", tag}
    return not sheets.hidden.isdisjoint(names)


def style_of(element: lxml_html.HtmlElement) -> str:
    """The element's own style, compact and lower case."""
    return re.sub(r"/\*.*?\*/|\s+", "", element.get("style") or "").lower()


def _hides(style: str) -> bool:
    flat = "overflow:hidden" in style and _FLAT.search(style)
    # An escape can spell any property: what hides behind one is not worth reading.
    return bool(_HIDING.search(style) or flat) or "\\" in style


def _is_readable(element: lxml_html.HtmlElement) -> bool:
    """Can its text colour be told from what is behind it?"""
    found = _COLOR.search(style_of(element))
    color = read_color(found[1] if found else (element.get("color") or "").strip().lower())
    if color is None:
        return True
    return color[1] >= 0.15 and readable(color[0], _background(element))


def _background(element: lxml_html.HtmlElement) -> RGB:
    """The nearest background colour around the text, white when none is set."""
    around: lxml_html.HtmlElement | None = element
    while around is not None:
        found = _BACKGROUND.search(style_of(around))
        color = read_color(found[1] if found else (around.get("bgcolor") or "").strip().lower())
        if color is not None and color[1] > 0.5:
            return color[0]
        around = around.getparent()
    return WHITE


def _last_names(selectors: str) -> list[str | None]:
    """The class, id or element that each selector ends in; None where it may be anything."""
    names: list[str | None] = []
    for selector in selectors.split(","):
        last = (selector.split() or [""])[-1]
        if last.startswith("@"):
            continue
        found = re.search(r"[.#][\w-]+(?!.*[.#])", last)
        name = found[0] if found else re.split(r"[:\[]", last, maxsplit=1)[0]
        names.append(name.lower() if not found and _NAME.fullmatch(name) else name if found else None)
    return names
