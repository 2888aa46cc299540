"""HTML of a reply -> the lines that a person sees, quoted parts marked with ``>``.

Text that a reader would not see, or sees struck through, is not dropped silently: its line gets a mark (``HIDDEN`` or
``STRUCK``), so that no answer is read from a body that shows something else than it says.
"""

import re
from dataclasses import dataclass, field

from lxml import etree
from lxml import html as lxml_html

from mail.html_hiding import Sheets, is_hidden, read_sheets, style_of
from mail.mime import Unreadable
from mail.patterns import patterns

HIDDEN = "\ue000"
STRUCK = "\ue001"
SIGNATURE = "\ue002"
ORIGINAL = "-----Original Message-----"
"""Stands where a mail program's own mark says that everything below is the message answered."""

_BLOCKS = re.compile(
    r"address|article|aside|blockquote|body|center|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav"
    r"|ol|p|pre|section|table|tbody|tfoot|thead|tr|ul"
)
_SILENT = re.compile(r"head|script|style|title")
_STRUCK = frozenset({"s", "strike", "del"})
_QUOTE_CLASSES = re.compile(
    r"(?:^|[\s_-])(?:gmail_quote|gmail_attr|gmail_extra|yahoo_quoted|protonmail_quote|moz-cite-prefix|tutanota_quote|zmail_extra"
    r"|hey_quoted|quoted|airmail_quote|front-blockquote|freebirdFormviewerViewItemsItem|mail_quote|ox-quote|yj6qo|AppleOriginalContents"
    r"|moz-forward-container|iwc-quote|replied-message)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SIGNATURES = re.compile(
    r"(?:^|[\s_-])(?:gmail_signature|protonmail_signature_block|moz-signature|ms-outlook-mobile-signature|AppleMailSignature"
    r"|Signature|lineBreakAtBeginningOfSignature)(?:$|[\s_-])"
)
_ORIGINAL_MARKS = frozenset({"divRplyFwdMsg", "OutlookMessageHeader"})
_QUOTE_IDS = re.compile(r"(?:yahoo_quoted_\w+|mail-editor-reference-message-container|reply-intro|qt|origbody)$")


_INDENT = re.compile(r"(?<![-\w])border(?:-left)?(?:-width|-style)?:(?:none|0)")
_EMOJI = re.compile(r"[^\w\s]{1,8}")
PICTURE = "\ufffc"
"""Stands for a picture: what it shows is not read, but beside a keyword it may change what is said."""


@dataclass
class _State:
    """Where the walk stands: what the open elements do to text."""

    lines: list[str] = field(default_factory=lambda: [""])
    quote: int = 0
    hidden: int = 0
    struck: int = 0
    silent: int = 0
    signature: int = 0
    pre: int = 0

    def newline(self) -> None:
        """End the current line."""
        self.lines.append("")

    def block(self) -> None:
        """End the current line unless it is empty."""
        if self.lines[-1].strip("> "):
            self.newline()

    def text(self, text: str | None) -> None:
        """Add ``text`` as the open elements show it."""
        if not text or self.silent:
            return
        marker = HIDDEN if self.hidden else STRUCK if self.struck else ""
        if marker:
            if text.strip() and marker not in self.lines[-1] and not patterns().banner.match(text.strip()):
                self._add(marker)
            return
        if self.pre:
            first, *rest = re.split(r"\r\n|\n|\r", text)
            self._add(first)
            for line in rest:
                self.newline()
                self._add(line)
        else:
            self._add(re.sub(r"[ \t\r\n\f]+", " ", text))

    def text_doubtful(self) -> None:
        """Mark the current line as one whose look we cannot tell."""
        if not self.silent and HIDDEN not in self.lines[-1]:
            self._add(HIDDEN)

    def _add(self, text: str) -> None:
        if text and not self.lines[-1]:
            text = text if self.pre else text.lstrip(" ")
            self.lines[-1] = ("> " if self.quote else SIGNATURE if self.signature else "") if text else ""
        self.lines[-1] += text


def html_to_text(source: str) -> str:
    """Visible text of ``source``, one line per visual line; raises Unreadable when it nests too deep for the parser."""
    cleaned = re.sub(r"^\s*<\?xml[^>]*\?>", "", source.replace("\0", ""))
    if not cleaned.strip():
        return ""
    parser = lxml_html.HTMLParser(recover=True, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = lxml_html.document_fromstring(cleaned, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return ""
    if any("depth" in entry.message for entry in parser.error_log):
        raise Unreadable("HTML nests too deep")
    state = _State()
    sheets = read_sheets(root)
    if sheets.doubtful:
        state.lines = [HIDDEN, ""]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            _enter(state, element, sheets)
        else:
            _leave(state, element, sheets)
    return "\n".join(line.strip(" ") if line.strip("> ") else "" for line in state.lines)


def _enter(state: _State, element: lxml_html.HtmlElement, sheets: Sheets) -> None:
    tag = str(element.tag)
    if tag == "br":
        state.newline()
    elif _BLOCKS.fullmatch(tag):
        state.block()
    if {element.get("id"), *(element.get("class") or "").split()} & _ORIGINAL_MARKS and not state.quote:
        state.lines += [ORIGINAL, ""]
    _count(state, element, sheets, 1)
    if tag == "img" or tag == "input":
        _show_control(state, element, sheets)
    if tag in _STRUCK and not (element.text or len(element)):
        # The parser ends an inline element where a block begins; a reader's program strikes the block through.
        state.text_doubtful()
    if tag in {"td", "th"} and state.lines[-1]:
        state.text(" ")
    state.text(element.text)


def _show_control(state: _State, element: lxml_html.HtmlElement, sheets: Sheets) -> None:
    """A picture or a form field in the middle of a text. Nobody ticks a box in a mail, so a field makes an answer doubtful."""
    if str(element.tag) == "input":
        if (element.get("type") or "").lower() != "hidden":
            state.text_doubtful()
        return
    shown = (element.get("alt") or element.get("data-emoji") or "").strip()
    if _EMOJI.fullmatch(shown):
        state.text(shown)
    elif not (is_hidden(element, sheets) or {element.get("width"), element.get("height")} & {"0", "1"}):
        state.text(PICTURE)


def _leave(state: _State, element: lxml_html.HtmlElement, sheets: Sheets) -> None:
    tag = str(element.tag)
    if _BLOCKS.fullmatch(tag):
        state.block()
        if tag == "p":
            state.newline()
    _count(state, element, sheets, -1)
    state.text(element.tail)


def _count(state: _State, element: lxml_html.HtmlElement, sheets: Sheets, step: int) -> None:
    tag = str(element.tag)
    state.quote += step * _is_quote(element)
    state.signature += step * bool(_SIGNATURES.search(f"{element.get('class') or ''} {element.get('id') or ''}"))
    state.silent += step * bool(_SILENT.fullmatch(tag))
    state.hidden += step * is_hidden(element, sheets)
    state.struck += step * (tag in _STRUCK or "line-through" in style_of(element))
    state.pre += step * (tag in {"pre", "xmp"} or "white-space:pre" in style_of(element))


def _is_quote(element: lxml_html.HtmlElement) -> bool:
    if element.get("type") == "cite":
        return True
    if str(element.tag) == "blockquote":
        # Programs indent what the writer wrote with the same element, without the line beside it.
        return not _INDENT.search(style_of(element)) or bool(element.get("cite") or element.get("class"))
    return bool(_QUOTE_CLASSES.search(element.get("class") or "") or _QUOTE_IDS.search(element.get("id") or ""))
