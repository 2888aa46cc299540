"""The product as the demo runs it, with a scripted brain, so that every run does the same: one read, two writes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from temporalio.client import Client
from temporalio.common import (
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.contrib.pydantic import pydantic_data_converter

from embedded.approver_client import Account
from embedded.deployment import Deployment, Plan
from evaluation.bench.histories import read_events
from evaluation.bench.mailbox import BenchApprover
from evaluation.bench.recorded import ProductRun, Write
from evaluation.bench.waiting import NeverHappened, until
from graph.ingest import ingest
from graph.snapshot import current_hash
from ledger.store import Ledger, open_ledger
from policies.canonical import digest
from policies.rulebook import policy_version
from policies.run_identity import derive_run_id, request_digest
from settings import Settings, load_policy, load_settings
from wire.approval import RequestStatus
from wire.task import FINAL_STATES, RunState, TaskInput, TaskRequest

DATA = Path(__file__).parent / "data"
GOAL = "Create a purchase order for 20 centrifugal pumps with Nordpump GmbH and enter the supplier invoice"
WRITES = (2, 3)
"""Steps of the script that write; step 1 reads."""
APPROVER = "ann@countersign.example"
MAILBOXES = ("approvals@countersign.example", "operator@countersign.example", "rita@countersign.example", APPROVER)


class Product:
    """The running parts and the hands to work with them."""

    def __init__(self, deployment: Deployment, ledger: Ledger, client: Client, approver: BenchApprover) -> None:
        self.ledger = ledger
        self.pids = deployment.supervisor.pids()
        self._deployment = deployment
        self._settings = _settings(deployment)
        self._client = client
        self._approver = approver
        self._replied: dict[tuple[str, int], tuple[datetime, bool]] = {}

    async def batch(self, keys: Sequence[str]) -> list[str]:
        """One run a key: started and answered one at a time, but the last answers all at once. The ids of the ended runs."""
        runs = [await self._start(key) for key in keys]
        for step, following in zip(WRITES, WRITES[1:], strict=False):
            for run_id in runs:
                self._approve(run_id, step, alone=True)
                await self._asked(run_id, following)
        for run_id in runs:
            self._approve(run_id, WRITES[-1], alone=len(runs) == 1)
        for run_id in runs:
            await self._ended(run_id)
        return runs

    async def drained(self) -> None:
        """Until every mail that the ledger owes is out."""
        await until(lambda: not self.ledger.pending_outbox("mail"), "the outbox to be empty")

    async def record(self, run_id: str) -> ProductRun:
        """What the records say of an ended run."""
        row = self.ledger.run(run_id)
        history = await self._client.get_workflow_handle(run_id).fetch_history()
        if row.closed_at is None:
            raise NeverHappened(f"{run_id} has ended without an end in the ledger")
        writes = tuple(self._write(run_id, step) for step in WRITES)
        return ProductRun(row.registered_at, row.closed_at, writes, read_events(history))

    def _write(self, run_id: str, step: int) -> Write:
        effect = next(e for e in self.ledger.effects(run_id) if e.step == step)
        if effect.recorded_at is None:
            raise NeverHappened(f"{run_id}, step {step}: no outcome in the ledger")
        replied_at, alone = self._replied[run_id, step]
        return Write(replied_at, effect.opened_at, effect.recorded_at, alone)

    async def _start(self, key: str) -> str:
        """Register and start a run as the command line does; back when its first request is out."""
        policy = load_policy(self._settings)
        goal = f"{GOAL} ({key})"  # a goal of its own: what was embedded once is kept, and real goals differ
        request = TaskRequest(goal=goal, requester="rita", requester_source="bench", key=key)
        task = TaskInput(
            run_id=derive_run_id(request),
            goal=goal,
            requester="rita",
            policy_version=policy_version(policy),
            graph_hash=current_hash(self._settings.graphs) or "",
            ledger_epoch=self.ledger.epoch,
            brain=self._settings.brain,
            step_cap=policy.step_cap,
        )
        now = datetime.now(UTC)
        self.ledger.register_run(task, request, digest({"key": key}), request_digest(request), now)
        await self._client.start_workflow(
            "AgentTask",
            task,
            id=task.run_id,
            task_queue=self._settings.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            search_attributes=_attributes(task),
            static_summary=task.goal,
        )
        await self._asked(task.run_id, WRITES[0])
        return task.run_id

    def _approve(self, run_id: str, step: int, *, alone: bool) -> None:
        self._replied[run_id, step] = (self._approver.approve(run_id, step), alone)

    async def _asked(self, run_id: str, step: int) -> None:
        """Until the request is in the approver's mailbox and the ledger knows it."""

        def asked() -> bool:
            if ended := self._deployment.supervisor.ended():
                raise NeverHappened(f"{', '.join(ended)} ended by itself while {run_id} ran")
            requests = self.ledger.requests(run_id, step)
            if not requests and self.ledger.run(run_id).state in FINAL_STATES:
                raise NeverHappened(f"{run_id} ended before step {step}: {self.ledger.run(run_id).summary}")
            return any(r.status is RequestStatus.SENT for r in requests) and self._approver.has(run_id, step)

        await until(asked, f"the request of {run_id}, step {step}")

    async def _ended(self, run_id: str) -> None:
        await until(lambda: self.ledger.run(run_id).state in FINAL_STATES, f"the end of {run_id}")
        await self._client.get_workflow_handle(run_id).result()
        row = self.ledger.run(run_id)
        if row.state is not RunState.COMPLETED:
            raise NeverHappened(f"{run_id} ended as {row.state.value}: {row.summary}")


@asynccontextmanager
async def running_product(folder: Path, repository: Path) -> AsyncIterator[Product]:
    """Everything up on the shipped catalogue; down again afterwards."""
    deployment = Deployment(_plan(folder, repository))
    try:
        deployment.start_servers()
        settings = _settings(deployment)
        ingest(list(deployment.plan.catalogues), settings.graphs)
        deployment.start_product()
        client = await Client.connect(settings.temporal_address, data_converter=pydantic_data_converter)
        ledger = open_ledger(settings.ledger, random_epoch=lambda: "never asked: the worker has made the ledger")
        try:
            with BenchApprover(_account(deployment)) as approver:
                yield Product(deployment, ledger, client, approver)
        finally:
            ledger.dispose()
    finally:
        deployment.stop()


def _plan(folder: Path, repository: Path) -> Plan:
    return Plan(
        state=folder,
        repository=repository,
        catalogues=(repository / "catalogue",),
        policy_file=DATA / "policy.toml",
        mailboxes=MAILBOXES,
        mail_user=MAILBOXES[0],
        env={"COUNTERSIGN_BRAIN_SCRIPT": str(DATA / "two_writes.json")},
    )


def _settings(deployment: Deployment) -> Settings:
    """The settings that the worker has, too."""
    return load_settings(deployment.state).model_copy(update={"brain_script": DATA / "two_writes.json"})


def _account(deployment: Deployment) -> Account:
    ports = deployment.ports
    password = deployment.passwords[APPROVER]
    return Account(APPROVER, password, "127.0.0.1", ports["imap"], "127.0.0.1", ports["smtp"])


def _attributes(task: TaskInput) -> TypedSearchAttributes:
    return TypedSearchAttributes(
        [
            SearchAttributePair(SearchAttributeKey.for_keyword("RunState"), RunState.RETRIEVING.value),
            SearchAttributePair(SearchAttributeKey.for_int("Step"), 0),
            SearchAttributePair(SearchAttributeKey.for_keyword("PolicyVersion"), task.policy_version),
        ]
    )
