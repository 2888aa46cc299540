"""Mail that no person wrote: vacation notes, receipts, invitations, bounces, reactions, our own mail."""

from collections.abc import Iterator

from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.message import ADDRESS, ASKED_ID, AUTHENTIC, Body, Head, content, message, multipart, part
from evaluation.reply_matrix.words import Words, languages

SUBJECT = "[approval r-7f3a/2] Post 4 x P-100"
HEADERS = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated",
    "Auto-Submitted: auto-notified; owner-email=ann@corp.example",
    "Auto-Submitted: (vacation) auto-replied",
    "auto-submitted: AUTO-REPLIED",
    "X-Autoreply: yes",
    "X-Autorespond: ann",
    "X-Auto-Reply: yes",
    "X-Autoreply-From: ann@corp.example",
    "X-Autoresponder: on",
    "X-AutoReply-Reason: vacation",
    "X-Mail-Autoreply: vacation",
    "X-POST-MessageClass: 9; Autoresponder",
    "X-Auto-Response-Suppress: All\r\nAuto-Submitted: auto-generated",
    "Precedence: auto_reply",
    "Precedence: bulk",
    "Precedence: junk",
    "Preference: auto_reply",
    "Delivered-To: Autoresponder",
    "X-Vacation: yes",
    "X-Notes-AutoReply: 1\r\nAuto-Submitted: auto-replied",
    "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent",
    "X-MS-Exchange-Inbox-Rules-Loop: ann@corp.example\r\nAuto-Submitted: auto-generated",
    "X-FC-MachineGenerated: true",
    "X-Amazon-Auto-Reply: true",
    "X-Freemail-Autoresponder: yes\r\nAuto-Submitted: auto-replied",
    "X-Yahoo-Vacation: yes\r\nPrecedence: bulk",
    "X-Gm-Vacation: 1\r\nPrecedence: bulk",
)
BOUNCERS = (
    "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
    "Mail Delivery System <MAILER-DAEMON@mx.corp.example>",
    "postmaster@corp.example",
    "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@corp.example>",
    "Mail Administrator <Postmaster@corp.example>",
)


def automatic() -> Iterator[Case]:
    """Everything automatic, in every language where the language matters."""
    for words in languages():
        yield from _vacations(words)
        yield _case(
            f"reaction-gmail-{words.language}",
            message(Head(f"rg-{words.language}"), _reaction(words)),
            ("unclear", "ignored"),
        )
        outlook = Body(f"{words.reaction}\n\n👍\n\n> {words.approve[0]}")
        name = f"reaction-outlook-{words.language}"
        raw = message(Head(name, subject=f"[👍] Ann: {SUBJECT}"), outlook)
        yield _case(name, raw, ("unclear", "ignored"))
    for number, line in enumerate(HEADERS):
        raw = message(Head(f"auto-{number}", extra=(line,)), Body("APPROVE\n"))
        yield _case(f"auto-header-{number}", raw, ("ignored",), line)
    yield from _reports()
    yield from _invitations()
    yield from _own()


def _case(name: str, raw: bytes, want: tuple[str, ...], shows: str = "") -> Case:
    return Case(name, "non-approval", raw, want, shows or name)


def _vacations(words: Words) -> Iterator[Case]:
    for number, subject in enumerate(words.vacation):
        name = f"away-{words.language}-{number}"
        head = Head(name, subject=subject.replace("{S}", SUBJECT))
        yield _case(name, message(head, Body(f"{words.approve[0]}\n\n{words.away}")), ("ignored",), subject)
    name = f"away-{words.language}-3834"
    head = Head(name, extra=("Auto-Submitted: auto-replied",))
    yield _case(name, message(head, Body(f"{words.approve[0]}\n\n{words.away}")), ("ignored",), "RFC 3834")


def _reaction(words: Words) -> Body:
    return Body(f"👍\n\n{words.reaction}", f"<div><p>👍</p><p>{words.reaction}</p></div>")


def _reports() -> Iterator[Case]:
    for number, sender in enumerate(BOUNCERS):
        name = f"bounce-{number}"
        head = Head(
            name, sender=sender, subject="Undelivered Mail Returned to Sender", extra=("Auto-Submitted: auto-replied",)
        )
        yield _case(name, _report(head, "delivery-status", "failed"), ("ignored",), sender)
        bare = Head(f"{name}-bare", sender=sender, subject="Delivery Status Notification (Failure)")
        text = f"Delivery failed permanently:\n\n  ann@corp.example\n\nMessage-ID: {ASKED_ID}\n\nAPPROVE\n"
        yield _case(f"{name}-bare", message(bare, Body(text)), ("ignored",), "bounce without a report")
    for action in ("delayed", "delivered", "relayed", "expanded"):
        head = Head(f"dsn-{action}", sender=BOUNCERS[1])
        yield _case(f"dsn-{action}", _report(head, "delivery-status", action), ("ignored",))
    for kind in ("displayed", "deleted"):
        head = Head(f"receipt-{kind}", subject=f"Read: {SUBJECT}")
        yield _case(f"receipt-{kind}", _report(head, "disposition-notification", kind), ("ignored",))
    head = Head("abuse", subject="FW: complaint")
    yield _case("abuse", _report(head, "feedback-report", "abuse"), ("ignored",))


def _report(head: Head, kind: str, action: str) -> bytes:
    recipient = "Final-Recipient: rfc822; ann@corp.example"
    fields = f"Reporting-MTA: dns; mx.corp.example\n\n{recipient}\nAction: {action}\nStatus: 5.1.1"
    if kind == "disposition-notification":
        how = f"Disposition: manual-action/MDN-sent-manually; {action}"
        fields = f"{recipient}\nOriginal-Message-ID: {ASKED_ID}\n{how}"
    returned = (
        f"From: approvals@agent.example\nTo: ann@corp.example\nReply-To: {ADDRESS}\nMessage-ID: {ASKED_ID}\n\nAPPROVE"
    )
    parts = [part("text/plain", "APPROVE"), part(f"message/{kind}", fields), part("text/rfc822-headers", returned)]
    return head.raw() + multipart("report", parts, "=_report", f" report-type={kind};")


def _invitations() -> Iterator[Case]:
    for answer, subject in (("ACCEPTED", "Accepted"), ("TENTATIVE", "Tentative"), ("DECLINED", "Declined")):
        attendee = f"ATTENDEE;PARTSTAT={answer}:mailto:ann@corp.example"
        event = f"BEGIN:VCALENDAR\nMETHOD:REPLY\nBEGIN:VEVENT\nUID:1\n{attendee}\nEND:VEVENT\nEND:VCALENDAR"
        for layout in ("mixed", "alternative"):
            name = f"calendar-{answer.lower()}-{layout}"
            parts = [part("text/plain", "APPROVE"), part("text/calendar; method=REPLY; charset=utf-8", event)]
            raw = Head(name, subject=f"{subject}: {SUBJECT}").raw() + multipart(layout, parts, "=_cal")
            yield _case(name, raw, ("ignored",))
        name = f"calendar-{answer.lower()}-alone"
        yield _case(name, Head(name).raw() + part("text/calendar; method=REPLY", event), ("ignored",))


def _own() -> Iterator[Case]:
    for name, sender in (("own", "approvals@agent.example"), ("own-plus", f"Countersign <{ADDRESS}>")):
        ours = AUTHENTIC.replace("corp.example", "agent.example")
        yield _case(name, message(Head(name, sender=sender, results=(ours,)), Body("APPROVE\n")), ("ignored",))
    raw = Head("copy").raw().replace(b"<copy@corp.example>", ASKED_ID.encode()) + content(Body("APPROVE\n"))
    yield _case("own-message-id", raw, ("ignored", "refused"))
