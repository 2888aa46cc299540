"""The OData layer: validation of one payload, and what the embedded service serves a second."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from evaluation.bench.http_load import Load, answer_to, load, request_bytes
from evaluation.bench.measure import Measure, at_least, at_most
from evaluation.bench.numbers import median, percentile
from graph.ingest import ingest
from graph.reader import open_snapshot
from odata.validation import compile_validator
from wire.call import ProposedCall
from wire.endpoint import Verb

_SERVICE, _SET = "PURCHASE_ORDER", "PurchaseOrderSet"
_SECONDS = 5.0
_CLIENTS = 4
_ITEM = {"Material": "P-100", "OrderQuantity": "20", "Plant": "1010"}
_HEADER = {
    "CompanyCode": "1010",
    "PurchasingOrganization": "1010",
    "PurchasingGroup": "001",
    "PurchaseOrderType": "NB",
    "Supplier": "17300001",
}
_ORDER = {**_HEADER, "to_Items": [_ITEM, {**_ITEM, "OrderQuantity": "5"}]}
_PATH = f"/{_SERVICE}/{_SET}"
_HEADERS = {"host": "127.0.0.1", "accept": "application/json"}


def odata_measures(folder: Path, repository: Path) -> list[Measure]:
    """All measures. ``folder`` is made."""
    folder.mkdir(parents=True)
    return [*_validation(folder, repository), *asyncio.run(_service(folder, repository))]


def _validation(folder: Path, repository: Path) -> list[Measure]:
    ingest([repository / "catalogue"], folder / "graph")
    contract = open_snapshot(folder / "graph").contract(_SERVICE, _SET, Verb.CREATE)
    call = ProposedCall(
        method="POST", service=_SERVICE, endpoint=_SET, payload={**_HEADER, "to_Items": [dict(_ITEM)] * 20}
    )
    compiled = [_timed(lambda: compile_validator(contract).validate(call)) for _ in range(20)]
    validator = compile_validator(contract)
    if validator.validate(call).kind != "valid":
        raise RuntimeError(f"the payload that is timed is not valid: {validator.validate(call).findings}")
    samples = [_timed(lambda: validator.validate(call)) for _ in range(3000)]
    note = f"header and 20 items, {_SERVICE}/{_SET}, the prepared request included"
    return [
        Measure("validation of a payload, median", median(samples) * 1e6, "us", at_most(50), note),
        Measure("validation of a payload, p95", percentile(samples, 0.95) * 1e6, "us"),
        Measure("compiling a validator and its first use, median", median(compiled) * 1e3, "ms", at_most(50)),
    ]


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


async def _service(folder: Path, repository: Path) -> list[Measure]:
    """Reads by key, by filter with expansion, and deep inserts, each for some seconds over kept connections."""
    async with _running(folder / "state.sqlite", repository) as (port, process):
        body = json.dumps(_ORDER).encode()

        async def rate(request: bytes) -> Load:
            return await load(port, request, process, connections=_CLIENTS, seconds=_SECONDS)

        inserts = await rate(request_bytes("POST", _PATH, {**_HEADERS, "content-type": "application/json"}, body))
        first = json.loads(await answer_to(port, request_bytes("GET", f"{_PATH}?$top=1", _HEADERS)))
        key = first["d"]["results"][0]["PurchaseOrder"]
        reads = await rate(request_bytes("GET", f"{_PATH}('{key}')", _HEADERS))
        query = f"$filter=PurchaseOrder%20eq%20'{key}'&$expand=to_Items&$top=1"
        expanded = await rate(request_bytes("GET", f"{_PATH}?{query}", _HEADERS))
    return [
        *_rate_measures("reads by key", reads, 300),
        *_rate_measures("reads by filter with items", expanded, 300),
        *_rate_measures("deep inserts of a header and two items", inserts, 100),
    ]


def _rate_measures(what: str, found: Load, goal: float) -> list[Measure]:
    note = f"{_CLIENTS} connections, {_SECONDS:g} s; {found.cpu_milliseconds:.2f} ms of CPU each"
    return [Measure(f"embedded service: {what}", found.per_second, "per s", at_least(goal), note)]


@asynccontextmanager
async def _running(state: Path, repository: Path) -> AsyncIterator[tuple[int, psutil.Process]]:
    """Port and process of the service over the shipped catalogue."""
    catalogue = repository / "catalogue"
    command = [sys.executable, "-m", "embedded.odata_service", "--metadata", str(catalogue / "services")]
    command += ["--codes", str(catalogue / "codes.csv"), "--required", str(catalogue / "required.csv")]
    command += ["--state", str(state), "--port", "0", "--no-csrf"]
    with subprocess.Popen(command, cwd=repository, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the embedded service has no output")
        line = await asyncio.to_thread(process.stdout.readline)
        try:
            yield int(line.rpartition(":")[2]), psutil.Process(process.pid)
        finally:
            process.terminate()
