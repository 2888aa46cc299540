"""MailContent -> View: what stands in each kind of mail, business content first. Pure."""

from datetime import datetime, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mail.cleaning import clean_line, clean_lines
from mail.errors import ComposeError
from mail.keywords import word_for
from mail.phrases import Phrases
from mail.view import Action, Actions, Block, Fact, Facts, Grid, Heading, Paragraph, Quoted, View
from wire.approval import Line, MailContent, MessageType

NAMES = {
    MessageType.APPROVAL_REQUEST: "request",
    MessageType.APPROVAL_REMINDER: "reminder",
    MessageType.FRESH_REVIEW_REQUEST: "fresh",
    MessageType.CLARIFICATION_REQUEST: "clarification",
    MessageType.WITHDRAWAL_NOTICE: "withdrawal",
    MessageType.REFUSAL_NOTICE: "refusal",
    MessageType.ESCALATION_NOTICE: "escalation",
    MessageType.EVIDENCE_NOTIFICATION: "evidence",
    MessageType.OPERATOR_ALERT: "alert",
}
ASKING = frozenset(
    {
        MessageType.APPROVAL_REQUEST,
        MessageType.APPROVAL_REMINDER,
        MessageType.FRESH_REVIEW_REQUEST,
        MessageType.CLARIFICATION_REQUEST,
        MessageType.ESCALATION_NOTICE,
    }
)


def view_of(content: MailContent) -> View:
    """The blocks of ``content``. Raises ComposeError when a field cannot be shown (an unknown time zone)."""
    phrases = Phrases(content.language)
    title = clean_line(content.title, 200)
    blocks: list[Block] = [Paragraph(phrases(NAMES[content.message_type], title=title), strong=True)]
    if content.note:
        blocks.append(Quoted(clean_lines(content.note)))
    if content.deadline is not None and content.message_type in ASKING:
        blocks.append(Paragraph(_deadline(content, phrases), strong=True))
    blocks += [*_business(content, phrases), *_background(content, phrases)]
    blocks += _answer(content, phrases) if content.message_type in ASKING else [Paragraph(phrases("no_answer"))]
    blocks += [Heading(phrases("record")), Facts(_record(content, phrases))]
    ref = clean_line(content.ref, 100) if content.message_type in ASKING else ""
    return View(phrases.language, _subject(content, phrases, title), title, blocks, ref)


def _subject(content: MailContent, phrases: Phrases, title: str) -> str:
    """``[Approval run-abcdef/2] …``: the mark for the reader of a long list; never an id (design.md section 4)."""
    where = (
        f"{clean_line(content.run_id, 40)[:10]}/{content.step}" if content.step else clean_line(content.run_id, 40)[:10]
    )
    name = NAMES[content.message_type]
    tag = "" if name == "request" else phrases(f"tag_{name}")
    return f"[Approval {where}] {tag}{clean_line(title, 120)}"


def _business(content: MailContent, phrases: Phrases) -> list[Block]:
    blocks: list[Block] = []
    if content.differences:
        blocks += [Heading(phrases("differences")), Facts(_facts(content.differences))]
    if content.lines or content.tables:
        blocks.append(Heading(phrases("content" if content.message_type in ASKING else "content_notice")))
    if content.lines:
        blocks.append(Facts(_facts(content.lines)))
    for table in content.tables:
        rows = [[clean_line(cell, 300) for cell in row] for row in table.rows]
        blocks.append(Grid(clean_line(table.title, 200), [clean_line(column, 100) for column in table.columns], rows))
    if content.undecided:
        blocks += [Heading(phrases("undecided")), Quoted([clean_line(item) for item in content.undecided])]
    return blocks


def _background(content: MailContent, phrases: Phrases) -> list[Block]:
    blocks: list[Block] = []
    if content.summary:
        blocks += [Heading(phrases("wanted")), Quoted(clean_lines(content.summary))]
    if content.requester:
        blocks.append(Facts([Fact(phrases("requester"), clean_line(content.requester, 200))]))
    if content.reason:
        brain = clean_line(content.brain, 100) or "-"
        blocks += [Heading(phrases("reason", brain=brain)), Quoted(clean_lines(content.reason))]
    return blocks


def _answer(content: MailContent, phrases: Phrases) -> list[Block]:
    approve, reject = word_for("approve", "en"), word_for("reject", "en")
    blocks: list[Block] = [
        Heading(phrases("answer")),
        Paragraph(phrases("instruction", approve=approve, reject=reject), strong=True),
    ]
    if content.language != "en" and word_for("approve", content.language) != approve:
        words = {"approve": word_for("approve", content.language), "reject": word_for("reject", content.language)}
        blocks.append(Paragraph(phrases("instruction_also", **words)))
    actions = [
        Action(phrases("yes", approve=approve), _mailto(content, approve)),
        Action(phrases("no", reject=reject), _mailto(content, reject)),
    ]
    return [*blocks, Actions(actions), Paragraph(phrases("no_link"))]


def _mailto(content: MailContent, word: str) -> str:
    """RFC 6068: a reply with the word and the ref filled in; the mail program threads it by In-Reply-To where it can."""
    body = f"{word}\r\n\r\nRef: {content.ref}\r\n"
    subject = f"Re: [Approval {clean_line(content.run_id, 40)[:10]}/{content.step}]"
    fields = {"subject": subject, "In-Reply-To": f"<{content.message_id}>", "body": body}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items())
    return f"mailto:{quote(content.reply_to, safe='@+')}?{query}"


def _facts(lines: tuple[Line, ...]) -> list[Fact]:
    return [
        Fact(
            clean_line(line.label, 100) or "-",
            clean_line(line.value),
            None if line.old is None else clean_line(line.old),
        )
        for line in lines
    ]


def _record(content: MailContent, phrases: Phrases) -> list[Fact]:
    facts = [
        Fact(phrases("run"), content.run_id),
        Fact(phrases("step"), str(content.step)),
        Fact(phrases("review"), str(content.review)),
        Fact(phrases("message_type"), content.message_type.value),
        Fact(phrases("policy_version"), content.policy_version),
        Fact(phrases("deadline_utc"), content.deadline.isoformat() if content.deadline else ""),
        Fact(phrases("digest"), content.call_digest),
    ]
    shown = [fact for fact in facts if fact.value and not (fact.value == "0" and not content.step)]
    return [Fact(fact.label, clean_line(fact.value, 300)) for fact in shown] + _facts(content.technical)


def _deadline(content: MailContent, phrases: Phrases) -> str:
    assert content.deadline is not None
    try:
        zone = ZoneInfo(content.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ComposeError(
            f"timezone {content.timezone!r} of {content.to_address}: unknown; use an IANA name"
        ) from error
    local = content.deadline.astimezone(zone)
    offset = local.strftime("%z")
    shown = f"{content.timezone}, UTC{offset[:3]}:{offset[3:5]}"
    words = _in_words(content.deadline - content.composed_at, phrases)
    return phrases("deadline", local=_date(local, phrases), zone=shown, words=words)


def _date(local: datetime, phrases: Phrases) -> str:
    return phrases(
        "date",
        weekday=phrases.items("weekdays")[local.weekday()],
        day=str(local.day),
        month=phrases.items("months")[local.month - 1],
        year=str(local.year),
        time=local.strftime("%H:%M:%S" if local.second else "%H:%M"),
    )


def _in_words(left: timedelta, phrases: Phrases) -> str:
    seconds = max(0, int(left.total_seconds()))
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1)):
        if seconds >= 2 * size or size == 1:
            return phrases("in_time", amount=phrases(unit, n=str(seconds // size)))
    raise AssertionError("unreachable: seconds always fit")
