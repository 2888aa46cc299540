"""All of the real corpus: every file is loaded or refused with one line, and each contract can be built."""

import subprocess
import sys
from pathlib import Path

import pytest

from graph.ingest import ingest
from graph.ingest_report import IngestReport
from graph.reader import SnapshotReader, open_snapshot
from wire.endpoint import Verb

_REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpus")


@pytest.fixture(scope="module")
def report(shared: Path, root: Path) -> IngestReport:
    return ingest([shared / "corpus" / "edmx", shared / "corpus" / "bpmn", shared / "bench"], root)


@pytest.fixture(scope="module")
def reader(report: IngestReport, root: Path) -> SnapshotReader:
    return open_snapshot(root, report.graph_hash)


def test_every_file_is_loaded_or_refused(shared: Path, report: IngestReport) -> None:
    given = {path.name for folder in ("edmx", "bpmn") for path in (shared / "corpus" / folder).glob("*.*mx")}
    given |= {path.name for path in (shared / "corpus" / "bpmn").glob("*.bpmn")}
    named = {Path(item.file).name for item in report.loaded} | {item.file for item in report.refused}
    assert given <= named
    assert all("\n" not in item.reason and item.reason.startswith(item.file) for item in report.refused)


def test_only_broken_and_unsafe_files_are_refused(report: IngestReport) -> None:
    causes = ("empty", "DOCTYPE", "HTML page", "not well-formed XML", "the root is")
    assert [item for item in report.refused if not any(cause in item.reason for cause in causes)] == []


def test_benchmark_tables_resolve(report: IngestReport) -> None:
    assert report.unresolved == ()
    assert [line for line in report.warnings if ".csv" in line] == []


def test_every_endpoint_has_a_contract(reader: SnapshotReader) -> None:
    for endpoint in reader.endpoints():
        contract = reader.contract(
            endpoint.service, endpoint.endpoint, endpoint.verbs[0] if endpoint.verbs else Verb.READ
        )
        assert contract.endpoint == endpoint.endpoint
        assert contract.entity_type is None or contract.type(contract.entity_type) is not None


def test_sales_order_requires_what_the_benchmark_says(reader: SnapshotReader) -> None:
    contract = reader.contract("API_SALES_ORDER_SRV", "A_SalesOrder", Verb.CREATE)
    order = contract.type(contract.entity_type)
    assert order is not None
    assert {item.name for item in order.properties if item.required} == {
        "SalesOrderType",
        "SalesOrganization",
        "DistributionChannel",
        "OrganizationDivision",
        "SoldToParty",
    }


def test_reencoded_copies_of_one_document_hold_the_same(reader: SnapshotReader) -> None:
    shown = [reader.contract(name, "Orders", Verb.CREATE) for name in ("Northwind_V2", "MADE_utf16le", "MADE_utf8_BOM")]
    assert shown[0].types == shown[1].types == shown[2].types


def test_two_processes_read_one_snapshot_at_once(report: IngestReport, root: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from graph.reader import open_snapshot; from wire.endpoint import Verb\n"
        "reader = open_snapshot(Path(sys.argv[1])); sys.stdin.readline()\n"
        "print(len(reader.contract('Northwind_V2', 'Orders', Verb.READ).types), reader.graph_hash)"
    )
    command = [sys.executable, "-c", code, str(root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": _REPO}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]  # type: ignore[call-overload]
    answers = {process.communicate("go\n")[0].strip() for process in both}
    assert answers == {f"11 {report.graph_hash}"}
