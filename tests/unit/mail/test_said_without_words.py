"""A number, a sign, a picture or an indent below an approval may say no; machinery and decoration say nothing."""

import pytest

from mail.keywords import languages_known
from mail.reply_parser import parse_reply
from tests.unit.mail.client_shapes import QM, Q, html, plain

ATTRIBUTION = "On Mon, 2 Nov 2026 at 09:00, Agent <a@agent.example> wrote:"
QUOTE = f'<div class="gmail_quote"><blockquote>{Q}</blockquote></div>'


def answer(raw: bytes) -> str:
    return parse_reply(raw, languages=languages_known(), own_addresses=["a@agent.example"]).answer


def below(comment: str) -> str:
    return answer(plain(f"APPROVE\n\n{comment}\n\n{ATTRIBUTION}\n{QM}"))


def shown(body: str) -> str:
    return answer(html(f"<html><body>{body}{QUOTE}</body></html>"))


@pytest.mark.parametrize(
    "comment",
    [
        "4 -> 3",
        "3",
        "0",
        "50%",
        "👎",
        "❌",
        "🚫",
        "✋",
        "🤔",
        ":(",
        ":-(",
        "[price to be renegotiated]",
        "<two of them>",
        "| only 2 |",
    ],
)
def test_numbers_and_signs_make_an_approval_unclear(comment):
    assert below(comment) == "unclear"


@pytest.mark.parametrize(
    "comment", ["👍", "🙏🏽", ":-)", "-----", "***", "<https://corp.example/x>", "[cid:image001.png@01D]"]
)
def test_kind_signs_and_ornaments_say_nothing(comment):
    assert below(comment) == "approve"


@pytest.mark.parametrize("comment", ["--\nbut only 2 pieces", "-- \nbuy two of them", "--\nreally?"])
def test_what_stands_below_a_rule_without_a_name_is_read(comment):
    assert below(comment) == "unclear"


@pytest.mark.parametrize(
    "comment", ["-- \nAnn\nIf you can dream it, do it", "--\nSent from my Android device with K-9 Mail."]
)
def test_a_signature_with_a_name_or_a_program_is_not(comment):
    assert below(comment) == "approve"


@pytest.mark.parametrize(
    "comment",
    ["Sent with wrong quantity please fix to 3", "来自供应商的价格太高", "I sent the mail to Rita, all in vain"],
)
def test_what_people_sent_is_no_line_of_a_program(comment):
    assert below(comment) == "unclear"


@pytest.mark.parametrize(
    "comment",
    [
        "Sendt fra min iPhone", "Skickat från min iPhone", "Lähetetty iPhonesta", "Odesláno z iPhonu", "Az iPhone-omról küldve",
        "Trimis de pe iPhone-ul meu", "iPhone’umdan gönderildi", "Отправлено с iPhone", "Надіслано з iPhone",
        "Στάλθηκε από το iPhone μου",
        "נשלח מה-iPhone שלי", "مُرسل من الـ iPhone", "나의 iPhone에서 보냄", "ส่งจาก iPhone ของฉัน", "Đã gửi từ iPhone của tôi",
        "Von unterwegs gesendet", "Dictated to Siri, please excuse errors",
        "This email has been scanned for viruses by Sophos.",
    ],
)  # fmt: skip
def test_lines_of_devices_and_scanners_say_nothing(comment):
    assert below(comment) == "approve"


@pytest.mark.parametrize(
    "line",
    [
        "x2",
        "-50%",
        "2個",
        "Ask Bob",
        "con cambios",
        "you wish",
        "Buy from Müller GmbH",
        "Ask purchasing",
        "M: buy from Smith",
    ],
)
def test_what_no_signature_says_is_read_below_the_name(line):
    assert below(f"Regards\nAnn Approver\n\n{line}") == "unclear"


@pytest.mark.parametrize(
    "card",
    [
        "Ann Approver\nHead of Purchasing\n\nCorp GmbH\nIndustriestr. 5\n70565 Stuttgart\nTel.: +49 711 12\nwww.corp.example",
        "Ann APPROVER\nResponsable Achats\nTél. : 01 23 45 67 89",
        "Ann Approver\nHoofd Inkoop\nT 020 123 4567",
    ],
)
def test_what_a_signature_holds_is_not(card):
    assert below(f"Regards\n\n{card}") == "approve"


@pytest.mark.parametrize(
    "comment",
    [
        "Ann says talk to Bob",
        "Ann too expensive",
        "Please also order P-200",
        "From: 10\nTo: 2\nSubject: both",
    ],
)
def test_a_name_or_a_label_hides_no_order(comment):
    assert below(comment) == "unclear"


@pytest.mark.parametrize(
    "comment",
    [
        "Schönes Wochenende!",
        "Fijn weekend",
        "Buon fine settimana",
        "良い週末を",
        "周末愉快",
        "PO 4500012345",
        "Per our call.",
    ],
)
def test_wishes_and_references_say_nothing(comment):
    assert below(comment) == "approve"


@pytest.mark.parametrize(
    ("comment", "expected"), [("Max", "approve"), ("Regards, Max", "approve"), ("Max 100", "unclear")]
)
def test_somebody_may_be_called_max(comment, expected):
    raw = plain(f"APPROVE\n\n{comment}\n\n{ATTRIBUTION}\n{QM}").replace(b"From: Ann", b"From: Max Muster")
    assert answer(raw) == expected


def test_the_company_of_the_sender_may_stand_below_the_name():
    assert below("Regards\n\nAnn Approver\nCorp Example") == "approve"


def test_a_ruled_card_in_another_script_is_a_signature():
    assert below("━━━━━━━━━━\nコープ株式会社 購買部\n安 花子\nTEL: 03-1234-5678\n━━━━━━━━━━") == "approve"


@pytest.mark.parametrize(
    "body",
    [
        "<div>APPROVE<blockquote style='margin:0 0 0 40px; border:none'>for two of them</blockquote></div>",
        "<p><img alt='Do not' src=x> APPROVE</p>",
        "<p>APPROVE</p><p><img alt='👎' src=x></p>",
        "<p><input type=checkbox>APPROVE</p>",
        "<p>APPROVE</p><input value='only 2'>",
        "<s><p>APPROVE</p></s>",
        "<p style='--d:none;display:var(--d)'>APPROVE</p>",
        "<p style='overflow:hidden;height:1px'>APPROVE</p>",
        "<link rel=stylesheet href='https://x.example/a.css'><p>APPROVE</p>",
        "<style>@import url(a.css);</style><p>APPROVE</p>",
    ],
)
def test_indents_pictures_and_fields_make_an_approval_unclear(body):
    assert shown(body) == "unclear"


@pytest.mark.parametrize(
    "body",
    [
        "<p><img alt='Corp' src=x></p><p>APPROVE</p>",
        "<p>APPROVE<img src=x width=1 height=1></p>",
        "<p>APPROVE</p><p><img alt='👍' src=x></p>",
        "<div style='display:none'>ZjQcmQRYFpfptBannerStart</div><p>APPROVE</p>",
        "<link rel=stylesheet href='https://fonts.example/css'><p>APPROVE</p>",
    ],
)
def test_logos_and_pixels_say_nothing(body):
    assert shown(body) == "approve"


def test_an_encoding_that_nobody_decodes_says_nothing():
    raw = plain("APPROVE").replace(b"Transfer-Encoding: 8bit", b"Transfer-Encoding: x-uuencode")
    assert answer(raw) == "unclear"


def test_a_related_message_that_starts_elsewhere_says_nothing():
    head, _, text = html("<p>APPROVE</p>").partition(b"Content-Type: ")
    parts = b"--b\r\nContent-Type: " + text + b"\r\n--b--\r\n"
    raw = head + b'Content-Type: multipart/related; boundary=b; start="<other@x>"\r\n\r\n' + parts
    assert answer(raw) == "unclear"
