"""More mail programs: the ones that fewer people use, and forms in which the common ones differ. Shapes as in ``clients``."""

from html import escape

from evaluation.reply_matrix.clients import RULE, block, brs, divs, marked, request
from evaluation.reply_matrix.message import Body
from evaluation.reply_matrix.words import SENDER, SENDER_ADDRESS, Words

FULL = f"{SENDER} <{SENDER_ADDRESS}>"
QUOTED = f'"{SENDER}" <{SENDER_ADDRESS}>'


def _over(lines: list[str], line: str, quote: list[str]) -> Body:
    return Body("\n".join([*lines, "", line, *quote]))


def outlook_bold(words: Words, lines: list[str]) -> Body:
    """Text made from Outlook's HTML: the labels between asterisks."""
    return Body("\n".join([*lines, "", *block(words, words.labels, bold=True), "", *request(words)]))


def outlook_com(words: Words, lines: list[str]) -> Body:
    """Outlook.com: a container for what is answered."""
    rich = (
        f'<html><body><div class="elementToProof">{divs(lines)}</div><div id="mail-editor-reference-message-container"><hr>'
        f"<div><p>{brs(block(words, words.labels))}</p></div>{brs(request(words))}</div></body></html>"
    )
    return Body("\n".join([*lines, "", RULE, *block(words, words.labels), "", *request(words)]), rich)


def outlook_mac(words: Words, lines: list[str]) -> Body:
    """Outlook on a Mac: bold labels in one paragraph, the date as it likes."""
    rich = (
        f'<html><body style="word-wrap:break-word"><div class="WordSection1">{divs(lines)}'
        '<div id="mail-editor-reference-message-container">'
        '<div style="border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        '<p class="MsoNormal">'
        f"{brs(block(words, words.labels))}</p></div>{brs(request(words))}</div></div></body></html>"
    )
    return Body(None, rich)


def zoho(words: Words, lines: list[str]) -> Body:
    """Zoho."""
    line = f"---- On Mon, 02 Nov 2026 09:00:00 +0100 {FULL} wrote ---"
    rich = (
        f'<html><body><div>{divs(lines)}</div><div class="zmail_extra" style="border-top:1px solid"><div>{escape(line)}</div>'
        f'<blockquote id="blockquote_zmail">{brs(request(words))}</blockquote></div></body></html>'
    )
    return Body("\n".join([*lines, "", "", line, "", *request(words)]), rich)


def em_client(words: Words, lines: list[str]) -> Body:
    """eM Client: labels without colons."""
    head = ["------ Original Message ------", f"From {QUOTED}", "To ann@corp.example", "Date 02.11.2026 09:00:00"]
    return Body("\n".join([*lines, "", *head, "Subject [approval r-7f3a/2]", "", *request(words)]))


def postbox(words: Words, lines: list[str]) -> Body:
    """Postbox: the time at the end of the attribution."""
    return _over(lines, f"{SENDER} wrote on 11/2/26 9:00 AM:", marked(words))


def the_bat(words: Words, lines: list[str]) -> Body:
    """The Bat!: initials before the quote marks."""
    return _over(lines, "Monday, November 2, 2026, 9:00:00 AM, you wrote:", ["", *marked(words, "C> ")])


def mutt(words: Words, lines: list[str]) -> Body:
    """mutt."""
    return _over(lines, f"On Mon, Nov 02, 2026 at 09:00:00AM +0100, {SENDER} wrote:", marked(words))


def evolution(words: Words, lines: list[str]) -> Body:
    """Evolution."""
    german = f"Am Montag, dem 02.11.2026 um 09:00 +0100 schrieb {SENDER}:"
    return _over(
        lines,
        german if words.language == "de" else f"On Mon, 2026-11-02 at 09:00 +0100, {SENDER} wrote:",
        marked(words),
    )


def fastmail(words: Words, lines: list[str]) -> Body:
    """Fastmail."""
    line = f"On Mon, 2 Nov 2026, at 09:00, {SENDER} wrote:"
    quote = f'<blockquote type="cite" id="qt">{brs(request(words))}</blockquote>'
    rich = f"<html><body>{divs(lines)}<div>{line}<br></div>{quote}</body></html>"
    return Body("\n".join([*lines, "", line, *marked(words)]), rich)


def superhuman(words: Words, lines: list[str]) -> Body:
    """Superhuman."""
    line = f"On Mon, Nov 02, 2026 at 9:00 AM, {SENDER} < {SENDER_ADDRESS} > wrote:"
    rich = (
        f'<html><body><div>{divs(lines)}</div><div class="sh-signature">Sent via Superhuman</div><br><div class="gmail_quote">'
        f"{escape(line)}<br><blockquote class='gmail_quote'>{brs(request(words))}</blockquote></div></body></html>"
    )
    return Body("\n".join([*lines, "", "Sent via Superhuman", "", line, "", *marked(words)]), rich)


def foxmail(words: Words, lines: list[str]) -> Body:
    """Foxmail: labels with full-width colons and no rule."""
    head = [f"发件人： {SENDER}", "发送时间： 2026-11-02 17:00", "收件人： ann", "主题： [approval r-7f3a/2]"]
    return Body("\n".join([*lines, "", "", "", *head, *request(words)]))


def hey(words: Words, lines: list[str]) -> Body:
    """HEY."""
    line = f"On November 2, 2026, {SENDER} <{SENDER_ADDRESS}> wrote:"
    quote = f'<div class="hey_quoted">{escape(line)}<blockquote>{brs(request(words))}</blockquote></div>'
    rich = f'<div class="trix-content">{divs(lines)}</div><br>{quote}'
    return Body("\n".join([*lines, "", line, "", *marked(words)]), rich)


def mailspring(words: Words, lines: list[str]) -> Body:
    """Mailspring."""
    line = f"On Nov 2 2026, at 9:00 am, {FULL} wrote:"
    quote = f"<blockquote>{brs(request(words))}</blockquote>"
    rich = f'<body>{divs(lines)}<div class="gmail_quote_attribution">{escape(line)}</div>{quote}</body>'
    return Body("\n".join([*lines, "", line, *marked(words)]), rich)


def yahoo_japan(words: Words, lines: list[str]) -> Body:
    """Yahoo! Mail in Japan and old i-mode forms."""
    head = [
        "----- Original Message -----",
        f"From: {QUOTED}",
        'To: "Ann" <ann@corp.example>',
        "Date: 2026/11/02 月 17:00",
    ]
    return Body("\n".join([*lines, "", *head, "Subject: [approval r-7f3a/2]", "", *marked(words)]))


def tabled(words: Words, lines: list[str]) -> Body:
    """A webmail that lays everything out in tables, each line a row."""
    rows = "".join(f"<tr><td>{escape(line) or '&nbsp;'}</td></tr>" for line in lines)
    quote = f"<blockquote>{brs(request(words))}</blockquote>"
    return Body(None, f'<html><body><table width="100%"><tbody>{rows}</tbody></table>{quote}</body></html>')


def formatted(words: Words, lines: list[str]) -> Body:
    """Bold and coloured words of a rich text editor, the quote by Gmail."""
    first, *rest = lines or [""]
    styled = f'<div style="color:#1f497d;font-size:11pt"><b><span lang="EN-US">{escape(first)}</span></b></div>'
    quote = f'<div class="gmail_quote"><blockquote>{brs(request(words))}</blockquote></div>'
    return Body(None, f"<html><body>{styled}{divs(rest)}{quote}</body></html>")


MORE = (
    outlook_bold, outlook_com, outlook_mac, zoho, em_client, postbox, the_bat, mutt, evolution, fastmail, superhuman, foxmail,
    hey, mailspring, yahoo_japan, tabled, formatted,
)  # fmt: skip
