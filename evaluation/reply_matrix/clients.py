"""How mail programs lay out a reply: authored lines and the request in, body out. One function a shape."""

from collections.abc import Callable
from html import escape

from evaluation.reply_matrix.message import REF, Body, asked
from evaluation.reply_matrix.words import SENDER, SENDER_ADDRESS, Words

Shape = Callable[[Words, list[str]], Body]
RULE = "_" * 32


def request(words: Words) -> list[str]:
    """The request as a quote holds it."""
    return asked(words.approve[0], words.reject[0])


def marked(words: Words, mark: str = "> ") -> list[str]:
    """The request with quote marks."""
    return [f"{mark}{line}".rstrip() for line in request(words)]


def block(words: Words, labels: tuple[str, ...], *, bold: bool = False) -> list[str]:
    """The header block over an unmarked quote. The order of ``labels`` is the program's."""
    values = {"subject": "[approval r-7f3a/2] Post 4 x P-100", "to": "Ann Approver <ann@corp.example>"}
    values |= {"from": f"{SENDER} <{SENDER_ADDRESS}>", "date": words.date}
    order = ("from", "date", "to", "subject") if labels == words.labels else ("from", "to", "date", "subject")
    marked = [f"*{label}*" if bold else label for label in labels]
    return [f"{label} {values[field]}" for label, field in zip(marked, order, strict=True)]


def divs(lines: list[str]) -> str:
    """A div a line."""
    return "".join(f"<div>{escape(line) if line else '<br>'}</div>" for line in lines)


def _ps(lines: list[str], style: str = "MsoNormal") -> str:
    return "".join(f'<p class="{style}">{escape(line) if line else "&nbsp;"}<o:p></o:p></p>' for line in lines)


def brs(lines: list[str]) -> str:
    """Lines with br between them."""
    return "<br>\n".join(escape(line) for line in lines)


def _wrapped(line: str, width: int = 76) -> list[str]:
    """A line broken at spaces, as Gmail breaks its attributions."""
    out = [""]
    for word in line.split(" "):
        if out[-1] and len(out[-1]) + len(word) >= width:
            out.append("")
        out[-1] += (" " if out[-1] else "") + word
    return out


def gmail(words: Words, lines: list[str]) -> Body:
    """Gmail on the web: both alternatives."""
    line = words.line("gmail")
    plain = [*lines, "", *_wrapped(line), "", *marked(words)]
    quote = (
        f'<br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">{escape(line)}<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)">'
        f"{brs(request(words))}</blockquote></div>"
    )
    return Body("\n".join(plain), f'<div dir="ltr">{divs(lines)}</div>{quote}')


def gmail_mobile(words: Words, lines: list[str]) -> Body:
    """Gmail's app: dir="auto" and a signature class."""
    rich = gmail(words, lines).html or ""
    return Body(None, rich.replace('<div dir="ltr">', '<div dir="auto">', 1))


def gmail_bottom(words: Words, lines: list[str]) -> Body:
    """Answer below the quote."""
    return Body("\n".join([words.line("gmail"), "", *marked(words), "", *lines]))


def apple_mail(words: Words, lines: list[str]) -> Body:
    """Mail on macOS."""
    plain = [*lines, "", words.line("apple"), "", *marked(words)]
    rich = (
        f'<html><body style="overflow-wrap: break-word;">{divs(lines)}<br id="lineBreakAtBeginningOfMessage"><div><br>'
        f'<blockquote type="cite"><div>{escape(words.line("apple"))}</div><br class="Apple-interchange-newline"><div>'
        f"{brs(request(words))}</div></blockquote></div><br></body></html>"
    )
    return Body("\n".join(plain), rich)


def ios_mail(words: Words, lines: list[str]) -> Body:
    """Mail on iOS: its footer, and the attribution inside the quote."""
    plain = [*lines, "", words.phone, "", f"> {words.line('apple')}", "> ", *marked(words)]
    rich = (
        f'<html><body dir="auto">{divs(lines)}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">{words.phone}</div>'
        f'<div dir="ltr"><br><blockquote type="cite">{escape(words.line("apple"))}<br><br></blockquote></div>'
        f'<blockquote type="cite"><div dir="ltr">{brs(request(words))}</div></blockquote></body></html>'
    )
    return Body("\n".join(plain), rich)


def thunderbird(words: Words, lines: list[str]) -> Body:
    """Thunderbird, answer on top, format=flowed."""
    plain = [*lines, "", words.line("thunderbird"), *marked(words)]
    return Body("\n".join(plain), parameters="; format=flowed")


def thunderbird_bottom(words: Words, lines: list[str]) -> Body:
    """Thunderbird as it is shipped: answer below the quote."""
    plain = [words.line("thunderbird"), *marked(words), "", *lines, ""]
    return Body("\n".join(plain), parameters="; format=flowed; delsp=no")


def thunderbird_html(words: Words, lines: list[str]) -> Body:
    """Thunderbird's HTML editor."""
    rich = (
        f"<html><head><meta charset='UTF-8'></head><body><p>{'</p><p>'.join(map(escape, lines))}</p>"
        f'<div class="moz-cite-prefix">{escape(words.line("thunderbird"))}<br></div>'
        f'<blockquote type="cite" cite="mid:req.r-7f3a.s2@agent.example">{brs(request(words))}</blockquote></body></html>'
    )
    return Body(None, rich)


def inline(words: Words, lines: list[str]) -> Body:
    """Answer between quoted lines."""
    quoted = marked(words)
    return Body("\n".join([words.line("thunderbird"), *quoted[:3], "", *lines, "", *quoted[3:]]))


def outlook(words: Words, lines: list[str]) -> Body:
    """Outlook on Windows: header head_block behind a border."""
    plain = [*lines, "", *block(words, words.labels), "", *request(words)]
    head_block = "<br>".join(
        f"<b>{escape(label)}</b>{escape(rest)}"
        for label, rest in zip(
            words.labels,
            [b[len(label) :] for b, label in zip(block(words, words.labels), words.labels, strict=True)],
            strict=True,
        )
    )
    rich = (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal{margin:0cm;} --></style></head>'
        f'<body lang="EN-US"><div class="WordSection1">{_ps(lines)}<p class="MsoNormal"><o:p>&nbsp;</o:p></p><div>'
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        f'<p class="MsoNormal">{head_block}<o:p></o:p></p></div></div>{_ps(request(words))}</div></body></html>'
    )
    return Body("\n".join(plain), rich)


def outlook_original(words: Words, lines: list[str]) -> Body:
    """Outlook with plain text: an "Original Message" line."""
    return Body(
        "\n".join([*lines, "", f"-----{words.original}-----", *block(words, words.labels), "", *request(words)])
    )


def outlook_marked(words: Words, lines: list[str]) -> Body:
    """Outlook's prefix style: the header block too is marked."""
    quoted = [f"-----{words.original}-----", *block(words, words.labels), "", *request(words)]
    return Body("\n".join([*lines, "", *(f"> {line}".rstrip() for line in quoted)]))


def outlook_web(words: Words, lines: list[str]) -> Body:
    """Outlook on the web."""
    plain = [*lines, "", RULE, *block(words, words.labels), "", *request(words)]
    rich = (
        f'<html><body dir="ltr"><div class="elementToProof" style="font-family: Aptos; font-size: 12pt;">{divs(lines)}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri">{brs(block(words, words.labels))}</font><div>&nbsp;</div>'
        f"</div><div>{brs(request(words))}</div></body></html>"
    )
    return Body("\n".join(plain), rich)


def outlook_mobile(words: Words, lines: list[str]) -> Body:
    """Outlook on a phone: advertisement and rule."""
    footer = words.outlook_mobile.partition("<")[0] + words.outlook_mobile.partition(">")[2]
    plain = [*lines, "", words.outlook_mobile, RULE, *block(words, words.labels), "", *request(words)]
    rich = (
        f'<html><body><div dir="auto">{divs(lines)}</div><div id="ms-outlook-mobile-signature"><a href="https://aka.ms/x">'
        f'{escape(footer)}</a></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr">'
        f"{brs(block(words, words.labels))}</div><div>{brs(request(words))}</div></body></html>"
    )
    return Body("\n".join(plain), rich)


def windows_mail(words: Words, lines: list[str]) -> Body:
    """Mail for Windows."""
    return Body("\n".join([*lines, "", words.windows, "", *block(words, words.labels), "", *request(words)]))


def yahoo(words: Words, lines: list[str]) -> Body:
    """Yahoo on the web."""
    plain = [*lines, "", f"    {words.line('yahoo')}  ", " ", *(f" {line}" for line in request(words))]
    rich = (
        f'<html><body><div class="ydp1-wrapper">{divs(lines)}<div><br></div></div>'
        '<div id="yahoo_quoted_123" class="yahoo_quoted">'
        f"<div>{escape(words.line('yahoo'))}</div><div><br></div><div>{brs(request(words))}</div></div></body></html>"
    )
    return Body("\n".join(plain), rich)


def yahoo_mobile(words: Words, lines: list[str]) -> Body:
    """Yahoo's app: footer above the quote."""
    plain = [*lines, "", "", words.yahoo_footer, "", words.line("yahoo"), "", *request(words)]
    return Body("\n".join(plain))


def notes(words: Words, lines: list[str]) -> Body:
    """HCL Notes: header head_block without a rule."""
    head_block = [line.replace(": ", ":\t", 1) for line in block(words, words.notes_labels)]
    return Body("\n".join([*lines, "", "", *head_block, "", "", "", *request(words)]))


def verse(words: Words, lines: list[str]) -> Body:
    """HCL Verse and iNotes."""
    head = [
        f'-----"{SENDER}" <{SENDER_ADDRESS}> wrote: -----',
        "To: ann@corp.example",
        f'From: "{SENDER}" <{SENDER_ADDRESS}>',
    ]
    return Body(
        "\n".join([*lines, "", *head, "Date: 11/02/2026 09:00AM", "Subject: [approval r-7f3a/2]", "", *request(words)])
    )


def samsung(words: Words, lines: list[str]) -> Body:
    """Samsung Mail."""
    head_block = block(words, words.notes_labels)
    plain = [
        *lines,
        "",
        "",
        words.galaxy,
        "",
        f"-------- {words.galaxy_original} --------",
        *head_block,
        "",
        *request(words),
    ]
    return Body("\n".join(plain))


def samsung_html(words: Words, lines: list[str]) -> Body:
    """Samsung Mail in HTML."""
    rich = (
        f'<html><body dir="auto">{divs(lines)}<div><br></div><div id="composer_signature" dir="auto">{words.galaxy}</div>'
        f'<div><br></div><div style="font-size:100%;color:#000000" dir="auto"><div>-------- {words.galaxy_original} --------'
        f"</div>{divs(block(words, words.notes_labels))}<div><br></div></div>{brs(request(words))}</body></html>"
    )
    return Body(None, rich)


def k9(words: Words, lines: list[str]) -> Body:
    """K-9 Mail."""
    return Body("\n".join([*lines, "", words.line("k9"), *marked(words, ">"), "", "-- ", words.k9_footer]))


def proton(words: Words, lines: list[str]) -> Body:
    """Proton Mail on the web."""
    plain = [*lines, "", words.proton_footer, "", words.line("proton"), "", *marked(words)]
    rich = (
        f'<div style="font-family: Arial;">{divs(lines)}</div><div class="protonmail_signature_block">'
        f'<div class="protonmail_signature_block-proton">{escape(words.proton_footer)}</div></div>'
        '<div class="protonmail_quote">'
        f'{escape(words.line("proton"))}<br><br><blockquote class="protonmail_quote" type="cite">{brs(request(words))}'
        "</blockquote></div>"
    )
    return Body("\n".join(plain), rich)


def proton_android(words: Words, lines: list[str]) -> Body:
    """Proton's app: an "Original Message" rule over the attribution."""
    head = ["Sent from Proton Mail for Android.", "", "-------- Original Message --------"]
    return Body(
        "\n".join(
            [*lines, "", *head, f"On Monday, 11/02/26 at 09:00 {SENDER} <{SENDER_ADDRESS}> wrote:", *request(words)]
        )
    )


def tuta(words: Words, lines: list[str]) -> Body:
    """Tuta: date first, "by" and the address."""
    rich = (
        f"<html><body>{divs(lines)}<div><br></div><div>2 Nov 2026, 09:00 by {SENDER_ADDRESS}:<br></div>"
        f'<blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8;">'
        f"{brs(request(words))}</blockquote></body></html>"
    )
    return Body(f"{chr(10).join(lines)}\n\n2 Nov 2026, 09:00 by {SENDER_ADDRESS}:\n\n" + "\n".join(marked(words)), rich)


def spark(words: Words, lines: list[str]) -> Body:
    """Spark: sections by name."""
    line = f"On 2 Nov 2026 at 9:00 AM +0100, {SENDER} <{SENDER_ADDRESS}>, wrote:"
    rich = (
        f'<html><body><div name="messageBodySection">{divs(lines)}</div><div name="messageReplySection">{escape(line)}<br>'
        f'<blockquote type="cite">{brs(request(words))}</blockquote></div></body></html>'
    )
    return Body("\n".join([*lines, line, *marked(words)]), rich)


def prefilled(words: Words, lines: list[str]) -> Body:
    """The ``mailto:`` answer of the request, as a program opens it: no quote."""
    return Body("\n".join([*lines, "", f"Ref: {REF}"]))


def sap_inbox(words: Words, lines: list[str]) -> Body:
    """A business client that sends only what was typed, as HTML in one paragraph a line."""
    return Body(
        None, f"<html><head></head><body>{''.join(f'<p>{escape(line)}</p>' for line in lines if line)}</body></html>"
    )


def qq(words: Words, lines: list[str]) -> Body:
    """QQ Mail."""
    head_block = [
        f'发件人: "{SENDER}"<{SENDER_ADDRESS}>;',
        "发送时间: 2026年11月2日(星期一) 下午5:00",
        '收件人: "Ann"<ann@corp.example>;',
    ]
    head = ["------------------ 原始邮件 ------------------", *head_block, "主题: [approval r-7f3a/2]"]
    return Body("\n".join([*lines, "", "", *head, "", *request(words)]))


def netease(words: Words, lines: list[str]) -> Body:
    """163.com: an attribution, the quote unmarked."""
    line = f'At 2026-11-02 17:00:00, "{SENDER}" <{SENDER_ADDRESS}> wrote:'
    if words.language == "zh":
        line = f'在 2026-11-02 17:00:00，"{SENDER}" <{SENDER_ADDRESS}> 写道：'
    return Body("\n".join([*lines, "", "", "", line, "", *request(words)]))


def zimbra(words: Words, lines: list[str]) -> Body:
    """Zimbra: a rule of its own, then the header block."""
    names = {"fr": "Mail original", "de": "Ursprüngliche Mail", "es": "Mensaje original", "it": "Messaggio originale"}
    head = f"----- {names.get(words.language, 'Original Message')} -----"
    return Body("\n".join([*lines, "", head, *block(words, words.notes_labels), "", *request(words)]))


def roundcube(words: Words, lines: list[str]) -> Body:
    """Roundcube."""
    line = (
        "Am 2026-11-02 09:00, schrieb Countersign:"
        if words.language == "de"
        else "On 2026-11-02 09:00, Countersign wrote:"
    )
    return Body("\n".join([*lines, "", line, *marked(words)]))


def gmx(words: Words, lines: list[str]) -> Body:
    """GMX and web.de: the date before the sender."""
    names = (
        ("Gesendet:", "Von:", "An:", "Betreff:") if words.language == "de" else ("Sent:", "From:", "To:", "Subject:")
    )
    values = (
        "Montag, 2. November 2026 um 09:00 Uhr",
        f'"{SENDER}" <{SENDER_ADDRESS}>',
        "ann@corp.example",
        "[approval r-7f3a/2]",
    )
    head_block = [f"{name}  {value}" for name, value in zip(names, values, strict=True)]
    return Body("\n".join([*lines, " ", " ", *head_block, "", *request(words)]))


def groupwise(words: Words, lines: list[str]) -> Body:
    """GroupWise."""
    return Body("\n".join([*lines, "", f">>> {SENDER} <{SENDER_ADDRESS}> 02.11.2026 09:00 >>>", *request(words)]))


COMMON: tuple[Shape, ...] = (
        gmail, gmail_mobile, gmail_bottom, apple_mail, ios_mail, thunderbird, thunderbird_bottom, thunderbird_html, inline,
        outlook, outlook_original, outlook_marked, outlook_web, outlook_mobile, windows_mail, yahoo, yahoo_mobile, notes,
        verse, samsung, samsung_html, k9, proton, proton_android, tuta, spark, prefilled, sap_inbox, qq, netease, zimbra,
        roundcube, gmx, groupwise,
)  # fmt: skip
