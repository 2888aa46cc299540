"""The whole system on real parts in a folder of its own, for integration and crash tests."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from embedded.approver_client import Account, ApproverClient, InboxMail
from embedded.deployment import Deployment, Plan
from graph.ingest import ingest
from ledger.store import Ledger, open_ledger
from settings import load_settings
from wire.task import RunState

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "catalogue"
PEOPLE = ("rita", "ann", "ben", "olga", "eve")
PATIENCE = 60.0


def address(person: str) -> str:
    """Mail address of a person of the test policy; olga is the operator."""
    return f"{'operator' if person == 'olga' else person}@countersign.example"


def policy_text(window: int = 600, grace: int = 5, reviews: int = 3, approvers: Sequence[str] = ("ann",)) -> str:
    """A policy with ann (and ben) as approvers and everybody's OS user as rita."""
    persons = "".join(
        f'[[persons]]\nid = "{p}"\nname = "{p.title()}"\naddresses = ["{address(p)}"]\n'
        + ('os_users = ["*"]\n' if p == "rita" else "")
        for p in PEOPLE
        if p != "eve"
    )
    return (
        'version = "test"\nrequesters = ["rita"]\noperators = ["olga", "rita"]\nlanguages = ["en", "de"]\n'
        '[trust]\nmode = "authentication-results"\nauthserv_id = "mx.countersign.example"\nmethods = ["dmarc"]\n'
        f'{persons}[[rules]]\nid = "all"\napprovers = {json.dumps(list(approvers))}\nwindow_seconds = {window}\n'
        f"grace_seconds = {grace}\ntail_seconds = 0\nmax_reviews = {reviews}\n"
    )


ORDER = {
    "CompanyCode": "1010",
    "PurchasingOrganization": "1010",
    "PurchasingGroup": "001",
    "PurchaseOrderType": "NB",
    "Supplier": {"$from": "1.0.Supplier"},
    "to_Items": [{"Material": "P-100", "OrderQuantity": "20", "Plant": "1010"}],
}
INVOICE = {
    "CompanyCode": "1010",
    "InvoicingParty": {"$from": "1.0.Supplier"},
    "SupplierInvoiceNumber": "NP-1",
    "DocumentDate": "2026-11-30",
    "InvoiceGrossAmount": 100.5,
    "DocumentCurrency": "EUR",
    "PurchaseOrder": {"$from": "2.PurchaseOrder"},
}


def call(method: str, service: str, endpoint: str, **parts: Any) -> dict[str, Any]:
    """One scripted turn."""
    proposed = {"method": method, "service": service, "endpoint": endpoint, **parts}
    return {"action": "call", "thought": f"{method} {endpoint}", "reason": "as scripted", "call": proposed}


READ_SUPPLIER = call("GET", "BUSINESS_PARTNER", "Suppliers", query={"$filter": "SupplierName eq 'Nordpump GmbH'"})
CREATE_ORDER = call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", payload=ORDER)
CREATE_INVOICE = call("POST", "SUPPLIER_INVOICE", "SupplierInvoices", payload=INVOICE)
FINISH = {"action": "finish", "thought": "all done", "answer": "ordered and invoiced"}
GOAL = "Create a purchase order for 20 centrifugal pumps with Nordpump GmbH and enter the supplier invoice"
TWO_WRITES = [READ_SUPPLIER, CREATE_ORDER, CREATE_INVOICE, FINISH]
ONE_WRITE = [READ_SUPPLIER, CREATE_ORDER, FINISH]


@dataclass
class Live:
    """A running deployment and the hands to work with it."""

    deployment: Deployment
    ledger: Ledger

    @property
    def state(self) -> Path:
        return self.deployment.state

    def cli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "starter.py"), "--state", str(self.state), *arguments]
        env = {**os.environ, **(self.deployment.plan.env or {})}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=env)

    def start(self, goal: str, *options: str) -> str:
        done = self.cli("--json", "run", goal, *options)
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout)["run_id"])

    @contextmanager
    def mailbox(self, person: str = "ann"):
        ports = self.deployment.ports
        user = address(person)
        account = Account(user, self.deployment.passwords[user], "127.0.0.1", ports["imap"], "127.0.0.1", ports["smtp"])
        with ApproverClient(account) as client:
            yield client

    def request_mail(self, run_id: str, person: str = "ann", step: int | None = None) -> InboxMail:
        """The next unanswered request of a run in a person's mailbox."""
        with self.mailbox(person) as client:
            for item in client.mails(PATIENCE):
                if item.mail.asks and item.mail.run_id == run_id and step in (None, int(item.mail.step or 0)):
                    return item
        raise AssertionError(f"no request of {run_id} came to {person}")

    def reply(self, item: InboxMail, typed: str, person: str = "ann") -> None:
        with self.mailbox(person) as client:
            unique = f"<{datetime.now(UTC).timestamp()}.{item.uid}.{person}@countersign.example>"
            client.answer(item, typed, at=datetime.now(UTC), message_id=unique)

    def approve(self, run_id: str, step: int | None = None) -> None:
        self.reply(self.request_mail(run_id, step=step), "APPROVE")

    async def settled(self, run_id: str, *wanted: RunState, seconds: float = PATIENCE) -> RunState:
        """Until the run is in one of the wanted states."""
        states = set(wanted)
        what = f"{run_id} in {[s.value for s in wanted]}"
        await until(lambda: self.ledger.run(run_id).state in states, what, seconds)
        return self.ledger.run(run_id).state

    async def client(self) -> Client:
        where = f"127.0.0.1:{self.deployment.ports['temporal']}"
        return await Client.connect(where, data_converter=pydantic_data_converter)

    def writes(self) -> list[dict[str, Any]]:
        """What the OData service logged as writes."""
        return list(httpx.get(f"http://127.0.0.1:{self.deployment.ports['odata']}/_log/writes").json())

    def orders(self) -> int:
        """Purchase orders that exist."""
        url = f"http://127.0.0.1:{self.deployment.ports['odata']}/PURCHASE_ORDER/PurchaseOrderSet/$count"
        return int(httpx.get(url).text)

    def restart(self, name: str) -> None:
        """Start a killed part again."""
        self.deployment.supervisor.start(getattr(self.deployment, name)())

    def kill(self, name: str) -> None:
        self.deployment.supervisor.kill(name)


async def until(holds: Callable[[], bool | Awaitable[bool]], what: str, seconds: float = PATIENCE) -> None:
    """Wait for a condition; the failure names it."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        answer = holds()
        if await answer if isinstance(answer, Awaitable) else answer:
            return
        assert asyncio.get_running_loop().time() < end, f"waited {seconds} s for: {what}"
        await asyncio.sleep(0.05)


def plan(
    folder: Path,
    script: list[dict[str, Any]] | None,
    policy: str,
    catalogues: Sequence[Path] = (CATALOGUE,),
    graph: Path | None = None,
) -> Plan:
    """A plan for one folder; with a script the brain is the scripted one.

    ``graph``: a folder for snapshots and vectors that several deployments of the same catalogues share.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.toml").write_text(policy)
    env: dict[str, str] = {} if graph is None else {"COUNTERSIGN_GRAPH_ROOT": str(graph)}
    if script is not None:
        (folder / "script.json").write_text(json.dumps(script))
        env["COUNTERSIGN_BRAIN_SCRIPT"] = str(folder / "script.json")
    return Plan(
        state=folder / "state",
        repository=ROOT,
        catalogues=tuple(catalogues),
        policy_file=folder / "policy.toml",
        mailboxes=("approvals@countersign.example", *(address(p) for p in PEOPLE)),
        mail_user="approvals@countersign.example",
        embedder="minilm-int8",
        env=env,
    )


@contextmanager
def live_system(made: Plan, change: Callable[[Deployment], None] = lambda _: None):
    """Everything up; down again afterwards. ``change`` runs between servers and product."""
    deployment = Deployment(replace(made))
    try:
        deployment.start_servers()
        settings = load_settings(deployment.state)
        ingest(list(made.catalogues), Path((made.env or {}).get("COUNTERSIGN_GRAPH_ROOT", settings.graphs)))
        change(deployment)
        deployment.start_product()
        ledger = open_ledger(settings.ledger, random_epoch=lambda: "unused")
        try:
            yield Live(deployment, ledger)
        finally:
            ledger.dispose()
    finally:
        deployment.stop()
