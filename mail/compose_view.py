"""MailContent -> View: what stands in each kind of mail, business content first. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mail.cleaning import clean_label, clean_line, clean_lines
from mail.compose_subject import ASKING, NAMES, answer_url, subject_of
from mail.compose_tables import TableBlocks, table_blocks
from mail.errors import ComposeError
from mail.keywords import word_for
from mail.phrases import Phrases
from mail.view import Action, Actions, Block, Fact, Facts, Heading, Paragraph, Quoted, View
from wire.approval import Line, MailContent, MessageType


def view_of(content: MailContent) -> View:
    """The blocks of ``content``. Raises ComposeError when a field cannot be shown (an unknown time zone).

    What will happen, how much, until when and how to answer come first; why and for whom, long tables and the record follow.
    """
    phrases = Phrases(content.language)
    asking = content.message_type in ASKING
    title = clean_line(content.title, 200)
    blocks: list[Block] = [Paragraph(phrases(NAMES[content.message_type], title=title), strong=True)]
    if content.deadline is not None and asking:
        blocks.append(Paragraph(_deadline(content, phrases), strong=True))
    if content.note:
        blocks.append(Quoted(clean_lines(phrases.note(content.note))))
    evidence = content.message_type is MessageType.EVIDENCE_NOTIFICATION
    blocks += _words(content, phrases("said", brain=_brain(content))) if evidence else []
    tables = [table_blocks(table, phrases) for table in content.tables]
    blocks += _business(content, phrases, tables)
    blocks += _answer(content, phrases) if asking else [Paragraph(phrases("no_answer"))]
    blocks += [] if evidence else _words(content, phrases("reason", brain=_brain(content)))
    blocks += [*_background(content, phrases), *(block for table in tables for block in table.whole)]
    blocks += [Heading(phrases("record")), Facts(_record(content, phrases), record=True)]
    ref = _own(content.ref, 100) if asking else ""
    return View(phrases.language, subject_of(content, phrases), title, blocks, ref)


def _business(content: MailContent, phrases: Phrases, tables: Sequence[TableBlocks]) -> list[Block]:
    blocks: list[Block] = []
    if content.differences:
        blocks += [Heading(phrases("differences")), Facts(_facts(content.differences))]
    if content.lines or content.tables:
        blocks.append(Heading(phrases("content" if content.message_type in ASKING else "content_notice")))
    if content.lines:
        blocks.append(Facts(_facts(content.lines)))
    blocks += [block for table in tables for block in table.shown]
    if content.masked:
        blocks.append(Paragraph(phrases("masked", masks=", ".join(clean_line(name, 60) for name in content.masked))))
    if content.undecided:
        blocks += [Heading(phrases("undecided")), Quoted([clean_line(item) for item in content.undecided])]
    return blocks


def _words(content: MailContent, heading: str) -> list[Block]:
    """What the agent has written, under a heading that says so."""
    return [Heading(heading), Quoted(clean_lines(content.reason))] if content.reason else []


def _brain(content: MailContent) -> str:
    return clean_line(content.brain, 100) or "-"


def _background(content: MailContent, phrases: Phrases) -> list[Block]:
    blocks: list[Block] = []
    if content.summary:
        blocks += [Heading(phrases("wanted")), Quoted(clean_lines(content.summary))]
    if content.requester:
        blocks.append(Facts([Fact(phrases("requester"), clean_line(content.requester, 200))]))
    return blocks


def _answer(content: MailContent, phrases: Phrases) -> list[Block]:
    approve, reject = word_for("approve", "en"), word_for("reject", "en")
    blocks: list[Block] = [
        Heading(phrases("answer")),
        Paragraph(phrases("instruction", approve=approve, reject=reject), strong=True),
    ]
    if content.own_word and content.language != "en" and word_for("approve", content.language) != approve:
        words = {"approve": word_for("approve", content.language), "reject": word_for("reject", content.language)}
        blocks.append(Paragraph(phrases("instruction_also", **words)))
    actions = [
        Action(phrases("yes", approve=approve), answer_url(content, approve)),
        Action(phrases("no", reject=reject), answer_url(content, reject)),
    ]
    return [*blocks, Actions(actions), Paragraph(phrases("no_link"))]


def _facts(lines: tuple[Line, ...]) -> list[Fact]:
    return [
        Fact(
            clean_label(line.label) or "-",
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
    return [Fact(fact.label, _own(fact.value, 300)) for fact in shown] + _facts(content.technical)


def _own(value: str, limit: int) -> str:
    """Ids of ours, whatever they look like, as they stand in our headers."""
    return "".join(char for char in value if " " <= char <= "~")[:limit]


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
