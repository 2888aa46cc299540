"""The Temporal worker: settings -> adapters -> activities -> Worker. Run as ``python worker.py [--state DIR]``."""

import argparse
import asyncio
import gc
import logging
import os
import secrets
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.addresses import service_address
from activities.graph_shelf import GraphShelf
from activities.heartbeats import BEATS, Heartbeats
from activities.ports import Graphs, MailIdentity, Parts
from activities.registry import all_activities
from activities.services import ServiceDirectory
from agent.chat_client import ChatClient
from agent.chat_protocol import ChatConfig
from agent.endpoint_brain import EndpointBrain
from agent.faulty import Faulty
from agent.planner import Planner
from agent.ports import Brain
from graph.errors import GraphError
from graph.library import open_library
from graph.uncut import uncut
from ledger.store import open_ledger
from mail.dkim_sign import make_signer
from mail.smtp import send
from mail_accounts import smtp_account
from policies.rulebook import policy_version
from settings import Settings, dkim_key, load_policy, load_settings
from wire.context import EndpointView
from wire.mail import Delivered
from wire.policy import Policy
from workflows.agent_task import AgentTask
from workflows.sandbox import workflow_runner
from workflows.stages import HEARTBEAT


def now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


def make_brain(settings: Settings, graphs: Graphs) -> Brain:
    """The script of a test, the configured model, or else the deterministic planner."""
    if settings.brain_script is not None:
        return Faulty.from_json(settings.brain_script.read_text(encoding="utf-8"))
    model = settings.model
    if not model.base_url:
        return Planner()
    config = ChatConfig(
        base_url=model.base_url,
        model=model.name,
        api_key=model.api_key.get_secret_value(),
        api_key_header=model.api_key_header,
        extra_query=model.extra_query,
        token_limit_field=model.token_limit_field,
        max_output_tokens=model.max_output_tokens,
        send_temperature=model.send_temperature,
        timeout_seconds=model.timeout_seconds,
    )

    def whole(view: EndpointView, graph_hash: str) -> EndpointView:
        return uncut(graphs.at(graph_hash), view)

    return EndpointBrain(ChatClient(config, now=now), budget_tokens=model.prompt_tokens, uncut=whole)


def make_parts(settings: Settings) -> Parts:
    """Open every part that stages use."""
    smtp = smtp_account(settings)
    sign = make_signer(settings.dkim_domain, settings.dkim.selector, dkim_key(settings))

    def mailer(raw: bytes, recipient: str) -> Delivered:
        return send(sign(raw), settings.mail_from, recipient, smtp, now)

    graphs = GraphShelf(
        open_library(settings.graphs, **settings.graph_endpoint.plain()),
        settings.graphs,
        embedder=settings.embedder,
        retriever=settings.retriever,
        budget_tokens=settings.context_tokens,
    )
    ledger = open_ledger(settings.ledger, random_epoch=lambda: secrets.token_hex(16))

    def policy() -> Policy:
        """As the file stands now; what the ledger records from here on names it."""
        found = load_policy(settings)
        ledger.in_force = policy_version(found)
        return found

    return Parts(
        ledger=ledger,
        graphs=graphs,
        brain=make_brain(settings, graphs),
        services=ServiceDirectory(lambda service: service_address(settings, service)),
        mailer=mailer,
        policy=policy,
        identity=MailIdentity(settings.mail_from, settings.mail_name, settings.operator_address),
        now=now,
    )


async def run_worker(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; running activities get 30 s to end."""
    client = await Client.connect(
        settings.temporal_address, namespace=settings.temporal_namespace, data_converter=pydantic_data_converter
    )
    parts = make_parts(settings)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    worker = Worker(
        client,
        task_queue=settings.task_queue,
        workflows=[AgentTask],
        activities=all_activities(parts, settings.imap.user),
        workflow_runner=workflow_runner(),
        max_concurrent_activities=16,
        interceptors=[Heartbeats()],
        max_heartbeat_throttle_interval=HEARTBEAT / BEATS,
        graceful_shutdown_timeout=timedelta(seconds=30),
    )
    async with worker:
        sys.stdout.write(f"worker ready: queue {settings.task_queue}, brain {settings.brain}\n")
        sys.stdout.flush()
        warming = asyncio.create_task(asyncio.to_thread(_warm, parts))
        await stop.wait()
        await warming


def _warm(parts: Parts) -> None:
    """Load model and index before the first run asks for them; without a graph or its model there is nothing to load yet."""
    try:
        parts.graphs.warm()
    except GraphError as error:
        logging.getLogger(__name__).warning("%s", error)
    # Graph and index stay for the worker's life: without this, every full collection walks through them again.
    gc.collect()
    gc.freeze()


def main() -> int:
    """Entry point; one line for what stops it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--state", type=Path, default=None, help="state folder (default: COUNTERSIGN_STATE_DIR or ./state)"
    )
    parser.add_argument("--debug", action="store_true", help="show the stack trace of what stops it")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for name in ("httpx", "httpcore"):
        # They would log addresses with their queries, and cookies with their values.
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        asyncio.run(run_worker(load_settings(arguments.state)))
    except Exception as error:  # one line, whatever it is: a process that dies must say why
        if arguments.debug:
            raise
        sys.stderr.write(f"worker: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the SDK's native threads can crash the interpreter while it ends (sdk-python#300)
