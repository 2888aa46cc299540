"""Honest replies that quote a whole mail of ours, as programs quote it: the answer above is read, the quote is not."""

import pytest
from lxml import html as lxml_html

from mail.keywords import languages_known, word_for
from mail.reply_parser import parse_reply
from mail.wrapping import WIDTH
from tests.unit.mail.sample_content import bodies, with_
from wire.approval import Line, MailContent, MessageType, Table

OWN = ["approvals@agent.example"]
ITEMS = tuple(
    (str(n), f"P-{n}00", f"{n} PC", f"{n},000.00 EUR", f"text {n}", f"plant {n}", f"K{n}") for n in range(1, 25)
)
LONG = with_(
    title="Create purchase order · 12,340.00 EUR · Pump GmbH",
    tables=(
        Table(title="Items", columns=("#", "Material", "Quantity", "Net", "Text", "Plant", "Account"), rows=ITEMS),
    ),
    differences=(Line(label="Items 1, Price", value="468.50 EUR", old="450.00 EUR"),),
    technical=(Line(label="Exact content", value='{"a":"' + "x y " * 300 + '"}'),),
    note="What the call rests on has changed since it was approved.",
)
HEAD = "From: Ann <ann@corp.example>\r\nTo: approvals+opaqueid@agent.example\r\nIn-Reply-To: <abc@agent.example>\r\n"
ATTRIBUTION = "On Mon, 2 Nov 2026 at 09:00, Countersign <approvals@agent.example> wrote:"
BLOCK = (
    "From: Countersign <approvals@agent.example>\r\nSent: Monday, November 2, 2026 9:00 AM\r\nTo: Ann <ann@corp.example>\r\n"
    "Subject: Create purchase order [Approval abcdef/2]\r\n"
)


def inner(rich: str) -> str:
    body = lxml_html.document_fromstring(rich).find("body")
    return "".join(lxml_html.tostring(child, encoding="unicode") for child in body)


def plain_marked(word: str, text: str, rich: str) -> tuple[str, str]:
    quoted = "\r\n".join(f"> {line}" for line in text.splitlines())
    return "plain", f"{word}\r\n\r\n{ATTRIBUTION}\r\n\r\n{quoted}\r\n"


def plain_outlook(word: str, text: str, rich: str) -> tuple[str, str]:
    return "plain", f"{word}\r\n\r\n-----Original Message-----\r\n{BLOCK}\r\n{text}"


def gmail(word: str, text: str, rich: str) -> tuple[str, str]:
    attribution = f'<div dir="ltr" class="gmail_attr">{ATTRIBUTION}<br></div>'
    quote = f'{attribution}<blockquote class="gmail_quote">{inner(rich)}</blockquote>'
    return "html", f'<div dir="ltr">{word}</div><br><div class="gmail_quote">{quote}</div>'


def apple(word: str, text: str, rich: str) -> tuple[str, str]:
    attribution = f'<div><br><blockquote type="cite">{ATTRIBUTION}</blockquote></div>'
    quote = f'<blockquote type="cite">{rich}</blockquote>'
    return "html", f"<html><body>{word}<br>{attribution}<br>{quote}</body></html>"


def outlook(word: str, text: str, rich: str) -> tuple[str, str]:
    """Outlook takes the style sheet of what it quotes into its own head and marks nothing but a line above."""
    sheet = rich.partition("<style>")[2].partition("</style>")[0]
    head = "<br>".join(f"<b>{line.partition(':')[0]}:</b>{line.partition(':')[2]}" for line in BLOCK.splitlines())
    mark = f'<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in"><p>{head}</p></div>'
    body = f'<div class="WordSection1"><p class="MsoNormal">{word}</p><p class="MsoNormal">&nbsp;</p>{mark}{inner(rich)}</div>'
    return "html", f"<html><head><style>{sheet}</style></head><body>{body}</body></html>"


@pytest.mark.parametrize("language", languages_known())
@pytest.mark.parametrize("quote", [plain_marked, plain_outlook, gmail, apple, outlook])
def test_the_answer_above_the_quote_is_read(quote, language):
    for content in (with_(language=language), LONG.model_copy(update={"language": language})):
        for answer, word in (("approve", word_for("approve", language)), ("reject", "REJECT")):
            kind, body = quote(word, *bodies(content))
            raw = f"{HEAD}Content-Type: text/{kind}; charset=utf-8\r\n\r\n{body}".encode()
            parsed = parse_reply(raw, languages=[language], own_addresses=OWN)
            assert (parsed.answer, parsed.answer_reason) == (answer, "the first written line is a keyword")


@pytest.mark.parametrize("quote", [plain_marked, plain_outlook, gmail, apple, outlook])
@pytest.mark.parametrize("kind", list(MessageType))
def test_a_quote_with_nothing_above_it_answers_nothing(quote, kind: MessageType):
    content: MailContent = LONG.model_copy(update={"message_type": kind})
    form, body = quote("", *bodies(content))
    raw = f"{HEAD}Content-Type: text/{form}; charset=utf-8\r\n\r\n{body}".encode()
    assert parse_reply(raw, languages=languages_known(), own_addresses=OWN).answer == "unclear"


def test_lines_are_short_enough_to_be_quoted_without_being_broken():
    text, _ = bodies(with_())
    kept = [line for line in text.splitlines() if "mailto:" not in line and "Digest" not in line]
    assert max(map(len, kept)) <= WIDTH + 2
