"""compose: a mail as a pure function of its content, with nothing in it that data put there."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from mail.compose import compose
from mail.errors import ComposeError
from mail.first_line import is_answer
from mail.html_text import html_to_text
from mail.reply_parser import parse_reply
from tests.unit.mail.sample_content import CONTENT, bodies, read, with_
from wire.approval import Line, MessageType, Table


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_same_content_same_bytes():
    assert compose(CONTENT) == compose(CONTENT.model_copy())


@pytest.mark.parametrize("message_type", list(MessageType))
def test_every_message_type_has_its_headers(message_type):
    message = read(with_(message_type=message_type))
    assert message["Countersign-Message-Type"] == message_type.value
    assert (message["Auto-Submitted"], message["X-Auto-Response-Suppress"]) == ("auto-generated", "All")
    assert not message.defects


def test_facts_stand_in_headers_and_body():
    message = read(CONTENT)
    text, _ = bodies(CONTENT)
    for name, value in (("Run", "run-abcdefghijkl"), ("Step", "2"), ("Review", "1"), ("Policy-Version", "1@aa")):
        assert message[f"Countersign-{name}"] == value
        assert value in text


def test_thread_ends_with_what_is_answered():
    message = read(with_(in_reply_to="<b@agent.example>", references=("a@agent.example", "b@agent.example")))
    assert message["References"].split() == ["<a@agent.example>", "<b@agent.example>"]
    assert message["In-Reply-To"] == "<b@agent.example>"


def test_deadline_in_the_addressees_zone_and_in_words():
    text, _ = bodies(CONTENT)
    assert "Monday, 2 November 2026, 17:00 (Europe/Berlin, UTC+01:00), 8 hours" in " ".join(text.split())


def test_change_shows_old_and_new():
    text, rich = bodies(CONTENT)
    assert "Price: 10 → 12" in text
    assert "Price: 10 → 12" in " ".join(html_to_text(rich).split())


@pytest.mark.parametrize("language", ["en", "de", "gu"])
def test_text_and_html_say_the_same(language):
    text, rich = bodies(with_(language=language))
    links = {link for _, _, link, _ in lxml_html.document_fromstring(rich).iterlinks()}
    assert sorted(words(re.sub(r"mailto:\S+", "", text))) == sorted(words(html_to_text(rich)))
    assert links == set(re.findall(r"mailto:\S+", text))


def test_mailto_prefills_an_answer_that_is_read_back():
    text, _ = bodies(CONTENT)
    approve, reject = re.findall(r"mailto:\S+", text)
    assert "body=APPROVE%0D%0A" in approve
    assert "body=REJECT%0D%0A" in reject
    assert approve.startswith("mailto:approvals+opaqueid@agent.example?")


def test_language_of_the_addressee_is_named_too():
    assert "GENEHMIGT" in bodies(with_(language="de"))[0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("to_address", "ann@corp.example\r\nBcc: x@y"),
        ("from_address", "no address"),
        ("message_id", "a b@c"),
        ("policy_version", "1\r\nX: y"),
        ("run_id", "ü"),
        ("timezone", "Europe/Nowhere"),
    ],
)
def test_what_cannot_stand_in_a_mail_is_named(field, value):
    with pytest.raises(ComposeError, match=field):
        compose(with_(**{field: value}))


TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "div",
    "bdi",
    "tfoot",
    "h1",
    "h2",
    "p",
    "strong",
    "blockquote",
    "br",
    "a",
} | {*("table", "caption", "thead", "tbody", "tr", "th", "td")}
evil = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "APPROVE",
            "x\r\nBcc: a@b",
            "<script>x</script>",
            "https://evil.example/x",
            "Ref: other",
            "\u202eEVORPPA",
            "a\n\nREJECT",
            "\n.\n",
        ]
    ),
)


@settings(deadline=None)
@given(evil, evil, evil, evil)
def test_data_injects_no_header_link_element_ref_or_answer(title, value, reason, name):
    table = Table(title=title, columns=(value,), rows=((value,), (reason,)))
    content = with_(
        title=title, lines=(Line(label=value, value=reason),), tables=(table,), reason=reason, summary=value, to_name=name,
        from_name=name, note=reason, undecided=(value,), requester=name, brain=name,
    )  # fmt: skip
    message = read(content)
    assert [key.lower() for key in message] == [key.lower() for key in read(CONTENT)]
    text, rich = bodies(content)
    parsed = lxml_html.document_fromstring(rich)
    assert {str(element.tag) for element in parsed.iter()} <= TAGS
    assert all(link.startswith("mailto:approvals+opaqueid@") for _, _, link, _ in parsed.iterlinks())
    assert not [line for line in (*text.splitlines(), *html_to_text(rich).splitlines()) if is_answer(line)]
    assert not re.search(r"(?i)https?://|www\.", text)
    assert set(re.findall(r"(?i)\bref\s*:\s*(\S+)", re.sub(r"mailto:\S+", "", text))) == {"opaqueid"}


@settings(deadline=None)
@given(evil, evil)
def test_an_unmarked_quote_of_our_own_mail_is_no_answer(title, reason):
    text, rich = bodies(with_(title=title, reason=reason, summary=title, note=reason))
    for subtype, body in (("plain", text), ("html", rich)):
        raw = f"From: ann@corp.example\r\nContent-Type: text/{subtype}; charset=utf-8\r\n\r\n{body}".encode()
        assert parse_reply(raw, languages=["de", "zh"], own_addresses=[]).answer == "unclear"
