"""Stands in for Temporal: drives the real workflows and activities on one event loop, under a clock of its own.

``temporalio.workflow`` finds its runtime on the running loop; this one offers what our workflows ask of it. Activities run in
line. What a run did before a snapshot is replayed from its recorded results, as Temporal replays a history.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal, ParamSpec, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, RetryState
from temporalio.testing import ActivityEnvironment

from workflows.agent_task import AgentTask
from workflows.stages import FINAL_ERRORS

P = ParamSpec("P")
T = TypeVar("T")
Activities = Mapping[str, Callable[[Any], Awaitable[Any]]]
RETRY_AFTER = timedelta(seconds=1)
MOST_TURNS = 20_000
MOST_ATTEMPTS = 60


class WorkerDied(Exception):
    """Raised by a part to say that the worker ended there: the activity is tried again, as Temporal would."""


class Stuck(Exception):
    """Raised when a history does not come to rest."""


class Inline(ThreadPoolExecutor):
    """Runs what is submitted at once, in the caller's thread."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """The outcome, already there."""
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)
        return done


@dataclass(frozen=True)
class Recorded:
    """One thing that happened to an execution: an activity's end, a signal, the begin or the end of a wait."""

    kind: Literal["activity", "signal", "waits", "woken"]
    at: datetime
    name: str = ""
    result: Any = None


@dataclass
class Waiting:
    """A wait of a workflow: for a condition, or for an instant."""

    holds: Callable[[], bool]
    until: datetime | None
    future: "asyncio.Future[None]"


@dataclass
class Execution:
    """One workflow execution. ``past`` is still to be replayed; ``log`` is what has happened to it; ``over``: it had ended."""

    flow: AgentTask
    environment: ActivityEnvironment
    past: deque[Recorded] = field(default_factory=deque)
    log: list[Recorded] = field(default_factory=list)
    at: datetime | None = None
    waiting: Waiting | None = None
    paused: int = 0
    task: "asyncio.Task[Any] | None" = None
    over: bool = False

    @property
    def ended(self) -> bool:
        """Whether it will never move again."""
        return self.over or (self.task is not None and self.task.done())

    def catch_up(self) -> Recorded | None:
        """Take the signals that came next in the past; what came after them, None when the past is over."""
        while self.past and self.past[0].kind == "signal":
            self.flow.decision(self.replay().result)
        return self.past[0] if self.past else None

    def replay(self) -> Recorded:
        """The next thing of the past."""
        self.at = self.past[0].at
        return self.past.popleft()

    @property
    def idle(self) -> bool:
        """Whether only an event, a timer or nothing at all can move it."""
        return self.paused > 0 or self.waiting is not None or self.ended


HERE: ContextVar[Execution] = ContextVar("execution")


def make_loop() -> asyncio.AbstractEventLoop:
    """A loop on which blocking work runs in line."""
    loop = asyncio.new_event_loop()
    loop.set_default_executor(Inline(max_workers=1))
    return loop


class Engine:
    """All executions of one history. Methods named ``workflow_…`` are what ``temporalio.workflow`` calls."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        activities: Activities,
        now: Callable[[], datetime],
        *,
        timers_first: bool,
    ) -> None:
        self._loop = loop
        self._activities = activities
        self._now = now
        self._timers_first = timers_first
        self._pauses: list[tuple[datetime, Execution, asyncio.Future[None]]] = []
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False
        self.executions: dict[str, Execution] = {}
        runtime: Any = self
        workflow._Runtime.set_on_loop(loop, runtime)

    def start(self, task: Any, run: str, past: Sequence[Recorded] = (), *, over: bool = False) -> None:
        """Begin an execution under ``run`` as its Temporal run id, after what happened to it before."""
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, workflow_run_id=run, workflow_id=task.run_id)
        execution = Execution(AgentTask(task), environment, deque(past), list(past), over=over)
        self.executions[task.run_id] = execution
        if not over:
            execution.task = self._loop.create_task(self._carry(execution, task))

    async def _carry(self, execution: Execution, task: Any) -> Any:
        HERE.set(execution)
        return await execution.flow.run(task)

    def signal(self, run_id: str, payload: Any) -> None:
        """Deliver a signal; one to a run that has ended is lost."""
        execution = self.executions[run_id]
        if not execution.ended:
            execution.log.append(Recorded("signal", self._now(), result=payload))
            execution.flow.decision(payload)

    def cancel(self, run_id: str) -> None:
        """Cancel the execution as Temporal does."""
        task = self.executions[run_id].task
        if task is not None:
            execution = self.executions[run_id]
            execution.waiting = None
            task.cancel()

    def settle(self) -> None:
        """Let everything run until nothing moves without an event or a later instant. Raises Stuck."""
        self._loop.run_until_complete(self._settle())

    async def _settle(self) -> None:
        for _ in range(MOST_TURNS):
            if all(execution.idle for execution in self.executions.values()) and not self._wake():
                return
            await asyncio.sleep(0)
        raise Stuck("the workflows do not come to rest")

    @property
    def resting(self) -> bool:
        """Whether every execution has ended or waits, so that its past says all: none is between two attempts."""
        return not self._pauses and all(execution.idle for execution in self.executions.values())

    def next_timer(self) -> datetime | None:
        """The next instant at which something moves by itself."""
        instants = [at for at, _, _ in self._pauses]
        waits = [e.waiting for e in self.executions.values() if e.waiting is not None]
        return min([*instants, *(w.until for w in waits if w.until is not None)], default=None)

    def close(self) -> None:
        """End all executions, whatever they wait for."""
        self._closed = True
        tasks = [e.task for e in self.executions.values() if e.task is not None]
        for task in (*tasks, *self._running):
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.gather(*tasks, *self._running, return_exceptions=True))

    def _wake(self) -> bool:
        woken = [self._woken(e, e.waiting) for e in self.executions.values() if e.waiting is not None]
        due = [pause for pause in self._pauses if pause[0] <= self._now()]
        for pause in due:
            self._pauses.remove(pause)
            pause[1].paused -= 1
            pause[2].set_result(None)
        return any(woken) or bool(due)

    def _woken(self, execution: Execution, waiting: Waiting) -> bool:
        due = waiting.until is not None and waiting.until <= self._now()
        holds = waiting.holds()
        if not due and not holds:
            return False
        execution.waiting = None
        woken = holds and not (due and self._timers_first)
        execution.log.append(Recorded("woken", self._now(), result=woken))
        if woken:
            waiting.future.set_result(None)
        else:
            waiting.future.set_exception(TimeoutError())
        return True

    # -- what temporalio.workflow asks of a runtime

    def workflow_time_ns(self) -> int:
        """The present instant, or that of the replayed past."""
        execution = HERE.get()
        at = execution.at if execution.past and execution.at is not None else self._now()
        return round(at.timestamp() * 1e6) * 1000

    def workflow_patch(self, _id: str, **_: Any) -> bool:
        """Every history here is a new one."""
        return True

    def workflow_all_handlers_finished(self) -> bool:
        """The one handler never waits."""
        return True

    def workflow_upsert_search_attributes(self, _attributes: Any, **_: Any) -> None:
        """Nobody searches here."""

    def workflow_set_current_details(self, _details: str) -> None:
        """Nobody looks here."""

    async def workflow_wait_condition(self, fn: Callable[[], bool], *, timeout: float | None = None, **_: Any) -> None:
        """Wait until ``fn`` holds; TimeoutError after ``timeout`` seconds."""
        execution = HERE.get()
        known = execution.catch_up()
        if fn():
            return
        at = self._now()
        if known is not None:
            at = execution.replay().at
            if execution.catch_up() is not None:
                if not execution.replay().result:
                    raise TimeoutError
                return
        else:
            execution.log.append(Recorded("waits", at))
        until = None if timeout is None else at + timedelta(seconds=timeout)
        execution.waiting = Waiting(fn, until, self._loop.create_future())
        await execution.waiting.future

    def workflow_start_activity(self, activity: Any, *args: Any, **_: Any) -> "asyncio.Task[Any]":
        """Run the activity of that name in line."""
        if self._closed:
            raise asyncio.CancelledError
        work: Coroutine[Any, Any, Any] = self._activity(HERE.get(), activity.__name__, args[0])
        task = self._loop.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _activity(self, execution: Execution, name: str, argument: Any) -> Any:
        if execution.catch_up() is not None:
            return _replayed(execution.replay(), name)
        for _attempt in range(MOST_ATTEMPTS):
            try:
                result = await execution.environment.run(self._activities[name], argument)
            except WorkerDied:
                continue
            except Exception as error:
                kind = error.type if isinstance(error, ApplicationError) else type(error).__name__
                if kind in FINAL_ERRORS or (isinstance(error, ApplicationError) and error.non_retryable):
                    failure = _failed(name, str(kind), error)
                    execution.log.append(Recorded("activity", self._now(), name, failure))
                    raise failure from error
                await self._pause(execution)
                continue
            execution.log.append(Recorded("activity", self._now(), name, result))
            return result
        raise Stuck(f"{name} was tried {MOST_ATTEMPTS} times")

    async def _pause(self, execution: Execution) -> None:
        pause: asyncio.Future[None] = self._loop.create_future()
        self._pauses.append((self._now() + RETRY_AFTER, execution, pause))
        execution.paused += 1
        await pause


def _replayed(known: Recorded, name: str) -> Any:
    if known.name != name:
        raise Stuck(f"replayed {known.kind} {known.name} where the workflow asks for {name}")
    if isinstance(known.result, ActivityError):
        raise known.result
    return known.result


def _failed(name: str, kind: str, error: Exception) -> ActivityError:
    failure = ActivityError(
        "activity failed", scheduled_event_id=0, started_event_id=0, identity="", activity_type=name, activity_id="",
        retry_state=RetryState.NON_RETRYABLE_FAILURE,
    )  # fmt: skip
    failure.__cause__ = ApplicationError(str(error), type=kind, non_retryable=True)
    return failure
