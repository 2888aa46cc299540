"""Which mails are read whole, by their header sections and one question to the ledger."""

from collections.abc import Collection

import pytest

from mail.heads import Head, read_head, worth_reading

OWN = ("approvals@agent.example",)


def head(*lines: str) -> Head:
    return read_head("\r\n".join(lines).encode(), OWN, 100)


@pytest.mark.parametrize(
    "lines",
    [
        ["To: Approvals <approvals+unknown@agent.example>"],
        ["Cc: x@corp.example, APPROVALS+r-1@agent.example"],
        ["To: approvals@agent.example", "Subject: Re: [Approval r-1/2] Post"],
        ["Delivered-To: approvals@agent.example", "Content-Type: multipart/report; report-type=delivery-status"],
        ["X-Original-To: approvals@agent.example", "Return-Path: <>"],
        ["To: approvals@agent.example", "From: Mailer-Daemon@mx.example"],
        ["To: approvals@agent.example", "X-Failed-Recipients: ann@corp.example"],
    ],
)
def test_mail_to_us_that_may_hold_an_id_is_read_whatever_it_names(lines: list[str]) -> None:
    assert head(*lines).worth_reading


@pytest.mark.parametrize(
    "lines",
    [
        ["To: approvals@agent.example", "Subject: lunch?", "References: <1@x.example> <2@x.example>"],
        ["To: other@corp.example", "Subject: Re: [approval r-1/2] Post"],
        ["To: other+tag@corp.example", "Return-Path: <>"],
        ["Subject: nothing"],
        [],
    ],
)
def test_strangers_mail_is_not_read(lines: list[str]) -> None:
    assert not head(*lines).worth_reading


def test_the_ledger_is_asked_once_for_all_and_only_about_what_is_open() -> None:
    asked: list[tuple[set[str], set[str]]] = []

    def ours_among(ids: Collection[str], addresses: Collection[str]) -> set[str]:
        asked.append((set(ids), set(addresses)))
        return {"ours@agent.example", "old+ref@agent.example"}

    heads = [
        head("In-Reply-To: <ours@agent.example>"),
        head("References: <other@x.example>"),
        head("Cc: old+ref@agent.example"),
        head("To: approvals+any@agent.example", "In-Reply-To: <known@x.example>"),
        head("To: nobody@x.example"),
    ]
    assert worth_reading(heads, ours_among) == [True, False, True, True, False]
    assert asked == [({"ours@agent.example", "other@x.example"}, {"old+ref@agent.example"})]


def test_nothing_is_asked_about_mail_that_names_nothing() -> None:
    assert worth_reading([head("To: nobody@x.example")], lambda ids, addresses: pytest.fail("asked")) == [False]
