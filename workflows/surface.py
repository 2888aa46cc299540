"""What an operator sees of a run in the Temporal UI: search attributes and current details."""

from datetime import datetime
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributeUpdate

from wire.approval import SentRequest
from wire.task import RunState

RUN_STATE = SearchAttributeKey.for_keyword("RunState")
STEP = SearchAttributeKey.for_int("Step")
REVIEW = SearchAttributeKey.for_int("Review")
DEADLINE = SearchAttributeKey.for_datetime("Deadline")
POLICY_VERSION = SearchAttributeKey.for_keyword("PolicyVersion")
APPROVER_TOKEN = SearchAttributeKey.for_keyword("ApproverToken")

PASSING = frozenset({RunState.RETRIEVING, RunState.VALIDATING})
"""States that nobody can search for before they are over: they stand in the details, not in the search attributes."""


class Surface:
    """Keeps search attributes and details in step with the run; writes only what changed."""

    def __init__(self, run_id: str, goal: str) -> None:
        self.run_id = run_id
        self._head = f"**Goal** {goal}"
        self._log: list[str] = []
        self.state = RunState.RETRIEVING
        self.step = 0
        self._indexed: tuple[RunState, int] = (self.state, self.step)

    def show(self, state: RunState, line: str, *, step: int | None = None, sent: SentRequest | None = None) -> None:
        """Move to ``state`` and say in one line what the run is doing."""
        self.state = state
        self.step = self.step if step is None else step
        if state not in PASSING and (updates := [*self._moved(), *_asked(sent)]):
            workflow.upsert_search_attributes(updates)
        self._log.append(f"- {line}")
        details = "\n".join([self._head, f"**State** {state.value} · step {self.step}", "", *self._log[-20:]])
        workflow.set_current_details(details)

    def _moved(self) -> list[SearchAttributeUpdate[Any]]:
        """What the server does not know yet of state and step. A new step alone waits for the next state."""
        state, step = self._indexed
        if state is self.state:
            return []
        self._indexed = (self.state, self.step)
        moved: list[SearchAttributeUpdate[Any]] = [RUN_STATE.value_set(self.state.value)]
        return moved if step == self.step else [*moved, STEP.value_set(self.step)]


def _asked(sent: SentRequest | None) -> list[SearchAttributeUpdate[Any]]:
    if sent is None:
        return []
    updates: list[SearchAttributeUpdate[Any]] = [REVIEW.value_set(sent.review)]
    updates.append(APPROVER_TOKEN.value_set(" ".join(sent.approver_tokens)))
    return [*updates, DEADLINE.value_set(sent.deadline)] if isinstance(sent.deadline, datetime) else updates
