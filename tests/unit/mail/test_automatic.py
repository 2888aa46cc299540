"""What is not a person's answer."""

import pytest

from mail.reply_parser import parse_reply

OWN = ["approvals@agent.example"]
BASE = "From: ann@corp.example\r\nTo: approvals+x@agent.example\r\nSubject: Re: x\r\nMessage-ID: <m@corp.example>\r\n"


def kind(raw: str | bytes, own_ids=()):
    data = raw.encode() if isinstance(raw, str) else raw
    return parse_reply(data, languages=["en"], own_addresses=OWN, own_message_ids=own_ids).automatic


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Auto-Submitted: auto-replied (vacation)", "auto-reply"),
        ("Auto-Submitted: AUTO-GENERATED; x=y", "auto-reply"),
        ("Auto-Submitted: no", None),
        ("X-Autoreply: yes", "auto-reply"),
        ("X-Auto-Response-Suppress: All", None),
        ("Precedence: auto_reply", "auto-reply"),
        ("Precedence: bulk", "auto-reply"),
        ("Return-Path: <>", "auto-reply"),
        ("X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent", "auto-reply"),
        ("X-MS-Exchange-Inbox-Rules-Loop: ann@corp.example", "auto-reply"),
        ("X-MS-Exchange-Inbox-Rules-Loop: approvals@agent.example", None),
        ("X-Failed-Recipients: ann@corp.example", "bounce"),
    ],
)
def test_headers(header, expected):
    assert kind(f"{BASE}{header}\r\n\r\nAPPROVE\r\n") == expected


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: x", "Out of Office: x", "Abwesenheitsnotiz: x", "Automatische Antwort: x",
        "=?utf-8?q?R=C3=A9ponse_automatique=C2=A0=3A_x?=", "Respuesta automática: x", "Risposta automatica: x",
        "Resposta automática: x", "Automatisch antwoord: x", "Automatyczna odpowiedź: x", "自動応答: x", "自动答复: x",
        "स्वचालित उत्तर: x", "સ્વચાલિત જવાબ: x", "[EXTERNAL] Automatic reply: x",
        "자동 회신: x", "Automatická odpověď: x", "Automatiskt svar: x", "Automatikus válasz: x", "Răspuns automat: x",
        "Αυτόματη απάντηση: x", "תשובה אוטומטית: x", "رد تلقائي: x", "Trả lời tự động: x", "Auto reply: x",
    ],
)  # fmt: skip
def test_subjects_of_automatic_replies(subject):
    assert kind(BASE.replace("Re: x", subject) + "\r\nAPPROVE\r\n") == "auto-reply"


@pytest.mark.parametrize("subject", ["Re: Automatic reply: x", "Re: x", "Automation of x"])
def test_subjects_of_people(subject):
    assert kind(BASE.replace("Re: x", subject) + "\r\nAPPROVE\r\n") is None


def report(kind_: str, status: str, returned: str = "Message-ID: <req@agent.example>") -> str:
    head = BASE.replace("ann@corp.example", "mailer-daemon@mx.example")
    return (
        f"{head}Content-Type: multipart/report; report-type={kind_}; boundary=b\r\n\r\n--b\r\n\r\nfailed\r\n--b\r\n"
        f"Content-Type: message/{kind_}\r\n\r\nReporting-MTA: dns; mx\r\n\r\n{status}\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\n{returned}\r\n\r\n--b--\r\n"
    )


def test_bounce_names_what_it_returns():
    parsed = parse_reply(report("delivery-status", "Action: failed").encode(), languages=["en"], own_addresses=OWN)
    assert (parsed.automatic, parsed.bounced_ids) == ("bounce", ("req@agent.example",))


def test_delay_is_no_bounce():
    assert kind(report("delivery-status", "Action: delayed")) == "receipt"


def test_read_receipt():
    assert kind(report("disposition-notification", "Disposition: x; displayed")) == "receipt"


def test_old_style_bounce():
    raw = (
        BASE.replace("ann@corp.example", "MAILER-DAEMON@mx.example")
        + "\r\nIt could not be delivered.\r\n\r\nMessage-ID: <req@agent.example>\r\n"
    )
    parsed = parse_reply(raw.encode(), languages=["en"], own_addresses=OWN)
    assert (parsed.automatic, parsed.bounced_ids) == ("bounce", ("req@agent.example",))


def test_invitation_answer():
    calendar = "Content-Type: text/calendar; method=REPLY\r\n\r\nBEGIN:VCALENDAR\r\n"
    assert kind(f"{BASE}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{calendar}--b--\r\n") == "calendar"


def test_own_mail_in_a_loop():
    assert kind(BASE.replace("ann@corp.example", "approvals+y@agent.example") + "\r\nAPPROVE") == "own"
    assert kind(BASE + "\r\nAPPROVE", own_ids=["m@corp.example"]) == "own"
