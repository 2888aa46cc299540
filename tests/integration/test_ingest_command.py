"""``starter.py ingest`` over a real service: URLs, code lists, what changed, ages; then publishing and pruning."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cli.context import Context, now
from cli.graph_age import ages_of
from cli.ingest import prune_graphs
from cli.ingest_answer import describe
from cli.main import run_command
from graph.ingest import ingest
from graph.library import open_library
from graph.snapshot import list_snapshots
from ledger.store import open_ledger
from tests.sparql_server import oxigraph_server
from tests.unit.graph.world import write_world
from wire.task import TaskInput, TaskRequest

_REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of the embedded service over the shipped catalogue."""
    state = tmp_path_factory.mktemp("service") / "state.sqlite"
    catalogue = _REPO / "catalogue"
    tables = [*("--codes", str(catalogue / "codes.csv"), "--seed", str(catalogue / "seed.json"))]
    command = [sys.executable, "-m", "embedded.odata_service", "--metadata", str(catalogue / "services"), *tables]
    command += ["--state", str(state), "--port", "0"]
    with subprocess.Popen(command, cwd=_REPO, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.terminate()


def starter(state: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Run a command; gives its exit code and its JSON answer (or its error line)."""
    code = run_command(["--state", str(state), *arguments, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err


def test_a_service_by_its_url_and_nothing_new_the_second_time(service, tmp_path, capsys) -> None:
    code, first = starter(tmp_path, capsys, "ingest", f"{service}/SALES_ORDER/", f"{service}/NOWHERE")
    assert (code, [item["name"] for item in first["sources"]]) == (0, ["SALES_ORDER"])
    assert [item["file"] for item in first["refused"]] == [f"{service}/NOWHERE"]
    _, second = starter(tmp_path, capsys, "ingest", f"{service}/SALES_ORDER/$metadata")
    assert (second["unchanged"], second["changes"]) == (True, {"sources": [], "elements": []})


def test_codes_of_a_live_service_are_added_to_the_graph(service, tmp_path, capsys) -> None:
    starter(tmp_path, capsys, "ingest")
    _, found = starter(tmp_path, capsys, "ingest", "--codes", f"{service}/SALES_ORDER")
    assert found["changes"]["sources"] == ["added valuehelp SALES_ORDER"]
    assert [(age["what"], age["stale"]) for age in found["ages"]] == [("codes of SALES_ORDER", False)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--user", "ann", "http://127.0.0.1:9/X"), "--user needs --password-env"),
        (("--bearer-env", "NOT_SET_ANYWHERE", "http://127.0.0.1:9/X"), "NOT_SET_ANYWHERE is not set"),
        (("--header", "nonsense", "http://127.0.0.1:9/X"), 'write it as "Name: value"'),
        (("http://127.0.0.1:9/X",), "cannot be reached"),
        (("--publish",), "COUNTERSIGN_GRAPH_ENDPOINT__URL"),
    ],
)
def test_wrong_uses_are_one_line(tmp_path, capsys, arguments, words) -> None:
    code, told = starter(tmp_path, capsys, "ingest", *arguments)
    assert (code, words in told, len(told.splitlines())) == (2, True, 1), told


def test_pruning_keeps_what_an_open_run_stands_on(tmp_path) -> None:
    settings = Context(tmp_path, True, False).settings()
    hashes = [
        ingest([write_world(tmp_path / "s", change)], settings.graphs).graph_hash
        for change in ({}, {"required.csv": None}, {"codes.csv": None})
    ]
    ledger = open_ledger(settings.ledger, random_epoch=lambda: "e" * 32)
    request = TaskRequest(goal="create an order", requester="rita")
    common = {"goal": request.goal, "requester": "rita", "policy_version": "1", "brain": "planner"}
    task = TaskInput(run_id="run-a", graph_hash=hashes[0], ledger_epoch=ledger.epoch, **common)
    ledger.register_run(task, request, "k" * 64, "r" * 64, now())
    ledger.dispose()
    assert prune_graphs(settings) == [hashes[1]]
    assert list_snapshots(settings.graphs) == sorted([hashes[0], hashes[2]])


def test_published_and_read_at_the_endpoint(tmp_path, capsys) -> None:
    folder = write_world(tmp_path / "sources")
    with oxigraph_server(tmp_path) as url:
        (tmp_path / "parts.toml").write_text(f'graph_endpoint = {{ url = "{url}" }}\n', encoding="utf-8")
        _, found = starter(tmp_path, capsys, "ingest", str(folder), "--publish")
        settings = Context(tmp_path, True, False).settings()
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            assert library.current() == found["published"] == found["graph_hash"]
            assert library.open(found["graph_hash"]).services() == ["ORDERS", "SHIP"]


def test_old_reads_are_stale_and_said_so(tmp_path) -> None:
    instant = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    read_at = {"codes of X": instant.isoformat(), "metadata of X": (instant + timedelta(days=9)).isoformat()}
    found = [str(age) for age in ages_of(read_at, instant + timedelta(days=9, minutes=5), 7)]
    assert found == ["codes of X, read 9 days ago (stale)", "metadata of X, read 5 minutes ago"]


def test_a_first_load_is_counted_and_few_changes_are_named(tmp_path) -> None:
    first = describe(ingest([write_world(tmp_path / "s")], tmp_path / "g"), now(), 7)
    assert first[1].startswith("1 × added bindings; 1 × added codes;")
    assert first[1].endswith("2 × added service (each with --json)")
    second = describe(ingest([write_world(tmp_path / "s", {"codes.csv": None})], tmp_path / "g"), now(), 7)
    assert second[1] == "removed codes codes.csv"
