"""The rows of an erased run: pseudonyms for people, nothing where somebody wrote words, all else as it was."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, func, select, update

from ledger.pseudonyms import pseudonym
from ledger.schema import OPERATOR_ACTS, OUTBOX, RUNS
from ledger.schema_approval import BLOCKS, DECISIONS, EFFECTS, EVIDENCE, MAILS, REQUEST_MAILS, REQUESTS, VOTES
from wire.approval import ApprovalPlan, Judgement
from wire.task import TaskInput, TaskRequest

PEOPLE: dict[Table, tuple[str, ...]] = {
    RUNS: ("requester",),
    REQUEST_MAILS: ("person",),
    MAILS: ("person",),
    EVIDENCE: ("person",),
    DECISIONS: ("person", "principal"),
    VOTES: ("person", "principal"),
    BLOCKS: ("actor", "lifted_by"),
    OPERATOR_ACTS: ("actor",),
    EFFECTS: ("settled_by",),
}
"""Columns that hold person ids."""

WORDS: dict[Table, tuple[str, ...]] = {
    RUNS: ("detail", "summary"),
    REQUESTS: ("detail",),
    REQUEST_MAILS: ("address", "response"),
    MAILS: ("reason",),
    DECISIONS: ("reason",),
    BLOCKS: ("reason",),
    OPERATOR_ACTS: ("reason",),
}
"""Columns that hold what people, mail servers or agents wrote."""


def empty_tables(connection: Connection, run_id: str, key: str, at: datetime) -> None:
    """Rewrite every row of the run. The same person has the same pseudonym in all of them, and in the chain."""

    def hidden(person: str) -> str:
        return pseudonym(key, person)

    for table, columns in PEOPLE.items():
        for column in columns:
            _hide(connection, table.c[column], table.c.run_id == run_id, hidden)
    for table, columns in WORDS.items():
        connection.execute(update(table).where(table.c.run_id == run_id).values(dict.fromkeys(columns, "")))
    failed = (REQUEST_MAILS.c.run_id == run_id, REQUEST_MAILS.c.failure.is_not(None))
    connection.execute(update(REQUEST_MAILS).where(*failed).values(failure="erased"))
    connection.execute(update(MAILS).where(MAILS.c.run_id == run_id).values(message_id=None))
    said = {"payload": "{}", "error": None, "done_at": func.coalesce(OUTBOX.c.done_at, at)}
    connection.execute(update(OUTBOX).where(OUTBOX.c.run_id == run_id).values(said))
    _rewrite(connection, RUNS.c.task, RUNS.c.run_id == run_id, lambda text: _task(text, hidden))
    _rewrite(connection, RUNS.c.request, RUNS.c.run_id == run_id, lambda text: _request(text, hidden))
    _rewrite(connection, REQUESTS.c.plan, REQUESTS.c.run_id == run_id, lambda text: _plan(text, hidden))
    _rewrite(connection, MAILS.c.judgement, MAILS.c.run_id == run_id, lambda text: _judgement(text, hidden))


def _hide(
    connection: Connection, column: ColumnElement[Any], here: ColumnElement[bool], hidden: Callable[[str], str]
) -> None:
    known = connection.scalars(select(column).where(here, column.is_not(None), column != "").distinct()).all()
    for person in known:
        named = column == person
        connection.execute(update(column.table).where(here, named).values({column.key: hidden(person)}))


def _rewrite(
    connection: Connection, column: ColumnElement[Any], here: ColumnElement[bool], change: Callable[[str], str]
) -> None:
    for text in set(connection.scalars(select(column).where(here))):
        connection.execute(update(column.table).where(here, column == text).values({column.key: change(text)}))


def _task(text: str, hidden: Callable[[str], str]) -> str:
    task = TaskInput.model_validate_json(text)
    approvers = tuple(hidden(person) for person in task.approvers)
    people = {"requester": hidden(task.requester), "approvers": approvers}
    return task.model_copy(update={"goal": "", **people}).model_dump_json()


def _request(text: str, hidden: Callable[[str], str]) -> str:
    request = TaskRequest.model_validate_json(text)
    approvers = tuple(hidden(person) for person in request.approvers)
    people = {"requester": hidden(request.requester), "requester_source": "", "approvers": approvers}
    return request.model_copy(update={"goal": "", "key": None, **people}).model_dump_json()


def _plan(text: str, hidden: Callable[[str], str]) -> str:
    plan = ApprovalPlan.model_validate_json(text)
    seats = tuple(
        seat.model_copy(update={"person": hidden(seat.person), "name": "", "address": "", "token": ""})
        for seat in plan.approvers
    )
    return plan.model_copy(update={"approvers": seats}).model_dump_json()


def _judgement(text: str, hidden: Callable[[str], str]) -> str:
    judged = Judgement.model_validate_json(text)
    person = None if judged.person is None else hidden(judged.person)
    return judged.model_copy(update={"person": person, "reason": "", "noted": ()}).model_dump_json()
