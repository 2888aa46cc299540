"""Runs: registered once, claimed by one Temporal execution, closed once."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from ledger import audit
from ledger.blocking import halt_run, read_blocks
from ledger.content import put_model
from ledger.errors import EpochMismatch, ForeignExecution, KeyReused, RunClosed, RunUnknown
from ledger.records import RunRow
from ledger.schema import META, RUNS
from ledger.text import storable
from ledger.transactions import Store
from wire.task import FINAL_STATES, RunState, TaskInput, TaskRequest

# Built once: every activity executes them, and building a statement costs more than executing it.
_OF_RUN = RUNS.c.run_id == bindparam("run")
_RUN = select(RUNS).where(_OF_RUN)
_STATE = select(RUNS.c.state, RUNS.c.detail).where(_OF_RUN)
_ENTER = (
    update(RUNS).where(_OF_RUN).values(state=bindparam("to"), detail=bindparam("said"), state_at=bindparam("since"))
)


def run_row(row: Row[tuple[object, ...]]) -> RunRow:
    """The row as a value."""
    fields = dict(row._mapping)
    fields["task"] = TaskInput.model_validate_json(row.task)
    fields["request"] = TaskRequest.model_validate_json(row.request)
    fields["events"], fields["head"] = fields.pop("audit_seq"), fields.pop("audit_hash")
    fields = {name: held for name, held in fields.items() if name in RunRow.model_fields}
    return RunRow.model_validate(fields)


def read_run(connection: Connection, run_id: str) -> RunRow:
    """The run. Raises RunUnknown."""
    row = connection.execute(_RUN, {"run": run_id}).one_or_none()
    if row is None:
        raise RunUnknown(run_id)
    return run_row(row)


def require_open(connection: Connection, run_id: str) -> None:
    """Raise RunUnknown or RunClosed unless the run takes entries."""
    _open_state(connection, run_id)


def _open_state(connection: Connection, run_id: str) -> tuple[str, str]:
    row = connection.execute(_STATE, {"run": run_id}).one_or_none()
    if row is None:
        raise RunUnknown(run_id)
    if row.state in FINAL_STATES:
        raise RunClosed(run_id, row.state)
    return row.state, row.detail


def enter_state(connection: Connection, run_id: str, state: RunState, detail: str, at: datetime) -> None:
    """``Runs.set_state`` inside the transaction that brings the state about."""
    before = _open_state(connection, run_id)
    if before[0] == RunState.HALTED and _is_halted(connection, run_id):
        return
    if before == (state, storable(detail)):
        return
    connection.execute(_ENTER, {"run": run_id, "to": state.value, "said": storable(detail), "since": at})
    audit.append(connection, run_id, "state_changed", at, {"state": state.value, "detail": storable(detail)})


def _is_halted(connection: Connection, run_id: str) -> bool:
    return any(block.step is None and block.kind != "cancel" for block in read_blocks(connection, run_id))


class Runs(Store):
    """The life of a run."""

    @property
    def epoch(self) -> str:
        """The random epoch of this ledger; mail ids and runs name it."""
        with self.reading() as connection:
            return str(connection.scalars(select(META.c.epoch)).one())

    def register_run(
        self, task: TaskInput, request: TaskRequest, task_key_digest: str, request_digest: str, at: datetime
    ) -> RunRow:
        """Register a run once. The same run again, open or closed, is returned as it stands. Raises KeyReused."""
        run_id = task.run_id
        with self.writing(across_runs=True) as connection:
            known = connection.execute(select(RUNS).where(RUNS.c.run_id == run_id)).one_or_none()
            if known is not None:
                if known.request_digest != request_digest:
                    raise KeyReused(run_id)
                return run_row(known)
            digests = {"task_key_digest": task_key_digest, "request_digest": request_digest}
            _insert_run(connection, task, request, digests, self.random_key(), at)
            named = {"task": put_model(connection, task, at), "request": put_model(connection, request, at)}
            payload = {"request_digest": request_digest, "policy_version": task.policy_version, "brain": task.brain}
            payload |= {"graph_hash": task.graph_hash, "requester": request.requester, "epoch": task.ledger_epoch}
            payload |= {"requester_source": request.requester_source}
            audit.append(connection, run_id, "run_registered", at, payload, named)
            return read_run(connection, run_id)

    def claim_execution(self, run_id: str, temporal_run_id: str, epoch: str | None, at: datetime) -> RunRow:
        """Bind the run to its first Temporal execution; its row. Any other, or another ledger epoch, halts the run and raises.

        ``epoch`` None stands for the one that the run was registered with.
        """
        with self.reading() as connection:
            run = read_run(connection, run_id)
            known_epoch = str(connection.scalars(select(META.c.epoch)).one())
        epoch = epoch or run.task.ledger_epoch
        if run.temporal_run_id == temporal_run_id and epoch == known_epoch:
            return run
        with self.writing(run_id, alone=True) as connection:
            fault = _claim(connection, run_id, temporal_run_id, epoch, known_epoch, at)
            run = read_run(connection, run_id)
        if fault is not None:
            raise fault
        return run

    def set_state(self, run_id: str, state: RunState, detail: str, at: datetime) -> None:
        """Record where an open run stands. A run stays halted until it is released, whatever its activities say."""
        with self.writing(run_id) as connection:
            enter_state(connection, run_id, state, detail, at)

    def close(self, run_id: str, state: RunState, summary: str, at: datetime) -> RunRow:
        """End the run in a final state. Closing it again in the same state changes nothing; in another raises RunClosed."""
        if state not in FINAL_STATES:
            raise ValueError(f"{state} is no final state")
        with self.writing(run_id) as connection:
            run = read_run(connection, run_id)
            if run.state in FINAL_STATES:
                if run.state is not state:
                    raise RunClosed(run_id, run.state)
                return run
            values = {"state": state.value, "summary": storable(summary, 5000), "state_at": at, "closed_at": at}
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(**values))
            audit.append(
                connection, run_id, "run_closed", at, {"state": state.value, "summary": storable(summary, 5000)}
            )
            return read_run(connection, run_id)

    def run(self, run_id: str) -> RunRow:
        """The run. Raises RunUnknown."""
        with self.reading() as connection:
            return read_run(connection, run_id)

    def runs(self, states: Collection[RunState] = (), limit: int = 100) -> tuple[RunRow, ...]:
        """The newest runs, of these states only when any are given."""
        query = select(RUNS).order_by(RUNS.c.registered_at.desc(), RUNS.c.run_id).limit(limit)
        if states:
            query = query.where(RUNS.c.state.in_([state.value for state in states]))
        with self.reading() as connection:
            return tuple(run_row(row) for row in connection.execute(query))

    def runs_beginning(self, prefix: str, limit: int = 20) -> tuple[RunRow, ...]:
        """Runs whose id begins so, by id."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        query = select(RUNS).where(RUNS.c.run_id >= prefix, RUNS.c.run_id < end).order_by(RUNS.c.run_id).limit(limit)
        with self.reading() as connection:
            return tuple(run_row(row) for row in connection.execute(query))


def _insert_run(
    connection: Connection,
    task: TaskInput,
    request: TaskRequest,
    digests: dict[str, str],
    trail_key: str,
    at: datetime,
) -> None:
    connection.execute(
        insert(RUNS).values(
            run_id=task.run_id,
            **digests,
            trail_key=trail_key,
            policy_version=task.policy_version,
            task=task.model_dump_json(),
            request=request.model_dump_json(),
            requester=request.requester,
            state=RunState.RETRIEVING.value,
            detail="",
            summary="",
            registered_at=at,
            state_at=at,
            audit_seq=0,
            audit_hash=audit.GENESIS,
        )
    )


def _claim(
    connection: Connection, run_id: str, temporal_run_id: str, epoch: str, known_epoch: str, at: datetime
) -> EpochMismatch | ForeignExecution | None:
    run = read_run(connection, run_id)
    if epoch != known_epoch:
        halt_run(connection, run_id, "epoch_mismatch", f"started on ledger epoch {epoch}", at)
        return EpochMismatch(run_id, epoch, known_epoch)
    if run.temporal_run_id is None:
        connection.execute(update(RUNS).where(RUNS.c.run_id == run_id).values(temporal_run_id=temporal_run_id))
        audit.append(connection, run_id, "execution_claimed", at, {"temporal_run_id": temporal_run_id})
    elif run.temporal_run_id != temporal_run_id:
        reason = f"execution {temporal_run_id} tried to continue it"
        if not halt_run(connection, run_id, "foreign_execution", reason, at) and run.erased_at is None:
            audit.append(connection, run_id, "foreign_execution", at, {"reason": reason, "state": run.state.value})
        return ForeignExecution(run_id, run.temporal_run_id, temporal_run_id)
    return None
