"""parse_reply: bytes in, values out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mail.heads import read_head
from mail.keywords import keywords_for, languages_known
from mail.mime import Budget
from mail.reply_parser import parse_reply
from tests.unit.mail.client_shapes import HEAD, QM, Q, alt, html, load_shapes, plain
from wire.mail import ParsedReply

LANGUAGES = languages_known()
SHAPES = load_shapes()


def parse(raw: bytes, **options) -> ParsedReply:
    given_options = {"languages": LANGUAGES, "own_addresses": ["approvals@agent.example"]} | options
    return parse_reply(raw, **given_options)


@pytest.mark.parametrize(("raw", "answer"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_answer_of_client_shape(raw, answer):
    parsed = parse(raw)
    assert parsed.answer == answer, parsed.answer_reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_keyword_of_a_language_alone_is_its_answer(language):
    for word, answer in keywords_for([language]).answers.items():
        assert parse(plain(f"{word.upper()}\n\n{QM}")).answer == answer, word


def test_words_of_a_language_that_is_not_enabled_do_not_count():
    assert parse(plain("Genehmigt\n"), languages=["fr"]).answer == "unclear"


def test_reference_ids_come_nearest_first():
    raw = b"In-Reply-To: <c@x>\r\nReferences: <a@x>\r\n <b@x> <c@x>\r\n\r\nAPPROVE\r\n"
    assert parse(raw).references == ("c@x", "b@x", "a@x")


def test_plus_address_is_taken_from_delivery_too():
    raw = b"To: someone@else.example\r\nDelivered-To: approvals+ABC@agent.example\r\n\r\nAPPROVE\r\n"
    assert "approvals+abc@agent.example" in parse(raw).recipients


def test_ref_is_found_in_a_quote():
    assert parse(plain(f"APPROVE\n\n{QM}")).body_refs == ("r-7f3a.s2.n9Qk4",)


def test_comment_is_what_stands_below_the_answer():
    assert parse(plain(f"REJECT\n\ntoo dear\n\n{QM}")).comment == "too dear"


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (b"X: y\r\n\r\n" + b"a" * (1 << 20), "size"),
        (b"X: " + b"y" * (40 << 10) + b"\r\n\r\nAPPROVE", "header line"),
        (b"".join(b"X: y\r\n" for _ in range(30_000)) + b"\r\nAPPROVE", "header section"),
        (HEAD.encode() + b"\r\nAPP\0ROVE", "NUL"),
        (HEAD.encode() + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * 10_000, "parts"),
        (HEAD.encode() + b"Content-Type: text/plain; charset=x-no-such\r\n\r\nAPPROVE", "charset"),
        (HEAD.encode() + b"Content-Type: text/plain; charset=utf-7\r\n\r\n+AEE-PPROVE", "charset"),
        (HEAD.encode() + b"Content-Type: text/plain; charset=U7\r\n\r\n+AEE-PPROVE", "charset"),
        (HEAD.encode() + b"Content-Type: text/plain; charset=unicode_escape\r\n\r\n\\x41PPROVE", "charset"),
    ],
)
def test_what_breaks_a_budget_is_named_and_gives_no_answer(raw, named):
    parsed = parse(raw)
    assert named in (parsed.unreadable or "")
    assert parsed.answer == "unclear"


NO_TEXT = b"Content-Type: message/delivery-status; charset*0*=x''%ff\r\n\r\nAction: failed \xe9\r\n"
NO_DEPTH = b"Content-Type: text/html\r\n\r\n" + b"<div>" * 20_000 + b"550 no such user"


@pytest.mark.parametrize("sender", [b"ann@corp.example", b"MAILER-DAEMON@mx.example"])
@pytest.mark.parametrize(
    "fields",
    [
        b"Subject: =?utf-8?b?abcde?=\r\n\r\nx",
        b"Subject: =?ut\xff\xfef-8?q?x?=\r\n\r\nx",
        b"Content-Type: text/plain; charset*0*=x''%ff\r\n\r\nx \xe9",
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n" + NO_TEXT + b"--b--\r\n",
        b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n" + NO_DEPTH + b"\r\n--b--\r\n",
        NO_DEPTH,
    ],
)
def test_what_breaks_a_library_is_read_all_the_same(fields, sender):
    raw = b"From: " + sender + b"\r\nTo: approvals@agent.example\r\n" + fields
    assert parse(raw).from_addresses == (sender.decode().lower(),)
    assert read_head(raw.partition(b"\r\n\r\n")[0], ["approvals@agent.example"], 100).references == ()


def test_a_hundred_thousand_references_are_cut():
    raw = b"References: " + b"\r\n ".join(b"<%d@x>" % n for n in range(8000)) + b"\r\n\r\nAPPROVE"
    assert len(parse(raw).references) <= Budget().references


def test_attached_message_is_not_read():
    inner = b"Content-Type: message/rfc822\r\n\r\nFrom: a@b\r\n\r\nAPPROVE\r\n"
    raw = HEAD.encode() + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + inner + b"--b--\r\n"
    assert parse(raw).answer == "unclear"


def test_attachment_is_not_read():
    part = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nAPPROVE\r\n"
    raw = HEAD.encode() + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + part + b"--b--\r\n"
    assert parse(raw).answer == "unclear"


def test_doubled_content_type_gives_no_answer():
    raw = HEAD.encode() + b"Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nAPPROVE\r\n"
    assert parse(raw).answer == "unclear"


def digest(raw: bytes) -> str:
    return parse(raw).content_digest


def test_redelivered_and_recoded_copies_have_one_content_digest():
    first = HEAD + "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {}\r\n\r\n{}"
    eight_bit = first.format("8bit", "APPROVE\r\n\r\nGrüße\r\n").encode()
    quoted = first.format("quoted-printable", "APPROVE\r\n\r\nGr=C3=BC=C3=9Fe\r\n").encode()
    assert (
        digest(eight_bit)
        == digest(b"Received: by x\r\nX-Moved: 1\r\n" + quoted)
        == digest(eight_bit.replace(b"\r\n", b"\n"))
    )


@pytest.mark.parametrize(
    "change", [("APPROVE", "REJECT"), ("a+x@", "a+y@"), ("ann@corp", "bob@corp"), ("<m@c>", "<n@c>")]
)
def test_other_content_has_another_digest(change):
    raw = plain("APPROVE\n")
    assert digest(raw) != digest(raw.replace(change[0].encode(), change[1].encode()))


def test_gateway_subject_tag_does_not_change_the_digest():
    raw = plain("APPROVE\n")
    assert digest(raw) == digest(raw.replace(b"Subject: Re: x", b"Subject: [EXTERNAL] Re: x"))


written = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=200)


@settings(deadline=None)
@given(written)
def test_a_quoted_request_below_any_text_makes_no_approval(text):
    alone = parse(plain(text)).answer
    quoted = parse(plain(f"{text}\n\nOn Mon, 2 Nov 2026 at 09:00, Agent <a@agent.example> wrote:\n{QM}")).answer
    assert quoted != "approve" or alone == "approve"


@settings(deadline=None)
@given(written)
def test_an_unmarked_quote_below_any_text_makes_no_approval(text):
    head = "From: Agent <a@agent.example>\nSent: Monday\nTo: Ann\nSubject: x"
    quoted = parse(plain(f"{text}\n\n{head}\n\n{Q}\n\nAPPROVE")).answer
    assert quoted != "approve" or parse(plain(text)).answer == "approve"


@settings(deadline=None)
@given(st.sampled_from(["APPROVE", "Genehmigt", "同意", "મંજૂર"]), written.filter(str.strip))
def test_anything_else_on_the_line_makes_no_approval(word, text):
    keywords = keywords_for(LANGUAGES).answers
    line = " ".join(f"{word} x{text}".split())
    assert parse(plain(line + "\n")).answer != "approve" or line.casefold() in keywords


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_make_it_raise(junk):
    for raw in (junk, HEAD.encode() + junk, html("").replace(b"\r\n\r\n", b"\r\n\r\n" + junk, 1)):
        assert parse(raw).size == len(raw)


@settings(deadline=None)
@given(written, written)
def test_disagreeing_alternatives_make_no_approval(text, rich):
    answers = {parse(plain(text)).answer, parse(html(f"<p>{rich}</p>")).answer}
    assert parse(alt(text, f"<p>{rich}</p>")).answer != "approve" or answers <= {"approve", "unclear"}


@pytest.mark.parametrize(
    "body",
    [
        b"-" * 250_000, (b"-" * 900 + b"\r\n") * 280, b"From: x@y.example\r\n" * 13_000, b"> x\r\n" * 40_000, b">" * 250_000,
        b"-----BEGIN PGP SIGNED MESSAGE-----\r\n" * 7000, b"On Mon 2 Nov 2026 at 09:00 x@y.example\r\n" * 6000,
        b"APPROVE?\r\n" + b"but " * 60_000, b"Ref: abcd " * 25_000, b"boundary=x\r\n" * 20_000,
    ],
)  # fmt: skip
def test_hostile_text_is_read_in_bounded_time(body):
    assert parse(plain("") + body).answer == "unclear"


@pytest.mark.parametrize(
    "piece", ["<div>", "<", "<!--", "<p style='color:white'>x</p>", "<style>.a{display:none}</style>"]
)
def test_hostile_html_is_read_in_bounded_time(piece):
    assert parse(html(piece * (400_000 // len(piece)))).answer == "unclear"


@pytest.mark.parametrize("value", ["<a@b>," * 4000, "(" * 30_000, '"a" ' * 7000, "a" * 30_000, "=?utf-8?q?a?= " * 2000])
@pytest.mark.parametrize("name", ["From", "To", "Subject", "References", "Message-ID"])
def test_hostile_headers_are_read_in_bounded_time(name, value):
    assert parse(f"{name}: {value}\r\n\r\nmaybe\r\n".encode()).answer == "unclear"


def test_a_condition_is_no_small_print_because_it_says_confidential():
    condition = "Please treat this as confidential, and order only 3 pieces instead of the 4 that were proposed."
    assert parse(plain(f"APPROVE\n\nThanks\n\n{condition}\n\n{QM}")).answer == "unclear"
