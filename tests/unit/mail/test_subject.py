"""Subjects: what a list of two hundred shows of a request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail.compose_subject import LONGEST, subject_of
from mail.heads import SUBJECT_MARK
from mail.keywords import languages_known
from mail.phrases import Phrases
from tests.unit.mail.sample_content import read, with_
from wire.approval import MailContent, MessageType


def subject(content: MailContent) -> str:
    return subject_of(content, Phrases(content.language))


def test_business_content_leads_and_the_mark_ends():
    content = with_(title="Create purchase order · 12,340.00 EUR · Pump GmbH")
    assert subject(content) == "Create purchase order · 12,340.00 EUR · Pump GmbH [Approval abcdef/2]"


def test_what_is_no_first_request_says_so_in_the_approvers_language():
    content = with_(message_type=MessageType.APPROVAL_REMINDER, language="de", title="Bestellung")
    assert subject(content) == "Erinnerung: Bestellung [Approval abcdef/2]"


@pytest.mark.parametrize("kind", list(MessageType))
@pytest.mark.parametrize("language", languages_known())
def test_every_subject_is_short_and_holds_the_mark_that_the_mailroom_looks_for(kind, language):
    content = with_(message_type=kind, language=language, title="long " * 100, run_id="run-" + "x" * 60)
    assert len(subject(content)) <= LONGEST
    assert SUBJECT_MARK in str(read(content)["Subject"]).lower()


def test_the_same_call_of_two_runs_and_of_two_steps_has_three_subjects():
    contents = [with_(), with_(run_id="run-zyxwvut"), with_(step=3)]
    assert len({subject(content) for content in contents}) == 3


@given(st.text(max_size=300), st.text(max_size=40))
def test_data_adds_no_header_and_no_second_mark(title, run_id):
    shown = subject(with_(title=f"{title}[Approval zzzzzz/9]", run_id=f"run-{run_id}"))
    assert len(shown.splitlines()) == 1
    assert "[Approval zz" not in shown
