"""The replies that a request offers to begin: whatever program makes a mail of them, it is the answer that it says."""

import re
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from evaluation.reply_world import Context, ReplyWorld, Request, Trust, make_policy
from ledger.judging import IncomingMail
from mail.authenticity import check_authenticity
from mail.keywords import languages_known
from mail.reply_parser import parse_reply
from tests.unit.mail.sample_content import AT, CONTENT, bodies, with_

HTML = '<html><body style="word-wrap: break-word">{}</body></html>'
CLIENTS = {
    "thunderbird": ("text/plain; charset=UTF-8; format=flowed", "{body}\r\n\r\n-- \r\nAnn Müller\r\nCorp AG\r\n", True),
    "mutt": ("text/plain; charset=us-ascii", "{body}", True),
    "ios": ("text/plain; charset=utf-8", "{body}\r\n\r\nSent from my iPhone", False),
    "gmail": ("text/html; charset=UTF-8", '<div dir="ltr">{divs}</div>', False),
    "apple mail": ("text/html; charset=utf-8", HTML.format("{brs}"), True),
    "outlook": ("text/html; charset=utf-8", HTML.format('<div class="WordSection1">{paragraphs}</div>'), False),
    "k-9": ("text/plain; charset=utf-8", "{body}\r\n-- \r\nVon meinem Gerät gesendet.", False),
}


def links(content=CONTENT) -> list[str]:
    return re.findall(r"mailto:\S+", bodies(content)[0])


def made_by(client: str, url: str) -> bytes:
    """What that program sends after a tap on ``url``; those that ignore the In-Reply-To of a link leave it out."""
    kind, shape, keeps_thread = CLIENTS[client]
    fields = dict(parse_qsl(urlsplit(url).query, strict_parsing=True))
    lines = fields["body"].split("\r\n")
    filled = {
        "body": fields["body"],
        "divs": "".join(f"<div>{line or '<br>'}</div>" for line in lines),
        "brs": "<br>".join(lines),
        "paragraphs": "".join(f'<p class="MsoNormal">{line or "<o:p>&nbsp;</o:p>"}</p>' for line in lines),
    }
    head = ["From: Ann <ann@corp.example>", f"To: {urlsplit(url).path}", "Subject: Re", "Message-ID: <m@corp.example>"]
    head += [f"In-Reply-To: {fields['In-Reply-To']}"] * keeps_thread
    return "\r\n".join([*head, f"Content-Type: {kind}", "", shape.format(**filled)]).encode()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("number", "answer"), [(0, "approve"), (1, "reject")])
def test_every_client_makes_an_answer_of_the_link(client, number, answer):
    parsed = parse_reply(made_by(client, links()[number]), languages=["en"], own_addresses=["approvals@agent.example"])
    assert (parsed.answer, parsed.answer_reason) == (answer, "the first written line is a keyword")
    assert "approvals+opaqueid@agent.example" in parsed.recipients
    assert parsed.body_refs == ("opaqueid",)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("number", "outcome"), [(0, "accepted"), (1, "rejected")])
def test_the_gates_take_it_as_the_approvers_answer(client, number, outcome, tmp_path):
    asked = Request(
        run_id=CONTENT.run_id, step=2, review=0, requester="rita@corp.example", approvers=("ann@corp.example",),
        address=CONTENT.reply_to, ref=CONTENT.ref, message_id=CONTENT.message_id, sent_at=AT, deadline=AT + timedelta(hours=8),
    )  # fmt: skip
    trust = Trust(authserv_id="mx.agent.example", mode="closed")
    context = Context(requests=(asked,), trust=trust, received_at=AT + timedelta(hours=1))
    raw = made_by(client, links(with_(review=0))[number])
    parsed = parse_reply(raw, languages=["en"], own_addresses=context.own_addresses())
    proof = check_authenticity(raw, trust.profile())
    mail = IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=context.received_at)
    with ReplyWorld(context, tmp_path).ledger() as ledger:
        judged = ledger.judge_batch([mail], make_policy(context, ()), mail.received_at)[0]
    assert judged.outcome == outcome, judged.reason


@pytest.mark.parametrize("language", languages_known())
def test_a_link_is_short_and_holds_nothing_that_a_program_could_read_otherwise(language):
    for title in ('Bestellung anlegen · Müller & Söhne; 50 % "x" <y> #1?', "મંજૂરી" * 40, "日本語" * 80, "😀" * 99):
        for url in links(with_(language=language, title=title, run_id="run-" + "a" * 60)):
            assert re.fullmatch(r"mailto:[\w.+@-]+\?subject=[\w.~%-]+&In-Reply-To=[\w.~%-]+&body=[\w.~%-]+", url)
            assert len(url) < 2000


def test_line_ends_are_those_of_rfc_6068():
    assert [url.partition("&body=")[2] for url in links()] == [
        "APPROVE%0D%0A%0D%0ARef%3A%20opaqueid%0D%0A",
        "REJECT%0D%0A%0D%0ARef%3A%20opaqueid%0D%0A",
    ]
