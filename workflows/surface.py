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


class Surface:
    """Keeps search attributes and details in step with the run; writes only what changed."""

    def __init__(self, run_id: str, goal: str) -> None:
        self.run_id = run_id
        self._head = f"**Goal** {goal}"
        self._log: list[str] = []
        self.state = RunState.RETRIEVING
        self.step = 0

    def show(self, state: RunState, line: str, *, step: int | None = None, sent: SentRequest | None = None) -> None:
        """Move to ``state`` and say in one line what the run is doing."""
        updates: list[SearchAttributeUpdate[Any]] = []
        if state is not self.state:
            updates.append(RUN_STATE.value_set(state.value))
        if step is not None and step != self.step:
            updates.append(STEP.value_set(step))
            self.step = step
        if sent is not None:
            updates += [REVIEW.value_set(sent.review), APPROVER_TOKEN.value_set(" ".join(sent.approver_tokens))]
            updates += [DEADLINE.value_set(sent.deadline)] if isinstance(sent.deadline, datetime) else []
        if updates:
            workflow.upsert_search_attributes(updates)
        self.state = state
        self._log.append(f"- {line}")
        details = "\n".join([self._head, f"**State** {state.value} · step {self.step}", "", *self._log[-20:]])
        workflow.set_current_details(details)
